import { z } from "zod";
import { type AskParts, ask, showEvidence } from "../../agent/ask.ts";
import { loadPromptTexts, renderPrompt } from "../../agent/prompt.ts";
import type { EvidenceItem, L2Body, L3Body, ProblemRepair, RecordQuality } from "../../domain/experience.ts";
import { redact } from "../../text/redact.ts";
import { leaksOfPattern, leaksOfStrategy, namesOf } from "./leaks.ts";
import { skeletonStrategy } from "./skeleton-strategy.ts";

export type Strategy = Omit<L2Body, "memberL1Ids">;
export type Pattern = Omit<L3Body, "memberL2Ids" | "patternId">;

/** What one concrete record says above itself. */
export interface Abstracted {
  /** Id of the concrete record. */
  readonly of: string;
  readonly strategy: Strategy;
  readonly quality: RecordQuality;
  /** Null when nothing general is in it, or nothing that holds no name of the repository. */
  readonly pattern: Pattern | null;
  readonly unanswered: readonly string[];
}

export interface AbstractInput {
  readonly record: ProblemRepair;
  readonly repo: string;
  readonly workflow: string | null;
  /** The record's hunks and log, redacted. */
  readonly evidence: readonly EvidenceItem[];
}

const Line = z.string().min(1).max(600);
const Strategy = z.strictObject({
  failureIdentify: Line,
  causalChain: z.string().max(1_200),
  summary: Line,
  intent: Line,
  whenToApply: Line,
  signals: z.array(Line).max(20),
  artifactRelations: z.array(Line).max(20),
  keyActions: z.array(Line).min(1).max(20),
  validation: Line,
  pitfalls: z.array(Line).max(20),
  constraints: z.array(Line).max(20),
});
const Pattern = z.strictObject({
  pattern: z
    .strictObject({
      failurePattern: Line,
      problem: Line,
      mechanism: z.string().min(1).max(1_200),
      signals: z.array(Line).max(20),
      artifactRoles: z.array(Line).max(20),
      principles: z.array(Line).min(1).max(20),
      whenToApply: z.array(Line).max(20),
      followOn: z.array(Line).max(10),
    })
    .nullable(),
});

const STRATEGY = loadPromptTexts(import.meta.url, "strategy.md");
const PATTERN = loadPromptTexts(import.meta.url, "pattern.md");

/**
 * L2 and L3 of one concrete record (RETRACE §3.2). An answer that names what its level may not name is asked for again
 * once; then the strategy is a skeleton and the pattern is left out. Without a model: the skeleton, no pattern.
 */
export async function abstractLevels(input: AbstractInput, model: AskParts | null): Promise<Abstracted> {
  const { record, repo, workflow, evidence } = input;
  const plain = skeletonStrategy(record);
  if (model === null) return { of: record.id, strategy: plain, quality: "skeleton", pattern: null, unanswered: [] };
  const names = namesOf(record, changedLines(evidence), repo, workflow);
  const told = describe(record);
  const strategy = await ask(
    {
      name: "abstract.l2",
      prompt: renderPrompt(STRATEGY, { record: told, evidence: showEvidence(evidence) }),
      schema: Strategy,
      // Constraints are the one place where a version or a setting may stand by its name.
      check: (answer) => leaksOfStrategy(textsOf({ ...answer, constraints: [] }), names),
    },
    model,
  );
  if (!strategy.answered) {
    return { of: record.id, strategy: plain, quality: "skeleton", pattern: null, unanswered: [strategy.why] };
  }
  const pattern = await ask(
    {
      name: "abstract.l3",
      prompt: renderPrompt(PATTERN, { record: told, strategy: JSON.stringify(strategy.value, null, 2) }),
      schema: Pattern,
      check: ({ pattern }) => (pattern === null ? [] : leaksOfPattern(textsOf(pattern), names)),
    },
    model,
  );
  return {
    of: record.id,
    strategy: redactAll(strategy.value),
    quality: "full",
    pattern: pattern.answered && pattern.value.pattern !== null ? redactAll(pattern.value.pattern) : null,
    unanswered: pattern.answered ? [] : [pattern.why],
  };
}

function textsOf(body: Readonly<Record<string, string | readonly string[]>>): string[] {
  return Object.values(body).flat();
}

function redactAll<T extends Readonly<Record<string, string | readonly string[]>>>(body: T): T {
  const entries = Object.entries(body).map(([name, value]) => [
    name,
    typeof value === "string" ? redact(value) : value.map(redact),
  ]);
  return Object.fromEntries(entries) as T;
}

function changedLines(evidence: readonly EvidenceItem[]): string[] {
  return evidence
    .filter(({ kind }) => kind === "hunk")
    .flatMap(({ text }) =>
      text
        .split("\n")
        .filter((line) => /^[+-]/.test(line))
        .map((line) => line.slice(1)),
    );
}

function describe({ p, a, r, v }: ProblemRepair): string {
  return [
    `problem: ${p.statement.value}`,
    `root cause: ${p.rootCause?.value ?? "not known"}`,
    `class: ${p.category}`,
    `signals:\n${p.signals.map(({ value }) => `- ${value}`).join("\n")}`,
    `artifacts:\n${a.map(({ path, role, symbols }) => `- ${path} (${role}) ${symbols.join(", ")}`).join("\n")}`,
    `operations:\n${r.operations.map(({ value }) => `- ${value}`).join("\n")}`,
    `validation: ${v.command} (${v.before} before, ${v.after} after)`,
  ].join("\n");
}
