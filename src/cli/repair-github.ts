import { composeGit, composeReaders, composeRemoteGit, composeRepair, composeWorld } from "../compose.ts";
import { composeTokenGitHub } from "../compose-github.ts";
import { readApiUrl, readConfig, readGitHubToken } from "../config.ts";
import type { Switches } from "../domain/switches.ts";
import { GreenMemory } from "../pipeline/green-runs.ts";
import { repairGitHubRun } from "../pipeline/repair-github-run.ts";
import { checkEngine } from "./engine-needs.ts";
import { EnvironmentError, UsageError } from "./exit.ts";
import { askedOfGitHub } from "./github-mistakes.ts";
import { readLocations } from "./read-locations.ts";
import { exitOf, printOutcome } from "./render-outcome.ts";
import { stoppable } from "./stop-signals.ts";

export interface RepairGitHubOptions {
  readonly github: string;
  readonly run: string;
  readonly publish?: boolean;
  readonly engine: Switches["engine"];
  readonly profile: Switches["profile"];
  readonly localization: Switches["localization"];
  /** Labelled places, for `line` and `method`. */
  readonly locations?: string;
  readonly maxUsd?: number;
  /** `--no-experience`. */
  readonly experience?: boolean;
  readonly json?: boolean;
}

/** `retrace repair --github OWNER/NAME --run ID`: the same on a run at GitHub (design §5). */
export async function repairGitHub(options: RepairGitHubOptions): Promise<number> {
  const [owner, name, ...more] = options.github.split("/");
  if (!owner || !name || more.length > 0) throw new UsageError(`--github: ${options.github} is not OWNER/NAME`);
  if (!/^[1-9]\d*$/.test(options.run)) throw new UsageError(`--run: ${options.run} is not a run's id`);
  const runId = Number(options.run);
  const token = readGitHubToken();
  if (token === null)
    throw new EnvironmentError("GITHUB_TOKEN is not set: a token that may read the repository and its runs");
  const config = readConfig();
  checkEngine(options.engine, config);
  const labelled = await readLocations(options.locations, options.localization);
  const world = composeWorld();
  const tell = (line: string): void => void process.stderr.write(`${line}\n`);
  return stoppable(async (signal) => {
    const repaired = await askedOfGitHub(
      repairGitHubRun(
        composeTokenGitHub(token, readApiUrl()),
        {
          owner,
          name,
          runId,
          publish: options.publish === true,
          switches: { engine: options.engine, profile: options.profile, localization: options.localization },
          labelled,
          experience: options.experience !== false,
          maxUsd: options.maxUsd ?? null,
          signal,
        },
        {
          git: composeGit(config, world),
          remoteGit: composeRemoteGit(config),
          repair: composeRepair(config, world, tell),
          readers: composeReaders,
          green: new GreenMemory(),
          world,
          tell,
        },
      ),
    );
    printOutcome(repaired.outcome, options.json === true, config.colour);
    if (repaired.pullRequest !== null) tell(`pull request: ${repaired.pullRequest}`);
    return exitOf(repaired.outcome);
  });
}
