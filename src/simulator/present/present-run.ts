import { readCommit } from "../git/read-history.ts";
import type { Attempt, Job, Repository, Run, Workflow } from "../state/nouns.ts";
import { nodeId, type Simulation } from "../state/simulation.ts";
import { presentHeadCommit } from "./present-commit.ts";
import { presentPullMinimal } from "./present-pull.ts";
import { presentRepository, repositoryPage, repositoryUrl } from "./present-repository.ts";
import { presentUser } from "./present-user.ts";

/** `workflow-run`, as one of its attempts sees it */
export async function presentRun(simulation: Simulation, run: Run, attempt: Attempt) {
  const { repository, pull, suite } = run;
  const base = repositoryUrl(simulation, repository);
  const url = `${base}/actions/runs/${run.id}`;
  const commit = await readCommit(run.repository.git, run.headSha);
  const isFork = run.headRepository !== repository;
  return {
    id: run.id,
    name: run.name,
    node_id: nodeId("WFR", run.id),
    check_suite_id: suite.id,
    check_suite_node_id: nodeId("CS", suite.id),
    head_branch: run.headBranch,
    head_sha: run.headSha,
    path: run.workflow.path,
    display_title: run.displayTitle,
    run_number: run.number,
    run_attempt: attempt.number,
    referenced_workflows: [],
    event: run.event,
    status: attempt.status,
    conclusion: attempt.conclusion,
    workflow_id: run.workflow.id,
    url,
    html_url: `${repositoryPage(simulation, repository)}/actions/runs/${run.id}`,
    // Empty for forks: GitHub does not say there which pull request it was.
    pull_requests: pull === null || isFork ? [] : [presentPullMinimal(simulation, repository, pull)],
    created_at: run.createdAt,
    updated_at: attempt.updatedAt,
    run_started_at: attempt.startedAt,
    actor: presentUser(simulation, run.actor),
    triggering_actor: presentUser(simulation, run.actor),
    jobs_url: `${url}/jobs`,
    logs_url: `${url}/logs`,
    check_suite_url: `${base}/check-suites/${suite.id}`,
    artifacts_url: `${url}/artifacts`,
    cancel_url: `${url}/cancel`,
    rerun_url: `${url}/rerun`,
    previous_attempt_url: attempt.number > 1 ? `${url}/attempts/${attempt.number - 1}` : null,
    workflow_url: `${base}/actions/workflows/${run.workflow.id}`,
    head_commit: commit === null ? null : presentHeadCommit(commit),
    repository: presentRepository(simulation, repository),
    head_repository: presentRepository(simulation, run.headRepository),
  };
}

/** `job` */
export function presentJob(simulation: Simulation, run: Run, attempt: Attempt, job: Job) {
  const base = repositoryUrl(simulation, run.repository);
  const isPlaced = job.runnerName !== null;
  return {
    id: job.id,
    run_id: run.id,
    workflow_name: run.name,
    head_branch: run.headBranch,
    run_url: `${base}/actions/runs/${run.id}`,
    run_attempt: attempt.number,
    node_id: nodeId("CR", job.id),
    head_sha: run.headSha,
    url: `${base}/actions/jobs/${job.id}`,
    html_url: `${repositoryPage(simulation, run.repository)}/actions/runs/${run.id}/job/${job.id}`,
    status: job.status,
    conclusion: job.conclusion,
    created_at: job.createdAt,
    started_at: job.startedAt,
    completed_at: job.completedAt,
    name: job.name,
    steps: job.steps.map(({ number, name, status, conclusion, startedAt, completedAt }) => ({
      name,
      status: status === "waiting" ? "queued" : status,
      conclusion,
      number,
      started_at: startedAt,
      completed_at: completedAt,
    })),
    check_run_url: `${base}/check-runs/${job.checkRun.id}`,
    labels: job.labels,
    runner_id: isPlaced ? 1 : null,
    runner_name: job.runnerName,
    runner_group_id: isPlaced ? 2 : null,
    runner_group_name: isPlaced ? "GitHub Actions" : null,
  };
}

/** `workflow` */
export function presentWorkflow(simulation: Simulation, repository: Repository, workflow: Workflow) {
  const page = repositoryPage(simulation, repository);
  const file = workflow.path.split("/").at(-1) ?? "";
  return {
    id: workflow.id,
    node_id: nodeId("W", workflow.id),
    name: workflow.name,
    path: workflow.path,
    state: "active",
    created_at: workflow.createdAt,
    updated_at: workflow.createdAt,
    url: `${repositoryUrl(simulation, repository)}/actions/workflows/${workflow.id}`,
    html_url: `${page}/blob/${repository.defaultBranch}/${workflow.path}`,
    badge_url: `${page}/actions/workflows/${file}/badge.svg`,
  };
}
