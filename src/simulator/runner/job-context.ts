import path from "node:path";
import type { Attempt, Job, Run } from "../state/nouns.ts";
import type { Simulation } from "../state/simulation.ts";
import type { Fault } from "../state/weather.ts";
import type { Contexts } from "./expressions.ts";
import type { JobLog } from "./job-log.ts";
import type { Leg } from "./matrix.ts";
import type { JobFile, WorkflowFile } from "./workflow-file.ts";

/** What one job needs to know before it runs. */
export interface JobPlan {
  readonly job: Job;
  readonly file: JobFile;
  readonly workflow: WorkflowFile;
  readonly leg: Leg;
  readonly contexts: Contexts;
  readonly fault: Fault | null;
  /** Aborted when the run is cancelled or fail-fast stops the other legs. */
  readonly signal: AbortSignal;
}

/** One job while it runs: its folders, its log, and what its steps hand to each other. */
export interface JobRun {
  readonly simulation: Simulation;
  readonly run: Run;
  readonly plan: JobPlan;
  readonly log: JobLog;
  readonly folders: JobFolders;
  /** Milliseconds since 1970. */
  readonly deadline: number;
  readonly exported: Record<string, string>;
  readonly addedPaths: string[];
  readonly stepResults: Record<string, { outputs: Record<string, string>; outcome: string; conclusion: string }>;
  readonly groups: number[];
}

export interface JobFolders {
  readonly root: string;
  readonly workspace: string;
  readonly temp: string;
  readonly home: string;
}

/** The folders of a job under its root; makes none of them. */
export function jobFolders(root: string, repository: string): JobFolders {
  const workspace = path.join(root, "work", repository, repository);
  return { root, workspace, temp: path.join(root, "work", "_temp"), home: path.join(root, "home") };
}

/** This machine's folders under the names a hosted runner has for them, longest first. */
export function hostedNames(folders: JobFolders, repository: string): [string, string][] {
  return [
    [folders.workspace, `/home/runner/work/${repository}/${repository}`],
    [folders.temp, "/home/runner/work/_temp"],
    [folders.home, "/home/runner"],
    [folders.root, "/home/runner"],
  ];
}

/** `github`, `needs`, `matrix` and the other contexts that hold for the whole job. */
export function jobContexts(simulation: Simulation, run: Run, attempt: Attempt, leg: Leg, needs: unknown): Contexts {
  const { repository, pull } = run;
  return {
    github: {
      ...Object.fromEntries(Object.entries(githubFacts(simulation, run, attempt)).map(([key, value]) => [key, value])),
      token: "",
      event: {
        action: null,
        ref: run.ref,
        after: run.headSha,
        number: pull?.number ?? null,
        pull_request:
          pull === null
            ? null
            : {
                number: pull.number,
                draft: pull.draft,
                title: pull.title,
                head: { sha: pull.head.sha, ref: pull.head.ref, repo: { full_name: pull.head.repository.fullName } },
                base: { sha: pull.base.sha, ref: pull.base.ref },
              },
        repository: { full_name: repository.fullName, default_branch: repository.defaultBranch },
      },
    },
    matrix: leg,
    strategy: {},
    needs,
    secrets: {},
    vars: {},
    inputs: {},
    runner: { os: "Linux", arch: "X64", name: "GitHub Actions 1", temp: "/home/runner/work/_temp" },
  };
}

/** The facts that are both `github.<name>` and `GITHUB_<NAME>`. */
export function githubFacts({ urls }: Simulation, run: Run, attempt: Attempt): Record<string, string> {
  return {
    sha: run.checkoutSha,
    ref: run.ref,
    ref_name: run.pull === null ? run.headBranch : `${run.pull.number}/merge`,
    ref_type: "branch",
    head_ref: run.pull === null ? "" : run.headBranch,
    base_ref: run.pull?.base.ref ?? "",
    event_name: run.event,
    repository: run.repository.fullName,
    repository_owner: run.repository.owner.login,
    run_id: String(run.id),
    run_number: String(run.number),
    run_attempt: String(attempt.number),
    actor: run.actor.login,
    triggering_actor: run.actor.login,
    workflow: run.name,
    server_url: urls.html,
    api_url: urls.api,
  };
}
