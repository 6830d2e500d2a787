import { z } from "zod";
import type { WorkflowFile } from "./workflow-file.ts";

/** What happened, as the `on:` of a workflow looks at it. */
export interface Trigger {
  readonly event: string;
  /** `opened`, `synchronize`, …; null where the event has none. */
  readonly action: string | null;
  /** The pushed branch; for a pull request the base branch. */
  readonly branch: string;
  /** Paths changed by the push or the pull request. */
  readonly files: readonly string[];
}

const Patterns = z.union([z.string().transform((one) => [one]), z.array(z.string())]).optional();
const Filter = z.object({
  branches: Patterns,
  "branches-ignore": Patterns,
  tags: Patterns,
  paths: Patterns,
  "paths-ignore": Patterns,
  types: Patterns,
});

const DEFAULT_TYPES: Readonly<Record<string, readonly string[]>> = {
  pull_request: ["opened", "synchronize", "reopened"],
  pull_request_target: ["opened", "synchronize", "reopened"],
};

/** Whether an `on:` of any of its three forms (name, list, table) fits what happened. An unreadable filter fits nothing. */
export function isTriggered(on: WorkflowFile["on"], trigger: Trigger): boolean {
  if (typeof on === "string") return isTriggered([on], trigger);
  if (Array.isArray(on)) return isTriggered(Object.fromEntries(on.map((name) => [String(name), null])), trigger);
  if (typeof on !== "object" || on === null || !(trigger.event in on)) return false;
  const filter = Filter.safeParse((on as Record<string, unknown>)[trigger.event] ?? {}).data;
  return filter !== undefined && passes(filter, trigger);
}

function passes(filter: z.infer<typeof Filter>, { event, action, branch, files }: Trigger): boolean {
  const types = filter.types ?? DEFAULT_TYPES[event];
  if (types !== undefined && action !== null && !types.includes(action)) return false;
  // `on: push: tags:` alone is not about branches.
  if (filter.tags !== undefined && filter.branches === undefined && filter["branches-ignore"] === undefined)
    return false;
  if (filter.branches !== undefined && !isMatched(filter.branches, branch)) return false;
  if (filter["branches-ignore"] !== undefined && isMatched(filter["branches-ignore"], branch)) return false;
  const { paths } = filter;
  if (paths !== undefined && !files.some((file) => isMatched(paths, file))) return false;
  const ignored = filter["paths-ignore"];
  return ignored === undefined || files.length === 0 || !files.every((file) => isMatched(ignored, file));
}

/** GitHub's rule: the last pattern that matches decides; `!` takes back. */
function isMatched(patterns: readonly string[], text: string): boolean {
  let matched = false;
  for (const pattern of patterns) {
    const isNegative = pattern.startsWith("!");
    if (globOf(isNegative ? pattern.slice(1) : pattern).test(text)) matched = !isNegative;
  }
  return matched;
}

/** `*` stays within a path segment, `**` does not; `?` makes the character before it optional, as GitHub has it. */
function globOf(pattern: string): RegExp {
  const source = pattern.replace(/\*\*\/|\*\*|\*|[.^$(){}|\\]/g, (part) => GLOB[part] ?? `\\${part}`);
  return new RegExp(`^${source}$`);
}

const GLOB: Readonly<Record<string, string>> = { "**/": "(?:.*/)?", "**": ".*", "*": "[^/]*" };
