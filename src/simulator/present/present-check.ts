import { readCommit } from "../git/read-history.ts";
import type { CheckRun, CheckSuite, Conclusion, PullRequest, Repository, Status } from "../state/nouns.ts";
import { nodeId, type Simulation } from "../state/simulation.ts";
import { presentHeadCommit } from "./present-commit.ts";
import { presentPullMinimal } from "./present-pull.ts";
import { presentRepository, repositoryPage, repositoryUrl } from "./present-repository.ts";
import { presentApp } from "./present-user.ts";

/** `check-run` */
export function presentCheckRun(simulation: Simulation, repository: Repository, run: CheckRun) {
  const url = `${repositoryUrl(simulation, repository)}/check-runs/${run.id}`;
  const page = `${repositoryPage(simulation, repository)}/runs/${run.id}`;
  return {
    id: run.id,
    node_id: nodeId("CR", run.id),
    head_sha: run.headSha,
    name: run.name,
    external_id: run.externalId,
    url,
    html_url: page,
    details_url: run.detailsUrl ?? page,
    status: run.status,
    conclusion: run.conclusion,
    started_at: run.startedAt,
    completed_at: run.completedAt,
    output: { ...run.output, annotations_count: run.annotations.length, annotations_url: `${url}/annotations` },
    check_suite: { id: run.suite.id },
    app: presentApp(simulation, run.suite.app),
    pull_requests: pullsOf(repository, run.suite).map((pull) => presentPullMinimal(simulation, repository, pull)),
  };
}

/** `check-suite` */
export async function presentCheckSuite(simulation: Simulation, repository: Repository, suite: CheckSuite) {
  const url = `${repositoryUrl(simulation, repository)}/check-suites/${suite.id}`;
  const commit = await readCommit(repository.git, suite.headSha);
  const { status, conclusion } = suiteState(repository, suite);
  return {
    id: suite.id,
    node_id: nodeId("CS", suite.id),
    head_branch: suite.headBranch,
    head_sha: suite.headSha,
    status,
    conclusion,
    url,
    before: suite.before,
    after: suite.headSha,
    pull_requests: pullsOf(repository, suite).map((pull) => presentPullMinimal(simulation, repository, pull)),
    app: presentApp(simulation, suite.app),
    repository: presentRepository(simulation, repository),
    created_at: suite.createdAt,
    updated_at: suite.updatedAt,
    head_commit: commit === null ? null : presentHeadCommit(commit),
    latest_check_runs_count: runsOf(repository, suite).length,
    check_runs_url: `${url}/check-runs`,
  };
}

/** The check runs of a suite that count: with one name the newest. */
export function latestRuns(runs: readonly CheckRun[]): CheckRun[] {
  return [...new Map(runs.map((run) => [`${run.suite.id} ${run.name}`, run])).values()];
}

function runsOf(repository: Repository, suite: CheckSuite): CheckRun[] {
  return latestRuns(repository.checkRuns.filter((run) => run.suite === suite));
}

function suiteState(repository: Repository, suite: CheckSuite): { status: Status; conclusion: Conclusion | null } {
  const attempt = suite.run?.attempts.at(-1);
  if (attempt !== undefined) return { status: attempt.status, conclusion: attempt.conclusion };
  const runs = runsOf(repository, suite);
  if (runs.length === 0) return { status: "queued", conclusion: null };
  if (runs.some((run) => run.status !== "completed")) return { status: "in_progress", conclusion: null };
  const worst: readonly Conclusion[] = ["failure", "timed_out", "cancelled", "action_required"];
  return {
    status: "completed",
    conclusion: worst.find((one) => runs.some((run) => run.conclusion === one)) ?? "success",
  };
}

/** Same-repository pull requests of the suite's branch; a fork's are left out, as at GitHub. */
function pullsOf(repository: Repository, suite: CheckSuite): PullRequest[] {
  return repository.pulls.filter(
    (pull) => pull.state === "open" && pull.head.repository === repository && pull.head.ref === suite.headBranch,
  );
}
