import { composeGit, composeLearn, composeWorld } from "../compose-learn.ts";
import { readConfig } from "../config.ts";
import type { Evidence } from "../domain/evidence.ts";
import { toEpisodeDocument } from "../experience/reconstruct/to-json.ts";
import { learnRepair } from "../pipeline/learn-repair.ts";
import { EXIT, UsageError } from "./exit.ts";
import { openClone, readEvidenceOf, usage } from "./read-inputs.ts";
import { renderEpisode } from "./render-episode.ts";
import { repositoryIdentity, workflowPath } from "./repository-identity.ts";

export interface LearnOptions {
  readonly repo: string;
  readonly fail: string;
  readonly pass: string;
  readonly log?: string;
  readonly workflow?: string;
  readonly runJson?: string;
  readonly as?: string;
  readonly json?: boolean;
}

/** Without a log nothing failed that we could name: what is left is what became of the changes. */
const NO_EVIDENCE: Evidence = {
  failures: [],
  validations: [],
  graph: { nodes: [], edges: [] },
  quality: { logs: false, yaml: false, parsedShare: 0 },
};

/** `retrace learn --repo`: which change between a red commit and a green one repaired which problem (design §5). */
export async function learn(options: LearnOptions): Promise<number> {
  const config = readConfig();
  const world = composeWorld();
  const tell = (line: string): void => void process.stderr.write(`${line}\n`);
  const facts = await usage(composeGit(config, world).inspect(options.repo));
  const failing = await openClone(options.repo, options.fail, config, world);
  const passing = await openClone(options.repo, options.pass, config, world);
  if (failing.commit === passing.commit) {
    throw new UsageError(`--fail and --pass are the same commit: a run that is red, then green there shows a flake`);
  }
  const { log } = options;
  const read =
    log === undefined
      ? { evidence: NO_EVIDENCE, workflow: options.workflow ?? null }
      : await readEvidenceOf({ ...options, source: log, files: failing.files }, tell);
  if (log === undefined) tell("without --log no failure is known: only what became of the changes is told");
  const learned = await usage(
    learnRepair(
      {
        repo: options.as ?? repositoryIdentity(facts),
        workflow: read.workflow === null ? null : workflowPath(read.workflow, facts.root),
        pr: null,
        from: options.repo,
        failSha: failing.commit,
        passSha: passing.commit,
        evidence: read.evidence,
        pushes: [],
        exposed: [],
      },
      composeLearn(config, world, tell),
    ),
  );
  const text = options.json
    ? JSON.stringify(toEpisodeDocument(learned), null, 2)
    : renderEpisode(learned, config.colour);
  process.stdout.write(`${text}\n`);
  return EXIT.done;
}
