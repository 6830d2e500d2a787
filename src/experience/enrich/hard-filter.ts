import type { FailureClass } from "../../domain/category.ts";
import type { ExperienceRecord } from "../../domain/experience.ts";
import { judgeStaleness, type Staleness, type StalenessFact } from "../upkeep/staleness.ts";
import { managerOf, packageManagers, pathFact, type TreeView } from "./tree-view.ts";

/** The problem as far as it decides whether a record can be about the same kind of thing. */
export interface FilteredProblem {
  readonly category: FailureClass;
  readonly tool: string | null;
}

/** A record held against the tree. */
export interface Filtered {
  readonly record: ExperienceRecord;
  readonly staleness: Staleness;
  readonly facts: readonly StalenessFact[];
  /** Why it is not offered; null when it may be. */
  readonly refused: string | null;
}

/** Classes that pass into each other: the same defect shows as one or the other. */
const KINDS: readonly (readonly FailureClass[])[] = [
  ["assertion_error", "test_failure", "runtime_error"],
  ["dependency_issue", "package_install_error", "environment_error"],
  ["code_formatting", "linting", "doc_docstring"],
  ["type_checking", "syntax_error"],
  ["configuration_error", "environment_error"],
];

/** What needs no judgement (papers §1.10 T5, §13.4): staleness, another tool or package manager, another kind of failure. */
export async function hardFilter(
  record: ExperienceRecord,
  problem: FilteredProblem,
  tree: TreeView,
): Promise<Filtered> {
  const facts = await factsOf(record, tree);
  const staleness = judgeStaleness(facts, null);
  return { record, staleness, facts, refused: reasonAgainst(record, problem, staleness, tree) };
}

function reasonAgainst(
  record: ExperienceRecord,
  problem: FilteredProblem,
  staleness: Staleness,
  tree: TreeView,
): string | null {
  if (!isAlikeKind(record.meta.category, problem.category)) {
    return `it is about another kind of failure (${record.meta.category.replaceAll("_", " ")})`;
  }
  if (record.level !== "L1") return null;
  const { p, v, r } = record.body.z;
  const tool = p.tool ?? v.tool;
  if (tool !== null && problem.tool !== null && tool !== problem.tool)
    return `it is about ${tool}, not ${problem.tool}`;
  const manager = managerOf(v.command) ?? (r.autofixTool === null ? null : managerOf(r.autofixTool));
  const managers = packageManagers(tree);
  if (manager !== null && managers.size > 0 && !managers.has(manager)) {
    return `it is about ${manager}, and this repository uses ${[...managers].join(" and ")}`;
  }
  if (staleness.state === "stale" || staleness.state === "retire") {
    return `it is stale: ${staleness.toAdapt.join("; ")} no longer holds`;
  }
  return null;
}

function isAlikeKind(a: FailureClass, b: FailureClass): boolean {
  if (a === b || a === "unknown" || b === "unknown") return true;
  return KINDS.some((kind) => kind.includes(a) && kind.includes(b));
}

async function factsOf(record: ExperienceRecord, tree: TreeView): Promise<readonly StalenessFact[]> {
  if (record.level !== "L1") return [];
  const { a, v, p } = record.body.z;
  const facts: StalenessFact[] = [];
  for (const { path, symbols } of a) {
    const there = pathFact(path, tree);
    facts.push(there);
    const text = there.holds === true ? await tree.read(path) : null;
    if (text === null) continue;
    for (const symbol of symbols)
      facts.push({ what: `${symbol} is in ${path}`, holds: text.includes(lastName(symbol)) });
  }
  const tool = p.tool ?? v.tool;
  if (tool !== null && tree.tools.size > 0) facts.push({ what: `${tool} runs in CI`, holds: tree.tools.has(tool) });
  if (v.command.trim() !== "" && tree.commands.length > 0) {
    facts.push({ what: `\`${firstLine(v.command)}\` is in the workflow`, holds: runsIn(v.command, tree.commands) });
  }
  return facts;
}

function lastName(symbol: string): string {
  return symbol.split(/[.#:]/).at(-1) ?? symbol;
}

function firstLine(command: string): string {
  return command.trim().split("\n")[0] ?? "";
}

function runsIn(command: string, commands: readonly string[]): boolean {
  const all = new Set(commands.flatMap((one) => one.split("\n").map((line) => line.trim())));
  return command.split("\n").some((line) => line.trim() !== "" && all.has(line.trim()));
}
