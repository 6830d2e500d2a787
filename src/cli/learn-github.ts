import path from "node:path";
import { composeReaders, composeRemoteGit } from "../compose.ts";
import { composeTokenGitHub } from "../compose-github.ts";
import { composeGit, composeLearn, composeWorld } from "../compose-learn.ts";
import { readApiUrl, readConfig, readGitHubToken } from "../config.ts";
import { toEpisodesDocument } from "../experience/reconstruct/to-json.ts";
import { GreenMemory } from "../pipeline/green-runs.ts";
import { DEFAULT_PULL_REQUESTS, learnGitHub } from "../pipeline/learn-github.ts";
import { EnvironmentError, EXIT, UsageError } from "./exit.ts";
import { askedOfGitHub } from "./github-mistakes.ts";
import { renderEpisode } from "./render-episode.ts";
import { stoppable } from "./stop-signals.ts";

export interface LearnFromGitHubOptions {
  readonly github: string;
  readonly pr?: number;
  readonly limit?: number;
  /** Days. */
  readonly since?: number;
  readonly json?: boolean;
}

const DAY_MS = 86_400_000;

/** `retrace learn --github OWNER/NAME`: the repairs that pull requests there hold (design §5). */
export async function learnFromGitHub(options: LearnFromGitHubOptions): Promise<number> {
  const [owner, name, ...more] = options.github.split("/");
  if (!owner || !name || more.length > 0) throw new UsageError(`--github: ${options.github} is not OWNER/NAME`);
  const token = readGitHubToken();
  if (token === null)
    throw new EnvironmentError("GITHUB_TOKEN is not set: a token that may read the repository and its runs");
  const config = readConfig();
  const world = composeWorld();
  const tell = (line: string): void => void process.stderr.write(`${line}\n`);
  const since = options.since === undefined ? null : new Date(world.now().getTime() - options.since * DAY_MS);
  return stoppable(async (signal) => {
    const learned = await askedOfGitHub(
      learnGitHub(
        composeTokenGitHub(token, readApiUrl()),
        {
          owner,
          name,
          pullRequest: options.pr ?? null,
          limit: options.limit ?? DEFAULT_PULL_REQUESTS,
          since,
          signal,
        },
        {
          git: composeGit(config, world),
          remoteGit: composeRemoteGit(config),
          learnFor: (as) => composeLearn(config, world, tell, { ...as, tenant: "local" }),
          readers: composeReaders,
          green: new GreenMemory(),
          world,
          workFolder: path.join(config.dataDir, "work"),
          tell,
        },
      ),
    );
    if (learned.length === 0) tell("nothing to learn: no red run that a later commit turned green");
    const text = options.json
      ? JSON.stringify(toEpisodesDocument(learned), null, 2)
      : learned.map((one) => renderEpisode(one, config.colour)).join("\n\n");
    if (text !== "") process.stdout.write(`${text}\n`);
    return EXIT.done;
  });
}
