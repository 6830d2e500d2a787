import { type ExperienceRecord, isEffective, type L1Body } from "./experience.ts";

interface Rule {
  readonly what: string;
  readonly pattern: RegExp;
  /** Only in what tells somebody to do something. */
  readonly actionsOnly?: true;
}

// papers §13.4: what a strategy has no reason to hold, and what an attacker needs.
const RULES: readonly Rule[] = [
  { what: "a URL", pattern: /\b(?:https?|ftp|ssh|git|file|data|javascript):\/\/|\bwww\.[\w-]+\.\w|\bgit@[\w.-]+:/i },
  {
    what: "a pipe to an interpreter",
    pattern:
      /\|\s*(?:sudo\s+)?(?:[\w.~/-]{0,80}\/)?(?:ba|z|da|k|fi)?sh\b|\|\s*(?:sudo\s+)?(?:[\w.~/-]{0,80}\/)?(?:python[\d.]*|node|perl|ruby|php|pwsh|powershell|iex)\b/i,
  },
  {
    what: "a download run as a program",
    pattern: /(?:<\(|\$\(|`)\s*(?:curl|wget)\s+\S|\b(?:curl|wget)\b[^\n|;&]{0,200}(?:\||&&|;)/i,
  },
  { what: "base64", pattern: /\bbase64\b|\bb64decode\b|\batob\s*\(/i },
  // Long runs of the base64 alphabet with both cases and digits: not a path (no dots, few slashes), not a hash (hex).
  {
    what: "encoded text",
    pattern: /(?<![\w/+.-])(?=[A-Za-z/+]*\d)(?=[a-z\d/+]*[A-Z])(?![\da-fA-F]{40,}\b)[A-Za-z\d+/]{40,}={0,2}(?![\w/+])/,
  },
  {
    what: "credential words",
    pattern:
      /\b(?:pass(?:word|wd|phrase)s?|credentials?|secrets?|bearer)\b|\b(?:api|access|private|ssh|auth|deploy|signing)[ _-]?(?:key|token)s?\b|\b[A-Z][A-Z\d_]*_(?:TOKEN|SECRET|PASSWORD|KEY)\b|\.ssh\/|\bid_rsa\b|\.npmrc\b|\.netrc\b/,
    actionsOnly: true,
  },
  {
    what: "an instruction to the reader",
    pattern:
      /\b(?:ignore|disregard|forget|override)\s+(?:all\s+|any\s+|the\s+|your\s+|these\s+)*(?:previous|prior|above|earlier|system)\b|\byou are now\b|\bsystem prompt\b|<\/?(?:system|assistant|user)>/i,
  },
  // Text that reads differently from how it looks.
  {
    what: "invisible characters",
    pattern: /[\u200B-\u200F\u202A-\u202E\u2060-\u2064\u2066-\u2069\uFEFF\u{E0000}-\u{E007F}]/u,
  },
];

/**
 * Why a record must not be kept, in words; null when nothing speaks against it. A concrete episode (L1) has to show a repair that
 * stayed (papers §1.3); it quotes what was there and is never followed. Strategies and patterns may not hold what an attacker
 * would plant (papers §13.4).
 */
export function refusalOf(record: ExperienceRecord): string | null {
  return record.level === "L1" ? withoutRepair(record.body) : poisonIn(record);
}

function withoutRepair({ z }: L1Body): string | null {
  if (z.p.statement.value.trim() === "") return "it names no problem";
  if (z.r.hunks.length === 0) return "it shows no change that repaired the problem";
  const gone = z.r.hunks.find(({ fate }) => !isEffective(fate));
  return gone === undefined ? null : `the change ${gone.id} in ${gone.path} did not stay (${gone.fate})`;
}

function poisonIn(record: Exclude<ExperienceRecord, { level: "L1" }>): string | null {
  for (const { field, text, isAction } of textsOf(record)) {
    const rule = RULES.find(({ pattern, actionsOnly }) => (isAction || actionsOnly !== true) && pattern.test(text));
    if (rule !== undefined) return `${field} holds ${rule.what}`;
  }
  return null;
}

/** What tells somebody to do something; every other text of a record only describes. */
const ACTIONS: ReadonlySet<string> = new Set([
  "keyActions",
  "validation",
  "principles",
  "followOn",
  "intent",
  "constraints",
]);
/** Ids of ours. */
const NOT_TEXT: ReadonlySet<string> = new Set(["memberL1Ids", "memberL2Ids"]);

interface NamedText {
  readonly field: string;
  readonly text: string;
  readonly isAction: boolean;
}

function textsOf({ body }: Exclude<ExperienceRecord, { level: "L1" }>): readonly NamedText[] {
  return Object.entries(body)
    .filter(([field]) => !NOT_TEXT.has(field))
    .flatMap(([field, value]: [string, string | readonly string[]]) =>
      (typeof value === "string" ? [value] : value).map((text) => ({ field, text, isAction: ACTIONS.has(field) })),
    );
}
