import type { Check, CheckRow } from "../domain/check.ts";
import type { GuardVerdict } from "../domain/patch.ts";
import type { Policy } from "../domain/policy.ts";
import type { Problem } from "../domain/problem.ts";
import type { TreeId, WorkingCopy } from "../ports/git.ts";
import type { Engine } from "../repair/engine.ts";
import { checkRow, type Judgement, type Reproduction } from "../repair/sequence.ts";
import { parseDiff } from "../text/diff.ts";
import { compareRuns } from "../validate/compare.ts";
import { type GuardInput, guardPatch } from "../validate/guard.ts";
import type { Reproducer } from "./reproduce.ts";

export interface PatchToJudge {
  readonly problem: Problem;
  readonly engine: Engine;
  readonly reproduction: Reproduction;
  /** The tree without the patch; the working copy holds the tree with it. */
  readonly from: TreeId;
  readonly copy: WorkingCopy;
  readonly policy: Policy;
  readonly reproducer: Reproducer;
}

export interface JudgedPatch extends Judgement {
  /** Why a person must look at it, a sentence each. */
  readonly needsPerson: readonly string[];
}

/** Guard first, then the failing check, then what passed before (papers §12.6). Leaves the tree as the checks left it. */
export async function judgePatch(work: PatchToJudge): Promise<JudgedPatch> {
  const { problem, reproduction, reproducer, from, copy } = work;
  const patched = await copy.snapshot();
  const guarded = await guard(work, patched);
  const needsPerson = guarded.needsPerson.map(sayFinding);
  const no = { accepted: false, refused: false, unproved: false, needsPerson } as const;
  if (guarded.refusals.length > 0) {
    const why = `refused by the guard: ${guarded.refusals.map(sayFinding).join("; ")}`;
    const row = checkRow(
      problem.id,
      reproduction.check,
      reproduction.before,
      null,
      "not run: the guard refused the patch",
    );
    return { ...no, refused: true, why, checks: [row] };
  }
  if (reproduction.reproduced !== "yes") {
    const reason = reproduction.reason ?? "the check could not be run here";
    const row = checkRow(problem.id, reproduction.check, reproduction.before, null, reason);
    return { ...no, unproved: true, why: `the patch could not be checked here: ${reason}`, checks: [row] };
  }
  const after = await reproducer.run(problem, reproduction.check);
  const compared = compareRuns(reproduction.before, after, reproduction.otherSignatures);
  const row = checkRow(
    problem.id,
    reproduction.check,
    reproduction.before,
    after,
    compared.verdict === "pass" ? null : compared.why,
  );
  if (!compared.cleared) {
    return { ...no, unproved: compared.verdict === "not-run", why: `with the patch ${compared.why}`, checks: [row] };
  }
  await copy.restore(patched);
  const others = await runOthers(work, patched, from);
  const checks = [row, ...others.rows];
  if (others.broken !== null)
    return { ...no, why: `the patch breaks \`${others.broken.command}\`, which passed before`, checks };
  return { ...no, accepted: true, why: compared.why, checks };
}

function sayFinding({ file, line, message }: GuardVerdict["refusals"][number]): string {
  return `${file}${line === null ? "" : `:${line}`}: ${message}`;
}

/** The job's checks that passed in CI. One that fails now is held against the patch only if it passes without it. */
async function runOthers(
  { problem, reproducer, copy }: PatchToJudge,
  patched: TreeId,
  from: TreeId,
): Promise<{ readonly rows: readonly CheckRow[]; readonly broken: Check | null }> {
  const rows: CheckRow[] = [];
  for (const check of reproducer.planOf(problem).alsoPassing) {
    const after = await reproducer.run(problem, check);
    await copy.restore(patched);
    if (after.exitCode === 0 || after.check.notRun !== null) {
      rows.push(checkRow(problem.id, check, null, after, after.check.notRun ?? "passed in CI"));
      continue;
    }
    await copy.restore(from);
    const before = await reproducer.run(problem, check);
    await copy.restore(patched);
    const broken = before.exitCode === 0;
    rows.push(
      checkRow(problem.id, check, before, after, broken ? "broken by the patch" : "fails here without the patch too"),
    );
    if (broken) return { rows, broken: check };
  }
  return { rows, broken: null };
}

async function guard(
  { problem, engine, reproduction, from, copy, policy }: PatchToJudge,
  patched: TreeId,
): Promise<GuardVerdict> {
  const patch = await copy.diff(from, patched);
  const paths = new Set(
    parseDiff(patch).flatMap(({ oldPath, newPath }) => [oldPath, newPath].filter((path) => path !== null)),
  );
  const before = await readAll(copy, from, paths);
  const after = await readAll(copy, patched, paths);
  const input: GuardInput = {
    patch,
    before: (path) => before.get(path) ?? null,
    after: (path) => after.get(path) ?? null,
    policy,
    category: problem.category,
    tool: problem.tool,
    engine: engine.name,
    failingCommand: reproduction.check.command,
    lockfileIsTheCheck: reproduction.check.installs && LOCKFILE_SAID.test(reproduction.before?.output ?? ""),
    occurrences: () => 0,
  };
  const strict = guardPatch(input);
  if (strict.refusals.length === 0) return strict;
  // Reading the whole repository is dear: only a patch that would be refused may plead a habit of the repository.
  const texts = await readAll(copy, from, (await copy.listFiles()).slice(0, HABIT_FILES));
  const whole = [...texts.values()].join("\n");
  return guardPatch({ ...input, occurrences: (text) => whole.split(text).length - 1 });
}

/** What package managers say when the lockfile itself is the trouble. */
const LOCKFILE_SAID = /lock ?-?file|package-lock|frozen-lockfile|immutable|in sync/i;
const HABIT_FILES = 2_000; // a habit shows in far fewer files; bounds memory in a huge repository

async function readAll(copy: WorkingCopy, tree: TreeId, paths: Iterable<string>): Promise<ReadonlyMap<string, string>> {
  const texts = new Map<string, string>();
  for (const path of paths) {
    const text = await copy.read(tree, path);
    if (text !== null) texts.set(path, text);
  }
  return texts;
}
