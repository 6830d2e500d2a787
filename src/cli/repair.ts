import { constants } from "node:fs";
import { access, mkdir, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { composeGit, composeRepair, composeWorld } from "../compose.ts";
import { type Config, readConfig } from "../config.ts";
import type { Outcome } from "../domain/outcome.ts";
import { DEFAULT_POLICY } from "../domain/policy.ts";
import { type Switches, switchesOf } from "../domain/switches.ts";
import { type MemoryScope, memoryScope } from "../pipeline/recall.ts";
import { type Repaired, repairRun } from "../pipeline/repair-run.ts";
import type { RepositoryFacts } from "../ports/git.ts";
import type { World } from "../ports/world.ts";
import { NOTHING_TOLD } from "../repair/requirement.ts";
import { checkEngine } from "./engine-needs.ts";
import { UsageError } from "./exit.ts";
import { openClone, readEvidenceOf, usage } from "./read-inputs.ts";
import { readLocations } from "./read-locations.ts";
import { exitOf, printOutcome } from "./render-outcome.ts";
import { repositoryIdentity, workflowPath } from "./repository-identity.ts";
import { stoppable } from "./stop-signals.ts";

export interface RepairOptions {
  readonly repo: string;
  readonly log: string;
  readonly at: string;
  readonly workflow?: string;
  readonly runJson?: string;
  readonly engine: Switches["engine"];
  readonly patch?: string;
  readonly branch?: string;
  readonly apply?: boolean;
  readonly maxUsd?: number;
  readonly profile: Switches["profile"];
  readonly localization: Switches["localization"];
  /** Labelled places, for `line` and `method`. */
  readonly locations?: string;
  /** `--no-experience`. */
  readonly experience?: boolean;
  /** `owner/name` to go by instead of the origin's. */
  readonly as?: string;
  readonly json?: boolean;
}

/** `retrace repair --repo`: the whole pipeline on a local clone (design §5). */
export async function repair(options: RepairOptions): Promise<number> {
  return stoppable((signal) => repairUnless(signal, options));
}

async function repairUnless(signal: AbortSignal, options: RepairOptions): Promise<number> {
  checkFlags(options);
  const config = readConfig();
  checkEngine(options.engine, config);
  const places = await readLocations(options.locations, options.localization);
  const world = composeWorld();
  const facts = await usage(composeGit(config, world).inspect(options.repo));
  if (options.apply === true && facts.bare)
    throw new UsageError(`${options.repo} has no work tree to apply a patch to`);
  if (options.branch !== undefined) await checkBranch(options.repo, options.branch, config, world);
  if (options.patch !== undefined) await checkPatchFile(options.patch);
  const clone = await openClone(options.repo, options.at, config, world);
  const tell = (line: string): void => void process.stderr.write(`${line}\n`);
  warn(facts, config, options, tell);
  const { evidence, workflow } = await readEvidenceOf({ ...options, source: options.log, files: clone.files }, tell);
  const repaired = await repairRun(
    {
      id: world.id("rep"),
      evidence,
      from: options.repo,
      commit: clone.commit,
      lend: facts,
      policy: DEFAULT_POLICY,
      switches: { ...switchesOf(options.profile), engine: options.engine, localization: options.localization },
      memory: options.experience === false ? null : localMemory(options, facts, workflow),
      maxUsd: options.maxUsd ?? null,
      change: { base: null, told: NOTHING_TOLD, labelled: places },
      signal,
    },
    composeRepair(config, world, tell),
  );
  try {
    // From here on the clone may be written to: that is done whole or not at all.
    signal.throwIfAborted();
    const outcome = await deliverOrKeep(repaired, options, clone.commit, config, world);
    printOutcome(outcome, options.json === true, config.colour);
    return exitOf(outcome);
  } finally {
    await repaired.copy?.remove();
  }
}

/** A local repository's identity is its origin's, else its folder's name (design §5). */
function localMemory({ as }: RepairOptions, facts: RepositoryFacts, workflow: string | null): MemoryScope {
  const repo = as ?? repositoryIdentity(facts);
  return memoryScope(repo, workflow === null ? null : workflowPath(workflow, facts.root), "command-line");
}

function checkFlags({ patch, branch, apply }: RepairOptions): void {
  const given = [
    patch !== undefined && "--patch",
    branch !== undefined && "--branch",
    apply === true && "--apply",
  ].filter((flag) => flag !== false);
  if (given.length > 1) throw new UsageError(`${given.join(" and ")} do not go together: choose one`);
}

async function checkBranch(repo: string, branch: string, config: Config, world: World): Promise<void> {
  const complaint = await usage(composeGit(config, world).branchComplaint(repo, branch));
  if (complaint !== null) throw new UsageError(complaint);
}

/** A repair may cost money: where its patch cannot go is said before it. */
async function checkPatchFile(file: string): Promise<void> {
  const full = path.resolve(file);
  try {
    await access(path.dirname(full), constants.W_OK);
    const there = await stat(full).catch(() => null);
    if (there === null) return;
    if (there.isDirectory()) throw new UsageError(`--patch: ${file} is a folder`);
    await access(full, constants.W_OK);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`--patch: ${file} cannot be written`);
  }
}

function warn(facts: RepositoryFacts, config: Config, options: RepairOptions, tell: (line: string) => void): void {
  if (facts.uncommitted.length > 0) {
    const shown = facts.uncommitted.slice(0, 10).join(", ");
    const more = facts.uncommitted.length > 10 ? ` and ${facts.uncommitted.length - 10} more` : "";
    tell(`uncommitted changes are left out: ${shown}${more}`);
  }
  if (options.maxUsd !== undefined && config.model !== null && config.model.price === null) {
    tell("--max-usd does not bind without RETRACE_MODEL_PRICE: tokens per repair do");
  }
}

/** A repair that was made and cannot be handed over is not lost: its patch is kept, and the mistake says where. */
async function deliverOrKeep(
  repaired: Repaired,
  options: RepairOptions,
  commit: string,
  config: Config,
  world: World,
): Promise<Outcome> {
  try {
    return await deliver(repaired, options, commit, config, world);
  } catch (error) {
    if (!(error instanceof UsageError) || repaired.outcome.patch === null) throw error;
    const file = path.join(config.dataDir, "patches", `${world.id("patch")}.patch`);
    await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
    await writeFile(file, repaired.outcome.patch, { mode: 0o600 });
    throw new UsageError(`${error.message}; the patch is kept in ${file}`);
  }
}

/** Hands the result over as asked; only a patch that was verified is applied or committed. */
async function deliver(
  { outcome, commits, copy }: Repaired,
  options: RepairOptions,
  commit: string,
  config: Config,
  world: World,
): Promise<Outcome> {
  if (options.patch !== undefined && outcome.patch !== null) {
    await writePatch(options.patch, outcome.patch);
    say(`patch written to ${options.patch}`);
  }
  if (outcome.ended !== "repaired" || copy === null || outcome.patch === null) return outcome;
  const git = composeGit(config, world);
  if (options.apply === true) {
    await usage(git.applyToWorkTree(options.repo, outcome.patch));
    say(`applied to the work tree of ${options.repo}`);
  }
  if (options.branch === undefined) return outcome;
  const made = await usage(
    git.commitOnBranch(
      options.repo,
      options.branch,
      commit,
      commits.map((one) => ({ copy, ...one })),
    ),
  );
  say(`branch ${options.branch} made, ${made.length} ${made.length === 1 ? "commit" : "commits"}`);
  const byProblem = new Map(commits.map(({ problem }, index) => [problem, made[index] ?? null]));
  const problems = outcome.problems.map((problem) => ({ ...problem, commit: byProblem.get(problem.id) ?? null }));
  return { ...outcome, problems };
}

/** What was done with the result; stdout holds the result alone. */
function say(line: string): void {
  process.stderr.write(`${line}\n`);
}

async function writePatch(file: string, patch: string): Promise<void> {
  try {
    await writeFile(path.resolve(file), patch);
  } catch {
    throw new UsageError(`--patch: ${file} cannot be written`);
  }
}
