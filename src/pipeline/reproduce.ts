import { commitInRoom } from "../agent/commit-in-room.ts";
import type { Check, CheckRun } from "../domain/check.ts";
import type { Evidence } from "../domain/evidence.ts";
import type { Policy } from "../domain/policy.ts";
import type { Problem } from "../domain/problem.ts";
import type { WorkingCopy } from "../ports/git.ts";
import type { SandboxRoom } from "../ports/sandbox.ts";
import { asksGit, generatorsBefore } from "../repair/engines/autofix/generator-fixes.ts";
import type { Reproduction } from "../repair/sequence.ts";
import { stripAnsi } from "../text/ansi.ts";
import { redact } from "../text/redact.ts";
import type { CommandFacts } from "../tools/resolve-command.ts";
import type { Tool } from "../tools/tool.ts";
import { checkFor } from "../validate/check-for.ts";
import { judgeReproduction, runtimeDifferences } from "../validate/compare.ts";
import type { LentFolder } from "../validate/lend.ts";
import { planValidation, type ValidationPlan } from "../validate/plan.ts";
import { type ReadFailures, runCheck } from "../validate/run.ts";
import { readRuntimes } from "../validate/runtimes.ts";
import { runSetup, type SetupResult } from "../validate/setup.ts";

export interface ReproducerParts {
  readonly evidence: Evidence;
  readonly problems: readonly Problem[];
  readonly policy: Policy;
  readonly facts: CommandFacts;
  readonly lent: readonly LentFolder[];
  readonly copy: WorkingCopy;
  readonly room: SandboxRoom;
  readonly readFailures: ReadFailures;
  readonly tools: readonly Tool[];
  readonly tell: (line: string) => void;
  readonly signal?: AbortSignal;
}

/** Runs the checks of one repair: what each problem needs is planned and set up once, and reproduced before anything else. */
export class Reproducer {
  private readonly parts: ReproducerParts;
  private readonly plans = new Map<string, ValidationPlan>();
  private readonly setups = new Map<string, Promise<SetupResult>>();

  constructor(parts: ReproducerParts) {
    this.parts = parts;
  }

  planOf(problem: Problem): ValidationPlan {
    const known = this.plans.get(problem.id);
    if (known !== undefined) return known;
    const { evidence, policy, facts, lent } = this.parts;
    const plan = planValidation(problem, evidence, {
      validate: policy.validate,
      commands: facts,
      lent: lent.map(({ folder }) => folder),
      lentEnv: Object.assign({}, ...lent.map(({ env }) => env)),
    });
    this.plans.set(problem.id, plan);
    return plan;
  }

  /** The steps that CI ran in the check's job before it, as they would be run here. */
  earlierSteps(check: Check): readonly Check[] {
    const { validations } = this.parts.evidence;
    const own = validations.find(({ id }) => id === check.validation);
    if (own === undefined) return [];
    return validations
      .filter(
        (one) =>
          one.job === own.job && one.jobKey === own.jobKey && one.order < own.order && one.status === "successful",
      )
      .map((one) => checkFor(one, this.parts.facts));
  }

  /** Runs a check of a problem on the tree as it is, after the builds and generators it needs. */
  async run(problem: Problem, check: Check): Promise<CheckRun> {
    const { copy, room } = this.parts;
    if (!asksGit(check, this.parts)) return this.runPrepared(problem, check);
    // What it asks is asked of a commit, as in CI: of this tree's own changes nothing is to be seen.
    const tree = await copy.snapshot();
    await commitInRoom(room);
    const run = await this.runPrepared(problem, check);
    await copy.restore(tree);
    return run;
  }

  private async runPrepared(problem: Problem, check: Check): Promise<CheckRun> {
    const { room, readFailures, signal } = this.parts;
    const { prepare } = this.planOf(problem);
    const generators = this.generatorsBefore(check) ?? [];
    const known = prepare.map(({ validation }) => validation);
    for (const build of [...prepare, ...generators.filter(({ validation }) => !known.includes(validation))]) {
      const built = await runCheck(room, build, readFailures, signal);
      // A build that fails is the answer: the check after it would speak about something stale.
      if (built.exitCode !== 0) return { ...built, check };
    }
    return runCheck(room, check, readFailures, signal);
  }

  private generatorsBefore(check: Check): readonly Check[] | null {
    const { facts, tools } = this.parts;
    return generatorsBefore(check, { facts, tools, earlierSteps: (one) => this.earlierSteps(one) });
  }

  /** Sets up and runs a problem's check before anything is changed (design §9: reproduce first). */
  async reproduce(problem: Problem): Promise<Reproduction> {
    const { evidence, tell } = this.parts;
    const plan = this.planOf(problem);
    const otherSignatures = this.signaturesOf((failure) => !problem.failures.includes(failure));
    const nothing = { before: null, reproduced: "not-run", alreadyFixed: false, otherSignatures } as const;
    if (plan.check.notRun !== null) return { ...nothing, check: plan.check, reason: plan.check.notRun };
    const setup = await this.setUp(plan);
    if (setup.ended === "failed") return { ...nothing, check: { ...plan.check, notRun: setup.why }, reason: setup.why };
    tell(`${problem.id}: reproducing \`${firstLine(plan.check.command)}\``);
    const before = await this.run(problem, plan.check);
    const ci = {
      signatures: this.signaturesOf((failure) => problem.failures.includes(failure)),
      tool: plan.check.tool,
      exitCode: null,
    };
    const judged = judgeReproduction(ci, before, await this.differences(problem, plan, setup));
    // What did not reproduce proves nothing afterwards either: engines may think, but no run of theirs counts.
    const check =
      judged.reproduced === "yes" || judged.alreadyFixed ? plan.check : { ...plan.check, notRun: judged.reason };
    tell(`${problem.id}: ${judged.reproduced === "yes" ? "reproduced" : `not reproduced: ${judged.reason}`}`);
    const own = evidence.failures.filter(({ id }) => problem.failures.includes(id)).map(({ signature }) => signature);
    return { check, before, ...judged, otherSignatures: otherSignatures.filter((one) => !own.includes(one)) };
  }

  private signaturesOf(belongs: (failureId: string) => boolean): readonly string[] {
    const { failures } = this.parts.evidence;
    // A failure nobody has a log of is known by its command alone: there is nothing to compare.
    return failures.flatMap(({ id, signature }) => (belongs(id) && signature !== "" ? [signature] : []));
  }

  /** Once for each set of steps; what setup changed in tracked files is taken back, since it is no part of a repair. */
  private setUp(plan: ValidationPlan): Promise<SetupResult> {
    const key = JSON.stringify(plan.setup);
    const known = this.setups.get(key);
    if (known !== undefined) return known;
    const done = this.setUpOnce(plan);
    this.setups.set(key, done);
    return done;
  }

  private async setUpOnce({ setup }: ValidationPlan): Promise<SetupResult> {
    const { copy, room, signal, tell } = this.parts;
    if (setup.some(({ check }) => check.notRun === null)) tell("setting up: installing what the job installs");
    const tree = await copy.snapshot();
    const result = await runSetup(room, setup, signal);
    await copy.restore(tree);
    for (const note of result.notes) tell(note);
    if (result.ended === "failed") tell(`${result.why}; it said last: ${lastLines(result.outputTail)}`);
    return result;
  }

  /** In which ways a check runs otherwise here than in CI, a sentence each. */
  private async differences(problem: Problem, plan: ValidationPlan, setup: SetupResult): Promise<readonly string[]> {
    const validation = this.parts.evidence.validations.find(({ id }) => id === plan.check.validation);
    const asked = validation?.context.runtimes ?? {};
    const here = await readRuntimes(this.parts.room, Object.keys(asked), plan.check.env);
    const lent = plan.setup.flatMap(({ check }) => check.notRun ?? []).filter((reason) => reason.includes("was lent"));
    const failed = setup.notes.filter((note) => !note.includes(": not run, "));
    const unknown = this.generatorsBefore(plan.check)?.length === 0 ? [GENERATOR_UNKNOWN] : [];
    return [...runtimeDifferences(asked, here), ...lent, ...failed, ...unknown, ...(await this.strangeFiles(problem))];
  }

  /** A check that passes says nothing about a log whose files this commit does not have: it ran something else. */
  private async strangeFiles(problem: Problem): Promise<readonly string[]> {
    const { copy } = this.parts;
    const known = new Set(await copy.listFiles());
    const there = (file: string): boolean => known.has(file) || [...known].some((path) => path.endsWith(`/${file}`));
    const strange = problem.files.filter((file) => !there(file));
    return strange.length > 0 && strange.length === problem.files.length
      ? [`the log names ${strange[0]}, which this commit does not have`]
      : [];
  }
}

const SHOWN_LINES = 4; // enough to see what a package manager missed

function lastLines(output: string): string {
  const lines = stripAnsi(output)
    .split("\n")
    .map((line) => line.trim());
  return redact(
    lines
      .filter((line) => line !== "")
      .slice(-SHOWN_LINES)
      .join(" | "),
  );
}

const GENERATOR_UNKNOWN = "what wrote the files in CI before it asked git for changes is not known";

function firstLine(command: string): string {
  return command.trim().split("\n")[0] ?? "";
}
