import { z } from "zod";
import { tellCheckRun } from "../events/tell-app.ts";
import { resolve } from "../git/read-history.ts";
import { suiteOfApp } from "../happenings/start-runs.ts";
import { type Answer, created, found, notAccessible, ok, Refusal } from "../http/answers.ts";
import { bodyOf, pageOf, pageOfShown, type RepositoryCall, type Route } from "../http/route.ts";
import { latestRuns, presentCheckRun, presentCheckSuite } from "../present/present-check.ts";
import { repositoryPage } from "../present/present-repository.ts";
import type { CheckRun, CheckSuite, Repository } from "../state/nouns.ts";

const READ = [{ checks: "read" }] as const;
const WRITE = [{ checks: "write" }] as const;

/** GitHub's limits: characters of summary, text, message and raw details; annotations and actions in one request. */
const LONGEST_TEXT = 65_535;
const MOST_ANNOTATIONS = 50;

const AnnotationBody = z.object({
  path: z.string(),
  start_line: z.number().int(),
  end_line: z.number().int(),
  start_column: z.number().int().nullable().default(null),
  end_column: z.number().int().nullable().default(null),
  annotation_level: z.enum(["notice", "warning", "failure"]),
  message: z.string().max(LONGEST_TEXT),
  title: z.string().max(255).nullable().default(null),
  raw_details: z.string().max(LONGEST_TEXT).nullable().default(null),
});
const Output = z.object({
  title: z.string().optional(),
  summary: z.string().max(LONGEST_TEXT).optional(),
  text: z.string().max(LONGEST_TEXT).optional(),
  annotations: z.array(AnnotationBody).max(MOST_ANNOTATIONS).default([]),
});
const Actions = z
  .array(z.object({ label: z.string().max(20), description: z.string().max(40), identifier: z.string().max(20) }))
  .max(3);
const CONCLUSIONS = ["action_required", "cancelled", "failure", "neutral", "success", "skipped", "timed_out"] as const;
const Changes = z.object({
  name: z.string().optional(),
  details_url: z.string().optional(),
  external_id: z.string().optional(),
  status: z.enum(["queued", "in_progress", "completed"]).optional(),
  started_at: z.string().optional(),
  conclusion: z.enum(CONCLUSIONS).optional(),
  completed_at: z.string().optional(),
  output: Output.optional(),
  actions: Actions.optional(),
});
type Changes = z.infer<typeof Changes>;
const NewCheckRun = Changes.extend({
  name: z.string().min(1),
  head_sha: z.string(),
  output: Output.extend({ title: z.string(), summary: z.string().max(LONGEST_TEXT) }).optional(),
});

export const CHECK_ROUTES: readonly Route[] = [
  { method: "POST", path: "/check-runs", for: "repository", needs: WRITE, handle: createCheckRun },
  { method: "GET", path: "/check-runs/{check_run_id}", for: "repository", needs: READ, handle: readCheckRun },
  { method: "PATCH", path: "/check-runs/{check_run_id}", for: "repository", needs: WRITE, handle: changeCheckRun },
  {
    method: "GET",
    path: "/check-runs/{check_run_id}/annotations",
    for: "repository",
    needs: READ,
    handle: listAnnotations,
  },
  { method: "GET", path: "/check-suites/{check_suite_id}", for: "repository", needs: READ, handle: readSuite },
  {
    method: "GET",
    path: "/check-suites/{check_suite_id}/check-runs",
    for: "repository",
    needs: READ,
    handle: listOfSuite,
  },
  { method: "GET", path: "/commits/{+ref}/check-runs", for: "repository", needs: READ, handle: listOfCommit },
  { method: "GET", path: "/commits/{+ref}/check-suites", for: "repository", needs: READ, handle: listSuites },
];

async function createCheckRun(call: RepositoryCall): Promise<Answer> {
  const { simulation, repository, caller } = call;
  if (caller.kind !== "installation") throw new Refusal(403, "You must authenticate via a GitHub App.");
  const wish = bodyOf(NewCheckRun, call, "CheckRun");
  const sha = await resolve(repository.git, `${wish.head_sha}^{commit}`);
  if (sha === null) throw new Refusal(422, `No commit found for SHA: ${wish.head_sha}`);
  const branch = await branchAt(repository, sha);
  const run: CheckRun = {
    id: simulation.nextId(),
    suite: suiteOfApp(simulation, repository, simulation.app, sha, branch, null),
    name: wish.name,
    headSha: sha,
    status: "queued",
    conclusion: null,
    startedAt: simulation.clock.iso(),
    completedAt: null,
    externalId: "",
    detailsUrl: null,
    output: { title: null, summary: null, text: null },
    annotations: [],
    actions: [],
  };
  repository.checkRuns.push(run);
  change(call, run, wish);
  tellCheckRun(simulation, repository, run, "created", simulation.bot);
  if (run.status === "completed") tellCheckRun(simulation, repository, run, "completed", simulation.bot);
  return created(presentCheckRun(simulation, repository, run));
}

function readCheckRun({ simulation, repository, params }: RepositoryCall): Answer {
  return ok(presentCheckRun(simulation, repository, checkRunIn(repository, params.check_run_id)));
}

function changeCheckRun(call: RepositoryCall): Answer {
  const { simulation, repository, params } = call;
  const run = checkRunIn(repository, params.check_run_id);
  if (run.suite.app !== simulation.app) throw notAccessible();
  const wasCompleted = run.status === "completed";
  change(call, run, bodyOf(Changes, call, "CheckRun"));
  if (run.status === "completed" && !wasCompleted)
    tellCheckRun(simulation, repository, run, "completed", simulation.bot);
  return ok(presentCheckRun(simulation, repository, run));
}

/** A conclusion completes the run; annotations are added to those that are there. */
function change({ simulation }: RepositoryCall, run: CheckRun, wish: Changes): void {
  const { output } = wish;
  run.name = wish.name ?? run.name;
  run.externalId = wish.external_id ?? run.externalId;
  run.detailsUrl = wish.details_url ?? run.detailsUrl;
  run.startedAt = wish.started_at ?? run.startedAt;
  run.actions = wish.actions ?? run.actions;
  run.status = wish.conclusion === undefined ? (wish.status ?? run.status) : "completed";
  if (run.status === "completed") {
    if (wish.conclusion === undefined && run.conclusion === null) {
      throw new Refusal(422, "Invalid request.\n\nIf status is completed, conclusion is required.");
    }
    run.conclusion = wish.conclusion ?? run.conclusion;
    run.completedAt = wish.completed_at ?? run.completedAt ?? simulation.clock.iso();
  } else {
    run.conclusion = null;
    run.completedAt = null;
  }
  if (output === undefined) return;
  run.output = {
    title: output.title ?? run.output.title,
    summary: output.summary ?? run.output.summary,
    text: output.text ?? run.output.text,
  };
  run.annotations.push(...output.annotations);
}

function listAnnotations(call: RepositoryCall): Answer {
  const { simulation, repository, params } = call;
  const run = checkRunIn(repository, params.check_run_id);
  const blob = (path: string) => `${repositoryPage(simulation, repository)}/blob/${run.headSha}/${encodeURI(path)}`;
  return pageOf(
    call,
    run.annotations.map((annotation) => ({ ...annotation, blob_href: blob(annotation.path) })),
  );
}

async function readSuite({ simulation, repository, params }: RepositoryCall): Promise<Answer> {
  return ok(await presentCheckSuite(simulation, repository, suiteIn(repository, params.check_suite_id)));
}

function listOfSuite(call: RepositoryCall): Promise<Answer> {
  const suite = suiteIn(call.repository, call.params.check_suite_id);
  return answerRuns(
    call,
    call.repository.checkRuns.filter((run) => run.suite === suite),
  );
}

async function listOfCommit(call: RepositoryCall): Promise<Answer> {
  const sha = await commitOf(call);
  return answerRuns(
    call,
    call.repository.checkRuns.filter((run) => run.headSha === sha),
  );
}

async function listSuites(call: RepositoryCall): Promise<Answer> {
  const { simulation, repository, query } = call;
  const sha = await commitOf(call);
  const appId = query.get("app_id");
  const suites = repository.suites.filter(
    (one) => one.headSha === sha && (appId === null || appId === String(one.app.id)),
  );
  return pageOfShown(
    call,
    suites,
    (suite) => presentCheckSuite(simulation, repository, suite),
    (page, total) => ({
      total_count: total,
      check_suites: page,
    }),
  );
}

function answerRuns(call: RepositoryCall, all: readonly CheckRun[]): Promise<Answer> {
  const { simulation, repository, query } = call;
  const is = (key: string, value: string | null) => query.get(key) === null || query.get(key) === value;
  const runs = (query.get("filter") === "all" ? [...all] : latestRuns(all)).filter(
    (run) => is("check_name", run.name) && is("status", run.status) && is("app_id", String(run.suite.app.id)),
  );
  return pageOfShown(
    call,
    runs,
    (run) => presentCheckRun(simulation, repository, run),
    (page, total) => ({
      total_count: total,
      check_runs: page,
    }),
  );
}

async function commitOf({ repository, params }: RepositoryCall): Promise<string> {
  const sha = await resolve(repository.git, `${params.ref}^{commit}`);
  if (sha === null) throw new Refusal(422, `No commit found for SHA: ${params.ref}`);
  return sha;
}

async function branchAt({ git }: Repository, sha: string): Promise<string | null> {
  const name = await git([
    "for-each-ref",
    "--count=1",
    "--points-at",
    sha,
    "--format=%(refname:lstrip=2)",
    "refs/heads/",
  ]);
  return name.trim() || null;
}

function checkRunIn(repository: Repository, id: string | undefined): CheckRun {
  return found(repository.checkRuns.find((run) => String(run.id) === id));
}

function suiteIn(repository: Repository, id: string | undefined): CheckSuite {
  return found(repository.suites.find((suite) => String(suite.id) === id));
}
