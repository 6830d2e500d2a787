import { loadAll, YAMLException } from "js-yaml";
import { z } from "zod";
import { DEFAULT_POLICY, type Policy } from "../domain/policy.ts";
import { lineOfPath } from "./yaml-lines.ts";

/** Where a repository keeps its settings; read from the default branch only, so that a pull request cannot loosen them. */
export const SETTINGS_PATH = ".github/retrace.yml";

export interface Settings {
  readonly policy: Policy;
  /** What is wrong with the file, for people; null when nothing is. The defaults then hold. */
  readonly mistake: { readonly line: number | null; readonly message: string } | null;
}

const patterns = z.array(z.string());
const amount = z.number().nonnegative();
const count = z.number().int().nonnegative();

// Every key may be left out; a key we do not know is a mistake, since a misspelled one would silently not count.
const File = z.strictObject({
  enabled: z.boolean().optional(),
  mode: z.enum(["pull-request", "push", "suggestion", "comment"]).optional(),
  workflows: patterns.optional(),
  branches: patterns.optional(),
  authors: z.strictObject({ allow: patterns.optional(), deny: patterns.optional() }).optional(),
  limits: z
    .strictObject({
      "usd-per-repair": amount.optional(),
      "usd-per-day": amount.optional(),
      "tokens-per-repair": count.optional(),
      "ci-minutes-per-day": count.optional(),
      "repairs-per-day": count.optional(),
      "open-pull-requests": count.optional(),
      "attempts-per-failure": count.optional(),
      files: count.optional(),
      lines: count.optional(),
    })
    .optional(),
  "protected-paths": patterns.optional(),
  "rerun-flaky": z.boolean().optional(),
  validate: z.strictObject({ setup: patterns.optional(), commands: patterns.optional() }).optional(),
  commit: z.strictObject({ prefix: z.string().optional(), "sign-off": z.boolean().optional() }).optional(),
  labels: patterns.optional(),
  "skip-label": z.string().optional(),
  welcome: z.boolean().optional(),
  experience: z
    .strictObject({ learn: z.boolean().optional(), share: z.boolean().optional(), "auto-off": z.boolean().optional() })
    .optional(),
  engines: z.strictObject({ order: z.union([z.literal("auto"), patterns]).optional() }).optional(),
});

/** The policy a settings file describes; `null`: there is no file. Never throws. */
export function readSettings(text: string | null): Settings {
  if (text === null) return { policy: DEFAULT_POLICY, mistake: null };
  let documents: readonly unknown[];
  try {
    documents = loadAll(text);
  } catch (error) {
    const line = error instanceof YAMLException && error.mark !== undefined ? error.mark.line + 1 : null;
    const reason = error instanceof YAMLException ? error.reason : "it cannot be read";
    return broken(line, `not valid YAML: ${reason}`);
  }
  if (documents.length > 1) return broken(null, "more than one YAML document");
  const [content] = documents;
  // An empty file, or one of comments only, sets nothing.
  if (content === null || content === undefined) return { policy: DEFAULT_POLICY, mistake: null };
  const file = File.safeParse(content);
  if (file.success) return { policy: toPolicy(file.data), mistake: null };
  const [issue] = file.error.issues;
  const unknown = issue?.code === "unrecognized_keys" ? issue.keys[0] : undefined;
  const path = [...(issue?.path ?? []), ...(unknown === undefined ? [] : [unknown])];
  const what = unknown === undefined ? (issue?.message ?? "not understood") : "there is no such setting";
  return broken(lineOfPath(text, path), path.length === 0 ? what : `\`${path.join(".")}\`: ${what}`);
}

function broken(line: number | null, message: string): Settings {
  return { policy: DEFAULT_POLICY, mistake: { line, message } };
}

function toPolicy(file: z.infer<typeof File>): Policy {
  const base = DEFAULT_POLICY;
  const limits = file.limits ?? {};
  return {
    enabled: file.enabled ?? base.enabled,
    mode: file.mode ?? base.mode,
    workflows: file.workflows ?? base.workflows,
    branches: file.branches ?? base.branches,
    authors: { allow: file.authors?.allow ?? base.authors.allow, deny: file.authors?.deny ?? base.authors.deny },
    limits: {
      usdPerRepair: limits["usd-per-repair"] ?? base.limits.usdPerRepair,
      usdPerDay: limits["usd-per-day"] ?? base.limits.usdPerDay,
      tokensPerRepair: limits["tokens-per-repair"] ?? base.limits.tokensPerRepair,
      ciMinutesPerDay: limits["ci-minutes-per-day"] ?? base.limits.ciMinutesPerDay,
      repairsPerDay: limits["repairs-per-day"] ?? base.limits.repairsPerDay,
      openPullRequests: limits["open-pull-requests"] ?? base.limits.openPullRequests,
      attemptsPerFailure: limits["attempts-per-failure"] ?? base.limits.attemptsPerFailure,
      files: limits.files ?? base.limits.files,
      lines: limits.lines ?? base.limits.lines,
    },
    protectedPaths: file["protected-paths"] ?? base.protectedPaths,
    rerunFlaky: file["rerun-flaky"] ?? base.rerunFlaky,
    validate: {
      setup: file.validate?.setup ?? base.validate.setup,
      commands: file.validate?.commands ?? base.validate.commands,
    },
    commit: {
      prefix: file.commit?.prefix ?? base.commit.prefix,
      signOff: file.commit?.["sign-off"] ?? base.commit.signOff,
    },
    labels: file.labels ?? base.labels,
    skipLabel: file["skip-label"] ?? base.skipLabel,
    welcome: file.welcome ?? base.welcome,
    experience: {
      learn: file.experience?.learn ?? base.experience.learn,
      share: file.experience?.share ?? base.experience.share,
      autoOff: file.experience?.["auto-off"] ?? base.experience.autoOff,
    },
    engines: { order: file.engines?.order ?? base.engines.order },
  };
}
