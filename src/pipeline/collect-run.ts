import type { Evidence } from "../domain/evidence.ts";
import type { Explanation, Incident } from "../domain/incident.ts";
import type { Repository, WorkflowRun } from "../domain/repository.ts";
import { collectGuessing } from "../evidence/collect.ts";
import { withAnnotations } from "../evidence/from-annotations.ts";
import type { WorkflowFile } from "../evidence/guess-workflow.ts";
import { mergeEvidence } from "../evidence/merge-evidence.ts";
import { type LogWish, openRunLogs } from "../evidence/run-logs.ts";
import type { CommitFiles } from "../ports/git.ts";
import type { GitHub } from "../ports/github.ts";
import { explanationOf, jobPages } from "../publish/explanation.ts";
import { loadCommandFacts } from "../tools/command-facts.ts";
import { NO_FACTS } from "../tools/resolve-command.ts";
import { calledWorkflows } from "./called-workflows.ts";
import { greenTemplates } from "./green-runs.ts";
import type { AppParts } from "./incident-parts.ts";
import { problemsOf } from "./problems-of.ts";

export interface Collected {
  readonly evidence: Evidence;
  readonly explanation: Explanation;
  /** What could not be read, for people. */
  readonly notes: readonly string[];
}

export type CollectParts = Pick<AppParts, "readers" | "world" | "green">;

/** Reads every failed run of an incident from GitHub. `files` are the failing commit's, null where it is not cloned. */
export async function collectRuns(
  github: GitHub,
  incident: Pick<Incident, "repository" | "headSha">,
  runs: readonly WorkflowRun[],
  files: CommitFiles | null,
  parts: CollectParts,
): Promise<Collected> {
  const pages = new Map<string, string>();
  const evidences: Evidence[] = [];
  const notes: string[] = [];
  for (const run of runs) {
    const read = await collectRun(github, incident.repository, incident.headSha, run, files, parts);
    evidences.push(read.evidence);
    notes.push(...read.notes);
    for (const [job, page] of read.pages) pages.set(job, page);
  }
  const evidence = mergeEvidence(evidences);
  return { evidence, explanation: explain(evidence, pages, parts), notes };
}

function explain(evidence: Evidence, pages: ReadonlyMap<string, string>, { readers }: CollectParts): Explanation {
  return explanationOf(evidence, (job) => pages.get(job) ?? null, problemsOf(evidence, readers(NO_FACTS).tools));
}

/** Reads one failed run as `explain` reads a log: with the workflows that its workflow calls, and less what is green. */
export async function collectRun(
  github: GitHub,
  repository: Repository,
  headSha: string,
  run: WorkflowRun,
  files: CommitFiles | null,
  { readers, world, green }: CollectParts,
  wish: LogWish = {},
) {
  const logs = await openRunLogs(github, repository, run, world, wish);
  const workflow = await readRunWorkflow(github, repository, headSha, run);
  const read = async (path: string): Promise<string | null> =>
    (await files?.read(path)) ?? github.file(repository, path, headSha);
  const facts = files === null ? NO_FACTS : await loadCommandFacts(files);
  // Without any log the steps' conclusions and the workflow file still tell which command failed.
  const { evidence } = await collectGuessing({
    source: logs.source,
    workflow,
    candidates: workflow === null ? [] : await calledWorkflows(workflow, read),
    jobs: logs.jobs,
    readers: readers(facts),
    repoFiles: files?.paths ?? null,
    ...(run.path === "" ? {} : { passing: (jobs) => greenTemplates(github, repository, run, jobs, green) }),
  });
  return {
    evidence: withAnnotations(evidence, logs.missing),
    notes: logs.missing.map(({ job, why }) => `${job.name}: ${why}; step results and annotations speak for it`),
    pages: jobPages(run.htmlUrl, logs.jobs),
  };
}

async function readRunWorkflow(
  github: GitHub,
  repository: Repository,
  headSha: string,
  { path }: WorkflowRun,
): Promise<WorkflowFile | null> {
  const text = path === "" ? null : await github.file(repository, path, headSha).catch(() => null);
  return text === null ? null : { path, text };
}
