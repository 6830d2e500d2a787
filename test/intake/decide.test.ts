import { describe, expect, it } from "vitest";
import { decide } from "../../src/intake/decide.ts";

const ownBranch = (branch: string): boolean => branch.startsWith("retrace/");

const repository = {
  id: 7,
  name: "app",
  owner: { login: "acme", type: "Organization" },
  clone_url: "http://127.0.0.1:1/acme/app.git",
  html_url: "http://127.0.0.1:1/acme/app",
  default_branch: "main",
  private: false,
};
const installation = { id: 5 };

function runEvent(run: Record<string, unknown>, action = "completed") {
  const workflow_run = {
    id: 11,
    run_attempt: 1,
    name: "CI",
    path: ".github/workflows/ci.yml@refs/heads/main",
    event: "push",
    status: "completed",
    conclusion: "failure",
    head_sha: "abc",
    head_branch: "feature",
    head_repository: { full_name: "acme/app" },
    actor: { login: "jo", type: "User" },
    created_at: "2026-03-01T12:00:00Z",
    html_url: "http://127.0.0.1:1/acme/app/actions/runs/11",
    pull_requests: [{ number: 3 }],
    ...run,
  };
  return { action, workflow_run, repository, installation };
}

function comment(body: string, told: Record<string, unknown> = {}, action = "created") {
  return {
    action,
    issue: { number: 3, pull_request: {} },
    comment: { id: 99, body, user: { login: "jo", type: "User" }, ...told },
    repository,
    installation,
  };
}

describe("what a delivery is to us", () => {
  it.each([
    ["a failed push", runEvent({}), "failed-run"],
    ["a failed pull request", runEvent({ event: "pull_request" }), "failed-run"],
    ["a nightly that timed out", runEvent({ event: "schedule", conclusion: "timed_out" }), "failed-run"],
    [
      "a workflow file that does not start",
      runEvent({ event: "workflow_dispatch", conclusion: "startup_failure" }),
      "failed-run",
    ],
    [
      "a fork's failed run",
      runEvent({ event: "pull_request", head_repository: { full_name: "jo/app" }, pull_requests: [] }),
      "failed-run",
    ],
    [
      "a fork's branch that is named like ours",
      runEvent({ head_branch: "retrace/x", head_repository: { full_name: "jo/app" } }),
      "failed-run",
    ],
    [
      "a branch named like ours of a fork that is gone",
      runEvent({ head_branch: "retrace/x", head_repository: null }),
      "failed-run",
    ],
    ["a merge queue's failed run", runEvent({ event: "merge_group" }), "explain-run"],
    ["a run on our own branch, red", runEvent({ head_branch: "retrace/feature-abc" }), "own-run"],
    [
      "a run on our own branch, just requested",
      runEvent({ head_branch: "retrace/feature-abc", conclusion: null }, "requested"),
      "own-run",
    ],
    ["a green run", runEvent({ conclusion: "success" }), "green-run"],
    ["a run with secrets on foreign code", runEvent({ event: "pull_request_target" }), "ignore"],
    ["a cancelled run", runEvent({ conclusion: "cancelled" }), "ignore"],
    ["a run that only started", runEvent({ conclusion: null }, "requested"), "ignore"],
    ["half a payload", { action: "completed" }, "ignore"],
  ])("workflow_run: %s", (_, payload, kind) => {
    expect(decide("workflow_run", payload, ownBranch).kind).toBe(kind);
  });

  it("carries the run as we know it, its path without the ref", () => {
    const decision = decide("workflow_run", runEvent({}), ownBranch);

    expect(decision).toMatchObject({
      kind: "failed-run",
      at: { installationId: 5, repository: { id: 7, owner: "acme", name: "app", cloneUrl: repository.clone_url } },
      run: { id: 11, attempt: 1, path: ".github/workflows/ci.yml", headSha: "abc", headRepository: "acme/app" },
      pullRequests: [3],
    });
  });

  it.each([
    ["a command", comment("/retrace"), "command"],
    ["talk", comment("nice"), "ignore"],
    ["an edited comment", comment("/retrace", {}, "edited"), "ignore"],
    ["a bot", comment("/retrace", { user: { login: "x[bot]", type: "Bot" } }), "ignore"],
    ["an app in a person's name", comment("/retrace", { performed_via_github_app: { id: 1 } }), "ignore"],
    ["an issue", { ...comment("/retrace"), issue: { number: 3 } }, "ignore"],
  ])("issue_comment: %s", (_, payload, kind) => {
    expect(decide("issue_comment", payload, ownBranch).kind).toBe(kind);
  });

  it.each([
    ["closed", "pull-request-closed"],
    ["synchronize", "pull-request-moved"],
    ["labeled", "pull-request-labeled"],
    ["opened", "ignore"],
  ])("pull_request: %s", (action, kind) => {
    const payload = {
      action,
      pull_request: { number: 3, merged: false, head: { sha: "abc", ref: "feature" } },
      label: { name: "retrace-skip" },
      repository,
      installation,
    };

    expect(decide("pull_request", payload, ownBranch).kind).toBe(kind);
  });

  it.each([
    ["deleted", "uninstalled"],
    ["created", "ignore"],
  ])("installation: %s", (action, kind) => {
    expect(decide("installation", { action, installation }, ownBranch).kind).toBe(kind);
  });

  it("takes new repositories for installed, by the installation or later", () => {
    const repositories = [{ id: 7, full_name: "acme/app" }];
    const expected = { kind: "installed", installationId: installation.id, names: ["acme/app"] };

    expect(decide("installation", { action: "created", installation, repositories }, ownBranch)).toEqual(expected);
    const added = { installation, repositories_added: repositories };
    expect(decide("installation_repositories", added, ownBranch)).toEqual(expected);
  });

  it("takes repositories that leave the installation for uninstalled, and others for nothing", () => {
    const removed = { installation, repositories_removed: [{ id: 7 }] };

    expect(decide("installation_repositories", removed, ownBranch)).toEqual({
      kind: "uninstalled",
      installationId: installation.id,
      account: null,
      repositoryIds: [7],
      names: [],
    });
    expect(decide("installation_repositories", { installation }, ownBranch).kind).toBe("ignore");
  });

  it("asks nothing of other events", () => {
    expect(decide("star", {}, ownBranch).kind).toBe("ignore");
  });
});
