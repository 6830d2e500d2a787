import type { FailureClass } from "../domain/category.ts";
import { type Check, type CheckRun, isSettled } from "../domain/check.ts";
import type { Failure } from "../domain/evidence.ts";
import { GitFailed, type TreeId } from "../ports/git.ts";
import { syntaxTree } from "../text/code-outline.ts";
import { redact } from "../text/redact.ts";
import { replaceFileDiff } from "../text/replace-file.ts";
import { TOOLS } from "../tools/tools.ts";
import { type ExecFeedback, sayRun } from "./exec-feedback.ts";
import type { Workbench } from "./workbench.ts";

/** A change to try: whole texts of files (null: the file goes), or a patch against the tree as it is. */
export type Candidate =
  | { readonly files: readonly { readonly path: string; readonly text: string | null }[] }
  | { readonly patch: string };

/** What a candidate is held against. A `RepairTask` is one. */
export interface TrialTask {
  readonly check: Check;
  /** What the check said on the tree without the candidate; null when it could not be run. */
  readonly before: CheckRun | null;
  /** Signatures of other problems: they may stay. */
  readonly otherSignatures: readonly string[];
}

/** 0: it does not apply, parse, install or build. 1: it does, and the check is not clean. 2: the target is gone, nothing is new. */
export type Score = 0 | 1 | 2;

export interface Trial {
  readonly score: Score;
  readonly sub: {
    /** Share of the target's failures that are gone, 0 to 1. */
    readonly targetFixed: number;
    /** Failures that were not there before. */
    readonly newFailures: number;
  };
  readonly feedback: ExecFeedback;
  readonly resolved: readonly string[];
  readonly persisting: readonly string[];
  readonly introduced: readonly string[];
  /** Against the tree it was tried on; null when it could not be put there or changes nothing. */
  readonly patch: string | null;
  /** Null when nothing was run. */
  readonly run: CheckRun | null;
}

/**
 * Puts a candidate into the bench's tree, runs the check, compares what it shows with what it showed before, and gives
 * the tree back as it was. Where nothing can be run the score is at most 1 (papers §12.6). Never throws for what the
 * candidate or a command does.
 */
export async function tryCandidate(candidate: Candidate, task: TrialTask, bench: Workbench): Promise<Trial> {
  const { copy } = bench;
  const start = await copy.snapshot();
  try {
    const complaint = await put(candidate, start, bench);
    if (complaint !== null) return failedBuild(`the change cannot be applied: ${complaint}`, task);
    const tree = await copy.snapshot();
    const patch = await copy.diff(start, tree);
    if (patch === "") return unchanged(task);
    return { ...(await judge(task, { start, tree }, bench)), patch };
  } catch (error) {
    // A command can leave a tree that git cannot read.
    if (error instanceof GitFailed) return failedBuild(`the tree cannot be read any more: ${error.message}`, task);
    throw error;
  } finally {
    await copy.restore(start);
  }
}

/** Null when it is in place, else one line. Goes through git, which writes to no file outside of the tree. */
async function put(candidate: Candidate, start: TreeId, { copy }: Workbench): Promise<string | null> {
  if ("patch" in candidate) return copy.apply(candidate.patch);
  const patches: string[] = [];
  for (const { path, text } of candidate.files) {
    patches.push(replaceFileDiff(path, await copy.read(start, path), text));
  }
  return copy.apply(patches.join(""));
}

type Judged = Omit<Trial, "patch">;

async function judge(
  task: TrialTask,
  trees: { readonly start: TreeId; readonly tree: TreeId },
  bench: Workbench,
): Promise<Judged> {
  const broken = await firstBrokenFile(trees, bench);
  const { check } = task;
  if (check.notRun !== null) return withoutRunning(broken, check.notRun, task);
  const run = await bench.runCheck(check);
  const sets = compare(task, run);
  const { persisting } = sets;
  // A run that shows a known failure has said something about the code, whatever else it lacks.
  if (run.check.notRun !== null && persisting.length === 0 && run.exitCode !== 0) {
    return { ...withoutRunning(broken, run.check.notRun, task), run };
  }
  return { ...scoreRun(task, run, sets, broken), ...sets, run };
}

interface Sets {
  readonly resolved: readonly string[];
  readonly persisting: readonly string[];
  readonly introduced: readonly string[];
}

function compare({ before, otherSignatures }: TrialTask, run: CheckRun): Sets {
  const was = before?.signatures ?? [];
  const now = run.exitCode === 0 ? [] : run.signatures;
  const ended = run.exitCode === 0 || (run.exitCode !== null && now.length > 0);
  // What did not come to its end, or ended without saying where it failed, has resolved nothing that we know of.
  if (!ended) return { resolved: [], persisting: was, introduced: [] };
  const failures = run.exitCode === 0 ? [] : (run.failures ?? []);
  // A test that fails with another value is the same failure to whoever repairs it, though its signature is another.
  const same = sameTests(before?.failures ?? [], failures);
  const persisting = was.filter((signature) => now.includes(signature) || same.before.has(signature));
  return {
    resolved: was.filter((signature) => !persisting.includes(signature)),
    persisting,
    introduced: now.filter(
      (signature) => !was.includes(signature) && !otherSignatures.includes(signature) && !same.after.has(signature),
    ),
  };
}

function sameTests(
  before: readonly Failure[],
  after: readonly Failure[],
): { readonly before: ReadonlySet<string>; readonly after: ReadonlySet<string> } {
  const isSame = (a: Failure, b: Failure): boolean => a.testId !== null && a.testId === b.testId && a.tool === b.tool;
  const signaturesOf = (some: readonly Failure[], others: readonly Failure[]) =>
    new Set(some.filter((one) => others.some((other) => isSame(one, other))).map(({ signature }) => signature));
  return { before: signaturesOf(before, after), after: signaturesOf(after, before) };
}

function scoreRun(
  task: TrialTask,
  run: CheckRun,
  sets: Sets,
  broken: string | null,
): Pick<Trial, "score" | "sub" | "feedback"> {
  const target = (task.before?.signatures ?? []).filter((signature) => !task.otherSignatures.includes(signature));
  const gone = target.filter((signature) => sets.resolved.includes(signature));
  const settled = isSettled(run, task.otherSignatures) && sets.introduced.length === 0;
  const share = target.length === 0 ? Number(settled) : gone.length / target.length;
  const sub = { targetFixed: share, newFailures: sets.introduced.length };
  if (settled && !run.timedOut) return { score: 2, sub, feedback: PASSED };
  const fresh = (run.failures ?? []).filter(({ signature }) => sets.introduced.includes(signature));
  // Where the build itself is what has to be repaired, it failing in another way is no worse than before.
  const known = (task.before?.failures ?? []).map(({ category }) => category);
  const found = (run.failures ?? []).filter(({ signature }) => !task.before?.signatures.includes(signature));
  const notBuilt = found.filter((one) => !known.includes(one.category) && isBuildFailure(one, broken));
  // Without a reader a file that no longer parses is the best word there is on why the check fails.
  const unread = broken !== null && run.signatures.length === 0 && !run.timedOut;
  if (notBuilt.length > 0 || unread) {
    const feedback = sayRun("build", notBuilt, run, broken ?? "");
    return { score: 0, sub: { ...sub, targetFixed: 0 }, feedback };
  }
  const all = target.length > 0 && gone.length === target.length;
  const shown = all ? fresh : (run.failures ?? []).filter((one) => !task.otherSignatures.includes(one.signature));
  return { score: 1, sub, feedback: sayRun(all ? "regression" : "trigger", shown, run, "") };
}

const PASSED: ExecFeedback = { stage: "none", message: "the check passes", failing: [], timedOut: false };

/** Classes of which none can be there once a program has been built and its tests have begun. */
const BUILD_CLASSES: readonly FailureClass[] = [
  "syntax_error",
  "type_checking",
  "package_install_error",
  "dependency_issue",
];
const BUILD_KINDS: readonly string[] = ["install", "build", "type"];

/** A test that parses text of its own can end with a syntax error too: there the candidate's files decide. */
function isBuildFailure({ category, tool, testId }: Failure, broken: string | null): boolean {
  if (category === "syntax_error" && testId !== null) return broken !== null;
  if (BUILD_CLASSES.includes(category)) return true;
  const kind = TOOLS.find(({ name }) => name === tool)?.kind;
  return kind !== undefined && BUILD_KINDS.includes(kind);
}

/** The first file that parsed before the candidate and does not with it, as a sentence; null when there is none. */
async function firstBrokenFile(
  { start, tree }: { readonly start: TreeId; readonly tree: TreeId },
  { copy }: Workbench,
): Promise<string | null> {
  for (const file of await copy.changedFiles(start, tree)) {
    const [was, is] = [await copy.read(start, file), await copy.read(tree, file)];
    const lines = is === null ? [] : errorLines(file, is);
    // Grammars lag behind their languages: what they could not read before says nothing now.
    if (lines.length > 0 && (was === null || errorLines(file, was).length === 0)) {
      return `${file}:${lines[0]} does not parse`;
    }
  }
  return null;
}

/** 1-based lines at which a text stops being code of its language. */
function errorLines(path: string, text: string): readonly number[] {
  const root = syntaxTree(path, text);
  return root === null ? [] : root.findAll({ rule: { kind: "ERROR" } }).map((node) => node.range().start.line + 1);
}

function withoutRunning(broken: string | null, notRun: string, task: TrialTask): Judged {
  if (broken !== null) return failedBuild(broken, task);
  return {
    ...nothingKnown(task),
    score: 1,
    feedback: { stage: "none", message: `not run: ${redact(notRun)}`, failing: [], timedOut: false },
  };
}

function failedBuild(message: string, task: TrialTask): Trial {
  const feedback = { stage: "build", message: redact(message), failing: [], timedOut: false } as const;
  return { ...nothingKnown(task), score: 0, feedback, patch: null };
}

function unchanged(task: TrialTask): Trial {
  const feedback = { stage: "trigger", message: "it changes nothing", failing: [], timedOut: false } as const;
  return { ...nothingKnown(task), score: 1, feedback, patch: null };
}

function nothingKnown({ before }: TrialTask): Omit<Trial, "score" | "feedback" | "patch"> {
  return {
    sub: { targetFixed: 0, newFailures: 0 },
    resolved: [],
    persisting: before?.signatures ?? [],
    introduced: [],
    run: null,
  };
}

/** Better ones first, as TraceRepair's product rule reads what was run (papers G31, G33): score, share of the target, new failures. */
export function compareTrials(a: Pick<Trial, "score" | "sub">, b: Pick<Trial, "score" | "sub">): number {
  return b.score - a.score || b.sub.targetFixed - a.sub.targetFixed || a.sub.newFailures - b.sub.newFailures;
}
