import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { Octokit } from "@octokit/rest";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Simulator, startSimulator } from "../../src/simulator/simulator.ts";
import { appJwt } from "./app-jwt.ts";
import { holdToOpenapi, mistakeIn } from "./hold-to-openapi.ts";
import { listenForWebhooks, type Received } from "./listen.ts";
import { git } from "./run-git.ts";
import { QUIET } from "./start.ts";
import { unzip } from "./unzip.ts";

const SECRET = "a webhook secret";
const REPO = "octo/sums";
const WORKFLOW = `
name: CI
on: { push: { branches: [main] }, pull_request: {} }
env: { MODE: strict }
jobs:
  test:
    runs-on: ubuntu-latest
    strategy: { matrix: { side: [left, right] } }
    steps:
      - uses: actions/checkout@v4
      - name: Check the sum
        run: |
          echo "checking \${{ matrix.side }} in $MODE mode"
          sh check.sh
`;
const CHECK = 'test "$(sh sum.sh 1 2)" = 3 || { echo "sum.sh:1: expected 3, got $(sh sum.sh 1 2)"; exit 1; }\n';

describe("a repair, as an app lives it", () => {
  let folder: string;
  let simulator: Simulator;
  let receiver: Awaited<ReturnType<typeof listenForWebhooks>>;
  let held: ReturnType<typeof holdToOpenapi>;
  let app: Octokit;
  let octokit: Octokit;
  let token: string;

  const where = { owner: "octo", repo: "sums" };
  const heard = (event: string, action: string | null): Received[] =>
    receiver.received.filter((one) => one.event === event && (action === null || one.payload.action === action));
  const connect = (auth: string) =>
    new Octokit({ auth, baseUrl: simulator.apiUrl, log: QUIET, request: { fetch: held.fetch } });

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), "simulator-"));
    receiver = await listenForWebhooks(SECRET);
    simulator = await startSimulator({ folder, webhookUrl: receiver.url, webhookSecret: SECRET });
    held = holdToOpenapi(simulator.apiUrl);
    app = connect(appJwt(simulator.appId, simulator.privateKey ?? ""));
    await simulator.createRepository({
      owner: "octo",
      name: "sums",
      files: { "sum.sh": "echo $(($1 - $2))\n", "check.sh": CHECK },
      workflows: { "ci.yml": WORKFLOW },
    });
    simulator.addCollaborator(REPO, "mona", "write");
  });

  afterAll(async () => {
    await simulator.close();
    receiver.server.close();
    await rm(folder, { recursive: true, force: true });
  });

  it("logs in as the app and gets a token for its installation", async () => {
    const { data: self } = await app.rest.apps.getAuthenticated();
    const { data: installation } = await app.rest.apps.getRepoInstallation(where);
    const { data: given } = await app.rest.apps.createInstallationAccessToken({ installation_id: installation.id });
    token = given.token;
    octokit = connect(token);
    const { data: reachable } = await octokit.rest.apps.listReposAccessibleToInstallation();

    expect(self?.slug).toBe("retrace");
    expect(token).toMatch(/^ghs_4242_[\w-]+\.[\w-]+\.[\w-]+$/);
    expect(token.length).toBeGreaterThan(450);
    expect(reachable.repositories.map((repository) => repository.full_name)).toEqual([REPO]);
  });

  it("hears of a failed run by signed webhooks", async () => {
    await simulator.runWorkflows(REPO, "main");
    await simulator.idle();

    expect(receiver.received.every((one) => one.isSigned)).toBe(true);
    expect(heard("workflow_run", "requested")).toHaveLength(1);
    expect(heard("workflow_run", "completed")[0]?.payload).toMatchObject({
      workflow_run: {
        conclusion: "failure",
        event: "push",
        head_branch: "main",
        run_attempt: 1,
        path: ".github/workflows/ci.yml",
      },
      repository: { full_name: REPO, clone_url: `http://${simulator.host}/octo/sums.git` },
      installation: { id: expect.any(Number) },
    });
    expect(simulator.deliveries().map(({ statusCode, status }) => [statusCode, status])).toContainEqual([202, "OK"]);
  });

  it("reads runs, jobs, annotations and logs in GitHub's dialect", async () => {
    const { data: runs } = await octokit.rest.actions.listWorkflowRunsForRepo({ ...where, status: "failure" });
    const run = runs.workflow_runs[0];
    const { data: jobs } = await octokit.rest.actions.listJobsForWorkflowRun({ ...where, run_id: run?.id ?? 0 });
    const job = jobs.jobs.find((one) => one.conclusion === "failure");
    const log = await octokit.rest.actions.downloadJobLogsForWorkflowRun({ ...where, job_id: job?.id ?? 0 });
    const annotations = await octokit.rest.checks.listAnnotations({ ...where, check_run_id: job?.id ?? 0 });
    const lines = String(log.data)
      .split("\n")
      .map((line) => line.replace(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{7}Z /, ""));

    expect(jobs.jobs.map((one) => one.name).sort()).toEqual(["test (left)", "test (right)"]);
    expect(job?.steps?.map((step) => [step.number, step.name, step.conclusion])).toEqual([
      [1, "Set up job", "success"],
      [2, "Run actions/checkout@v4", "success"],
      [3, "Check the sum", "failure"],
      [6, "Post Run actions/checkout@v4", "success"],
      [7, "Complete job", "success"],
    ]);
    const start = lines.indexOf(`##[group]Run echo "checking ${job?.name.slice(6, -1)} in $MODE mode"`);
    expect(lines.slice(start + 1, start + 10)).toEqual([
      `\u001b[36;1mecho "checking ${job?.name.slice(6, -1)} in $MODE mode"\u001b[0m`,
      "\u001b[36;1msh check.sh\u001b[0m",
      "shell: /usr/bin/bash -e {0}",
      "env:",
      "  MODE: strict",
      "##[endgroup]",
      `checking ${job?.name.slice(6, -1)} in strict mode`,
      "sum.sh:1: expected 3, got -1",
      "##[error]Process completed with exit code 1.",
    ]);
    expect(lines.slice(start + 10)).toEqual(["Post job cleanup.", "Cleaning up orphan processes", ""]);
    expect(annotations.data.map((one) => one.message)).toEqual(["Process completed with exit code 1."]);
  });

  it("downloads a run's logs as a zip laid out like GitHub's", async () => {
    const [run] = simulator.runs(REPO);
    const answer = await octokit.rest.actions.downloadWorkflowRunAttemptLogs({
      ...where,
      run_id: run?.id ?? 0,
      attempt_number: 1,
    });
    const names = Object.keys(await unzip(answer.data as ArrayBuffer));

    expect(names.filter((name) => name.includes("left"))).toEqual([
      expect.stringMatching(/^[01]_test \(left\)\.txt$/),
      "test (left)/1_Set up job.txt",
      "test (left)/2_Run actionscheckout@v4.txt",
      "test (left)/3_Check the sum.txt",
      "test (left)/6_Post Run actionscheckout@v4.txt",
      "test (left)/7_Complete job.txt",
    ]);
  });

  it("takes a fix by git push and a draft pull request, and runs CI on the merge", async () => {
    const clone = await mkdtemp(path.join(folder, "clone-"));
    const address = `http://x-access-token:${token}@${simulator.host}/octo/sums.git`;
    await git(clone, "clone", "--quiet", address, ".");
    await git(clone, "checkout", "--quiet", "-b", "retrace/main-1234");
    await writeFile(path.join(clone, "sum.sh"), "echo $(($1 + $2))\n");
    await git(clone, "commit", "--quiet", "-am", "fix(ci): add instead of subtract");
    await git(clone, "push", "--quiet", "origin", "HEAD");
    const { data: pull } = await octokit.rest.pulls.create({
      ...where,
      head: "retrace/main-1234",
      base: "main",
      title: "Fix the sum",
      body: "It subtracted.",
      draft: true,
    });
    await octokit.rest.issues.addLabels({ ...where, issue_number: pull.number, labels: ["retrace"] });
    await simulator.idle();

    const { data: runs } = await octokit.rest.actions.listWorkflowRunsForRepo({ ...where, head_sha: pull.head.sha });
    const { data: now } = await octokit.rest.pulls.get({ ...where, pull_number: pull.number });
    const { data: files } = await octokit.rest.pulls.listFiles({ ...where, pull_number: pull.number });
    expect(runs.workflow_runs.map((run) => [run.event, run.conclusion])).toEqual([["pull_request", "success"]]);
    expect(now).toMatchObject({
      draft: true,
      mergeable: true,
      commits: 1,
      changed_files: 1,
      user: { login: "retrace[bot]" },
    });
    expect(files[0]).toMatchObject({ filename: "sum.sh", status: "modified", additions: 1, deletions: 1 });
    expect(await simulator.branches(REPO)).toEqual({
      main: expect.any(String),
      "retrace/main-1234": pull.head.sha,
    });
    expect(await git(clone, "ls-remote", "origin", "refs/pull/1/*")).toContain(`refs/pull/1/merge`);
    expect(heard("pull_request", "opened")).toHaveLength(1);
  });

  it("marks the pull request ready by GraphQL", async () => {
    const { data: pull } = await octokit.rest.pulls.get({ ...where, pull_number: 1 });
    const answer = await octokit.graphql(
      `mutation($id: ID!) {
        markPullRequestReadyForReview(input: { pullRequestId: $id }) { pullRequest { number, draft: isDraft } }
      }`,
      { id: pull.node_id },
    );

    expect(answer).toEqual({ markPullRequestReadyForReview: { pullRequest: { number: 1, draft: false } } });
    await expect(octokit.graphql("mutation { mergeEverything(input: {}) { ok } }")).rejects.toThrow(
      "Field 'mergeEverything' doesn't exist on type 'Mutation'",
    );
  });

  it("keeps one comment, its edits and its reactions", async () => {
    const asked = simulator.comment(REPO, 1, "mona", "/retrace status");
    await octokit.rest.reactions.createForIssueComment({ ...where, comment_id: asked, content: "eyes" });
    const again = await octokit.rest.reactions.createForIssueComment({ ...where, comment_id: asked, content: "eyes" });
    const { data: ours } = await octokit.rest.issues.createComment({ ...where, issue_number: 1, body: "Looking." });
    await octokit.rest.issues.updateComment({ ...where, comment_id: ours.id, body: "Fixed." });
    const { data: listed } = await octokit.rest.issues.listComments({ ...where, issue_number: 1 });
    const { data: permission } = await octokit.rest.repos.getCollaboratorPermissionLevel({
      ...where,
      username: "mona",
    });
    await simulator.idle();

    expect(again.status).toBe(200);
    expect(listed.map((comment) => [comment.user?.login, comment.body])).toEqual([
      ["mona", "/retrace status"],
      ["retrace[bot]", "Fixed."],
    ]);
    expect(simulator.comments(REPO, 1)[0]?.reactions).toEqual(["eyes"]);
    expect(permission.permission).toBe("write");
    expect(heard("issue_comment", "created").map((one) => one.payload.sender)).toMatchObject([
      { login: "mona", type: "User" },
      { login: "retrace[bot]", type: "Bot" },
    ]);
  });

  it("writes a check run within GitHub's limits and hears its button", async () => {
    const head_sha = simulator.pullRequests(REPO)[0]?.headSha ?? "";
    const note = {
      path: "sum.sh",
      start_line: 1,
      end_line: 1,
      annotation_level: "failure" as const,
      message: "subtracts",
    };
    const output = { title: "Repaired", summary: "One problem.", annotations: [note] };
    const { data: check } = await octokit.rest.checks.create({
      ...where,
      name: "RETRACE",
      head_sha,
      status: "in_progress",
      external_id: "r1",
    });
    const actions = [{ label: "Again", description: "Try once more", identifier: "retry" }];
    await octokit.rest.checks.update({ ...where, check_run_id: check.id, conclusion: "neutral", output, actions });
    simulator.requestAction(REPO, check.id, "retry", "mona");
    const { data: listed } = await octokit.rest.checks.listForRef({ ...where, ref: head_sha, check_name: "RETRACE" });
    await simulator.idle();

    expect(listed.check_runs).toMatchObject([
      {
        status: "completed",
        conclusion: "neutral",
        external_id: "r1",
        output: { annotations_count: 1 },
        app: { slug: "retrace" },
      },
    ]);
    expect(heard("check_run", "requested_action")[0]?.payload).toMatchObject({
      requested_action: { identifier: "retry" },
      check_run: { external_id: "r1", app: { id: simulator.appId } },
    });
    await expect(
      octokit.rest.checks.update({
        ...where,
        check_run_id: check.id,
        actions: [{ label: "x".repeat(21), description: "", identifier: "a" }],
      }),
    ).rejects.toMatchObject({ status: 422 });
    await expect(
      octokit.rest.checks.update({
        ...where,
        check_run_id: check.id,
        output: { ...output, annotations: Array(51).fill(note) },
      }),
    ).rejects.toMatchObject({ status: 422 });
  });

  it("reads files, commits, trees and comparisons", async () => {
    const { data: file } = await octokit.rest.repos.getContent({ ...where, path: "sum.sh", ref: "retrace/main-1234" });
    const { data: folderList } = await octokit.rest.repos.getContent({ ...where, path: ".github/workflows" });
    const raw = await octokit.rest.repos.getContent({ ...where, path: "sum.sh", mediaType: { format: "raw" } });
    const { data: compared } = await octokit.rest.repos.compareCommitsWithBasehead({
      ...where,
      basehead: "main...retrace/main-1234",
    });
    const { data: branch } = await octokit.rest.repos.getBranch({ ...where, branch: "retrace/main-1234" });
    const { data: commit } = await octokit.rest.repos.getCommit({ ...where, ref: branch.commit.sha });
    const { data: pulls } = await octokit.rest.repos.listPullRequestsAssociatedWithCommit({
      ...where,
      commit_sha: commit.sha,
    });
    const { data: tree } = await octokit.rest.git.getTree({
      ...where,
      tree_sha: commit.commit.tree.sha,
      recursive: "1",
    });
    await octokit.rest.repos.get(where);

    expect(Buffer.from("content" in file ? file.content : "", "base64").toString()).toBe("echo $(($1 + $2))\n");
    expect(folderList).toMatchObject([{ name: "ci.yml", type: "file" }]);
    expect(raw.data).toBe("echo $(($1 - $2))\n");
    expect(compared).toMatchObject({ status: "ahead", ahead_by: 1, behind_by: 0, files: [{ filename: "sum.sh" }] });
    expect(commit.stats).toEqual({ additions: 1, deletions: 1, total: 2 });
    expect(pulls.map((pull) => pull.number)).toEqual([1]);
    expect(tree.tree.map((entry) => entry.path)).toContain(".github/workflows/ci.yml");
  });

  it("commits through the Git database too", async () => {
    const { data: main } = await octokit.rest.git.getRef({ ...where, ref: "heads/main" });
    const { data: base } = await octokit.rest.git.getCommit({ ...where, commit_sha: main.object.sha });
    const { data: blob } = await octokit.rest.git.createBlob({ ...where, content: "hello\n" });
    const entry = { path: "notes/hello.txt", mode: "100644" as const, type: "blob" as const, sha: blob.sha };
    const { data: tree } = await octokit.rest.git.createTree({ ...where, base_tree: base.tree.sha, tree: [entry] });
    const { data: commit } = await octokit.rest.git.createCommit({
      ...where,
      message: "Say hello",
      tree: tree.sha,
      parents: [base.sha],
    });
    await octokit.rest.git.createRef({ ...where, ref: "refs/heads/hello", sha: commit.sha });

    expect(await simulator.readFile(REPO, "hello", "notes/hello.txt")).toBe("hello\n");
    expect(commit.author.name).toBe("retrace[bot]");

    await octokit.rest.git.deleteRef({ ...where, ref: "heads/hello" });
    expect(Object.keys(await simulator.branches(REPO))).not.toContain("hello");
  });

  it("merges for the maintainer and closes the story", async () => {
    await simulator.mergePullRequest(REPO, 1, "mona");
    await simulator.idle();

    expect(simulator.pullRequests(REPO)[0]).toMatchObject({ state: "closed", merged: true });
    expect(simulator.runs(REPO).at(-1)).toMatchObject({ event: "push", headBranch: "main", conclusion: "success" });
    expect(heard("pull_request", "closed")[0]?.payload).toMatchObject({ pull_request: { merged: true } });
    expect(simulator.pullRequests(REPO)).toHaveLength(1);
  });

  it("sent webhooks whose nouns are as GitHub's own description demands", () => {
    const nouns = [
      ["workflow_run", "workflow_run", "workflow-run"],
      ["workflow_run", "workflow", "workflow"],
      ["pull_request", "pull_request", "pull-request"],
      ["check_run", "check_run", "check-run"],
      ["check_suite", "check_suite", "check-suite"],
      ["issue_comment", "comment", "issue-comment"],
      ["push", "repository", "full-repository"],
      ["installation", "installation", "installation"],
    ] as const;
    const mistakes = nouns.flatMap(([event, field, schema]) =>
      heard(event, null).map((one) => [event, field, mistakeIn(schema, one.payload[field])]),
    );

    expect(mistakes.length).toBeGreaterThan(20);
    expect(mistakes.filter(([, , mistake]) => mistake !== null)).toEqual([]);
  });

  it("answered everything above as GitHub's own description demands", () => {
    expect(held.held.filter((one) => one.mistake !== null)).toEqual([]);
    expect(new Set(held.held.map((one) => one.operation)).size).toBeGreaterThan(30);
  });
});
