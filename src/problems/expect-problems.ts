import { comparedRecord } from "../domain/compared-record.ts";
import type { Evidence, Validation, ValidationStatus } from "../domain/evidence.ts";
import type { DependencyEdge, ExperienceRecord } from "../domain/experience.ts";
import type { Problem, ProblemEdge } from "../domain/problem.ts";
import { isAboutOthers, SAME_PROBLEM, type SimilarityRule, similarity } from "../domain/similarity.ts";
import { comparedProblem } from "./merge-problems.ts";

type L1 = ExperienceRecord & { readonly level: "L1" };

/** A problem that comes back in this workflow (papers §1.10 T8): the record that stands for it, and how often. */
export interface Recurring {
  readonly record: L1;
  readonly hits: number;
  readonly inScope: number;
  /** Share of the episodes, 0 to 1. */
  readonly coverage: number;
}

export interface ExpectParts {
  readonly evidence: Evidence;
  readonly paths: ReadonlySet<string>;
  /** What memory holds of this repository and workflow. */
  readonly records: readonly L1[];
  /** Records that were found to apply to a problem, by its id. */
  readonly applied: ReadonlyMap<string, readonly L1[]>;
  readonly rule: SimilarityRule;
}

export interface Expected {
  readonly hypotheses: readonly Problem[];
  /** Among observed problems too: memory knows which has to come first. */
  readonly edges: readonly ProblemEdge[];
  /** What memory would expect and nothing here could show, for people, a line each. */
  readonly leftOut: readonly string[];
}

// papers §10 G16
const MOST_PROBLEMS = 8;
const MOST_OF_A_KIND = 2;

/**
 * What depends on the problems at hand, as memory knows it (papers §1.10 T7, G14): a problem matches a record that was found
 * to apply to it, else one it resembles; the record's edges are followed one step. Downstream is what shows once this is
 * repaired; upstream is what may have to be repaired first. Either is a hypothesis that its own check has to confirm.
 */
export function expectByDependency(observed: readonly Problem[], parts: ExpectParts): Expected {
  const found = new Map<string, Problem>();
  const edges: ProblemEdge[] = [];
  const leftOut: string[] = [];
  for (const problem of observed) {
    for (const record of matching(problem, parts)) {
      for (const edge of record.body.edges) {
        const other = otherEnd(record, edge, parts.records);
        if (other === null) continue;
        const isDownstream = edge.from === record.body.z.id;
        const known = representing(other, observed, parts);
        if (known?.id === problem.id) continue;
        const asked = known ?? hypothesisFrom(other, sayDependency(problem, record, isDownstream), parts);
        if (typeof asked === "string") {
          leftOut.push(`${titleOf(other)}: ${asked}`);
          continue;
        }
        const confidence = edge.confidence * other.body.z.confidence;
        const one = known ?? {
          ...asked,
          origin: "dependency" as const,
          expected: { ...expectation(asked), parent: problem.id, confidence },
        };
        if (known === null && (found.get(one.id)?.expected?.confidence ?? -1) < confidence) found.set(one.id, one);
        const [from, to] = isDownstream ? [problem.id, one.id] : [one.id, problem.id];
        edges.push({ from, to, confidence, heuristic: edge.support === "heuristic" });
      }
    }
  }
  const hypotheses = surest([...found.values()], roomFor(observed));
  return { hypotheses, edges: distinct(edges), leftOut: [...new Set(leftOut)] };
}

/** What comes back in this workflow and is not among the problems yet (papers §1.10 T8). */
export function expectByRecurrence(
  problems: readonly Problem[],
  recurring: readonly Recurring[],
  parts: ExpectParts,
): Expected {
  const found: Problem[] = [];
  const leftOut: string[] = [];
  for (const { record, hits, inScope, coverage } of recurring) {
    if (representing(record, problems, parts) !== null) continue;
    const why = `it came up in ${hits} of the last ${inScope} repairs of this workflow`;
    const made = hypothesisFrom(record, why, parts);
    if (typeof made === "string") leftOut.push(`${titleOf(record)}: ${made}`);
    else {
      const confidence = coverage * record.body.z.confidence;
      found.push({ ...made, origin: "recurrence", expected: { ...expectation(made), confidence } });
    }
  }
  return { hypotheses: surest(found, roomFor(problems)), edges: [], leftOut };
}

/** All that is observed is kept, and hypotheses up to eight problems, two of a kind. */
function roomFor(problems: readonly Problem[]): number {
  return Math.min(MOST_OF_A_KIND, Math.max(0, MOST_PROBLEMS - problems.length));
}

function surest(hypotheses: readonly Problem[], most: number): readonly Problem[] {
  const doubt = ({ expected }: Problem): number => 1 - (expected?.confidence ?? 0);
  return [...hypotheses].sort((a, b) => doubt(a) - doubt(b) || (a.id < b.id ? -1 : 1)).slice(0, most);
}

function distinct(edges: readonly ProblemEdge[]): readonly ProblemEdge[] {
  const best = new Map<string, ProblemEdge>();
  for (const edge of edges) {
    const key = `${edge.from} ${edge.to}`;
    if ((best.get(key)?.confidence ?? -1) < edge.confidence) best.set(key, edge);
  }
  return [...best.values()];
}

/* ------------------------------------------------------------------ matching */

function matching(problem: Problem, { applied, records, rule }: ExpectParts): readonly L1[] {
  const own = applied.get(problem.id) ?? [];
  return own.length > 0 ? own : records.filter((record) => isLike(record, problem, rule));
}

function isLike(record: L1, problem: Problem, rule: SimilarityRule): boolean {
  const [a, b] = [comparedProblem(problem), comparedRecord(record)];
  return similarity(a, b, rule) >= SAME_PROBLEM && (rule === "paper" || !isAboutOthers(a, b));
}

/** The problem that a record is about already, or null. */
function representing(record: L1, problems: readonly Problem[], { applied, rule }: ExpectParts): Problem | null {
  const known = problems.find(
    (problem) =>
      problem.expected?.record === record.meta.id ||
      (applied.get(problem.id) ?? []).some(({ meta }) => meta.id === record.meta.id),
  );
  return known ?? problems.find((problem) => isLike(record, problem, rule)) ?? null;
}

/** Edges name problems of one episode; records that were merged share one. */
function otherEnd({ meta, body }: L1, edge: DependencyEdge, records: readonly L1[]): L1 | null {
  const isFrom = edge.from === body.z.id;
  if (!isFrom && edge.to !== body.z.id) return null;
  const id = isFrom ? edge.to : edge.from;
  const statement = (isFrom ? edge.consumerAssumption : edge.producerChange)?.value;
  const same = records.filter(
    (other) =>
      other.meta.id !== meta.id &&
      other.body.z.id === id &&
      other.meta.episodeIds.some((episode) => meta.episodeIds.includes(episode)),
  );
  return same.find((other) => other.body.z.p.statement.value === statement) ?? same[0] ?? null;
}

function sayDependency(problem: Problem, record: L1, isDownstream: boolean): string {
  const where = record.meta.provenance.pr === null ? record.meta.id : `pull request #${record.meta.provenance.pr}`;
  return isDownstream
    ? `in ${where} it showed once ${problem.id} was repaired`
    : `in ${where} it had to be repaired before ${problem.id}`;
}

/* ------------------------------------------------------------------ hypotheses */

/** A record as a problem to be looked for, or why nothing here could show it. Nothing is run for it. */
function hypothesisFrom(record: L1, why: string, { evidence, paths }: ExpectParts): Problem | string {
  const { z } = record.body;
  const named = z.a.map(({ path }) => path);
  const files = named.filter((path) => paths.has(path));
  if (named.length > 0 && files.length === 0) return "the files it was about are gone";
  const validation = validationFor(z.v, evidence.validations);
  if (typeof validation === "string") return validation;
  return {
    id: `expected-${record.meta.id}`,
    title: titleOf(record),
    category: record.meta.category,
    tool: z.p.tool ?? z.v.tool,
    failures: [],
    validation: validation.id,
    files,
    origin: "recurrence",
    order: validation.order,
    ...(z.p.rootCause === null ? {} : { rootCause: z.p.rootCause.value }),
    signals: z.p.signals.map(({ value }) => value),
    expected: { record: record.meta.id, why, parent: null, confidence: 0 },
  };
}

function expectation({ expected }: Problem): NonNullable<Problem["expected"]> {
  return expected ?? { record: "", why: "", parent: null, confidence: 0 };
}

/** Where it would show, most likely first. One that passed in this run shows nothing. */
const SHOWS: readonly ValidationStatus[] = ["unreached", "failed", "excluded"];

function validationFor(v: L1["body"]["z"]["v"], validations: readonly Validation[]): Validation | string {
  const lines = linesOf(v.command);
  const sameCommand = validations.filter(({ command }) => linesOf(command).some((line) => lines.includes(line)));
  const same =
    sameCommand.length > 0 ? sameCommand : validations.filter(({ tool }) => tool !== null && tool === v.tool);
  if (same.length === 0) return "no step of this run checks it";
  for (const status of SHOWS) {
    const found = same.find((one) => one.status === status);
    if (found !== undefined) return found;
  }
  return "its check passed in this run";
}

function linesOf(command: string): readonly string[] {
  return command
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
}

function titleOf({ body }: L1): string {
  return (body.z.p.statement.value.split("\n")[0] ?? "").slice(0, 120);
}

/** Hypotheses numbered on from the observed problems, edges with them. */
export function numbered(
  observed: readonly Problem[],
  hypotheses: readonly Problem[],
  edges: readonly ProblemEdge[],
): { readonly hypotheses: readonly Problem[]; readonly edges: readonly ProblemEdge[] } {
  const taken = observed.map(({ id }) => Number(/^p(\d+)$/.exec(id)?.[1] ?? 0));
  const first = Math.max(0, ...taken) + 1;
  const ids = new Map(hypotheses.map(({ id }, at) => [id, `p${first + at}`]));
  const named = (id: string): string => ids.get(id) ?? id;
  return {
    hypotheses: hypotheses.map((one) => ({
      ...one,
      id: named(one.id),
      ...(one.expected?.parent == null ? {} : { expected: { ...one.expected, parent: named(one.expected.parent) } }),
    })),
    edges: edges.map((edge) => ({ ...edge, from: named(edge.from), to: named(edge.to) })),
  };
}

/** Whether anything in memory could lead to a hypothesis: only then is it worth asking which records apply. */
export function hasEdges(records: readonly ExperienceRecord[]): boolean {
  return records.some((record) => record.level === "L1" && record.body.edges.length > 0);
}
