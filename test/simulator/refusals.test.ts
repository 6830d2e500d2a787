import { once } from "node:events";
import { connect } from "node:net";
import { describe, expect, it } from "vitest";
import { appJwt } from "./app-jwt.ts";
import { startForTests } from "./start.ts";

const started = startForTests(async (simulator) => {
  await simulator.createRepository({ owner: "octo", name: "open", files: { "a.txt": "a\n" } });
  await simulator.createRepository({ owner: "octo", name: "closed", files: { "a.txt": "a\n" }, private: true });
  await simulator.createRepository({ owner: "other", name: "theirs", files: { "a.txt": "a\n" }, installed: false });
  await simulator.pushCommit("octo/open", "change", { "a.txt": "b\n" });
  await simulator.openPullRequest("octo/open", { head: "change" });
});

type Answer = { status: number; body: Record<string, unknown> };

async function ask(auth: string | null, method: string, path: string, body?: unknown): Promise<Answer> {
  const answer = await fetch(started.simulator.apiUrl + path, {
    method,
    headers: auth === null ? {} : { authorization: auth },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
}

describe("an app's JWT", () => {
  it.each([
    ["is over", { iat: -700, exp: -100 }, "'Expiration time' claim ('exp') must be a numeric value"],
    ["lives too long", { iat: 0, exp: 3600 }, "'Expiration time' claim ('exp') is too far in the future"],
    ["comes from the future", { iat: 300, exp: 600 }, "'Issued at' claim ('iat')"],
  ])("is refused when it %s", async (_why, times, words) => {
    const jwt = appJwt(started.simulator.appId, started.simulator.privateKey ?? "", times);
    const answer = await ask(`Bearer ${jwt}`, "GET", "/app");

    expect(answer.status).toBe(401);
    expect(answer.body.message).toContain(words);
  });

  it("is refused for another app and for another key", async () => {
    const wrongApp = await ask(`Bearer ${appJwt(1, started.simulator.privateKey ?? "")}`, "GET", "/app");
    const spoilt = await ask(`Bearer ${started.jwt.slice(0, -8)}AAAAAAAA`, "GET", "/app");

    expect([wrongApp.status, spoilt.status]).toEqual([401, 401]);
    expect(spoilt.body.message).toBe("A JSON web token could not be decoded");
  });
});

describe("an installation token", () => {
  it("does only what its permissions say", async () => {
    const auth = `token ${await started.token("octo", { permissions: { contents: "read", issues: "write" } })}`;
    const read = await ask(auth, "GET", "/repos/octo/open/contents/a.txt");
    const comment = await ask(auth, "POST", "/repos/octo/open/issues/1/comments", { body: "hello" });
    const pull = await ask(auth, "POST", "/repos/octo/open/pulls", { title: "t", head: "change", base: "main" });
    const check = await ask(auth, "POST", "/repos/octo/open/check-runs", { name: "c", head_sha: "main" });

    expect([read.status, comment.status, pull.status, check.status]).toEqual([200, 201, 403, 403]);
    expect(pull.body).toEqual({
      message: "Resource not accessible by integration",
      documentation_url: "https://docs.github.com/rest",
      status: "403",
    });
  });

  it("sees only the repositories it was given for", async () => {
    const { data: open } = await started
      .connect(await started.token("octo"))
      .rest.repos.get({ owner: "octo", repo: "open" });
    const auth = `Bearer ${await started.token("octo", { repository_ids: [open.id] })}`;
    const closed = await ask(auth, "GET", "/repos/octo/closed");
    const theirs = await ask(auth, "POST", "/repos/other/theirs/labels", { name: "x" });
    const list = await ask(auth, "GET", "/installation/repositories");

    expect([closed.status, theirs.status]).toEqual([404, 403]);
    expect(list.body.total_count).toBe(1);
  });

  it("cannot be had for more than the app was granted", async () => {
    await expect(started.token("octo", { permissions: { workflows: "write" } })).rejects.toMatchObject({
      status: 422,
      message: expect.stringContaining("The permissions requested are not granted to this installation."),
    });
    await expect(started.token("octo", { repository_ids: [1] })).rejects.toMatchObject({ status: 422 });
  });

  it("ends when it is revoked, and after an hour", async () => {
    const revoked = `Bearer ${await started.token("octo")}`;
    await fetch(`${started.simulator.apiUrl}/installation/token`, {
      method: "DELETE",
      headers: { authorization: revoked },
    });
    const late = `Bearer ${await started.token("octo")}`;
    const before = await ask(late, "GET", "/installation/repositories");
    started.simulator.clock.skip(3_600_001);
    const after = await ask(late, "GET", "/installation/repositories");
    started.simulator.clock.skip(-3_600_001);

    expect((await ask(revoked, "GET", "/installation/repositories")).status).toBe(401);
    expect([before.status, after.status, after.body.message]).toEqual([200, 401, "Bad credentials"]);
  });
});

describe("GitHub's refusals", () => {
  it.each([
    ["an unknown route", "GET", "/repos/octo/open/nonsense", undefined, 404, "Not Found"],
    ["an unknown repository", "GET", "/repos/octo/nothing", undefined, 404, "Not Found"],
    ["an unknown branch", "GET", "/repos/octo/open/branches/nothing", undefined, 404, "Branch not found"],
    ["an unknown file", "GET", "/repos/octo/open/contents/nothing", undefined, 404, "Not Found"],
    ["a log of no job", "GET", "/repos/octo/open/actions/jobs/1/logs", undefined, 404, "Not Found"],
    [
      "an unknown commit",
      "GET",
      "/repos/octo/open/commits/nothing",
      undefined,
      422,
      "No commit found for SHA: nothing",
    ],
    ["a comment without text", "POST", "/repos/octo/open/issues/1/comments", { body: "" }, 422, "Validation Failed"],
    [
      "an endless comment",
      "POST",
      "/repos/octo/open/issues/1/comments",
      { body: "x".repeat(65_537) },
      422,
      "Validation Failed",
    ],
    [
      "an existing ref",
      "POST",
      "/repos/octo/open/git/refs",
      { ref: "refs/heads/main", sha: "main" },
      422,
      "Reference already exists",
    ],
    [
      "a strange reaction",
      "POST",
      "/repos/octo/open/issues/comments/1/reactions",
      { content: "meh" },
      404,
      "Not Found",
    ],
  ])("meet %s", async (_what, method, path, body, status, message) => {
    const answer = await ask(`Bearer ${await started.token("octo")}`, method, path, body);

    expect([answer.status, answer.body.message]).toEqual([status, message]);
  });

  it.each([
    ["a second one for a branch", { head: "change", base: "main" }, "A pull request already exists for octo:change."],
    ["one without commits", { head: "main", base: "change" }, "No commits between change and main"],
  ])("meet a pull request that is %s", async (_what, branches, message) => {
    const answer = await ask(`Bearer ${await started.token("octo")}`, "POST", "/repos/octo/open/pulls", {
      title: "t",
      ...branches,
    });

    expect([answer.status, answer.body.errors]).toEqual([422, [{ resource: "PullRequest", code: "custom", message }]]);
  });

  it("say which comment is too long", async () => {
    const auth = `Bearer ${await started.token("octo")}`;
    const answer = await ask(auth, "POST", "/repos/octo/open/issues/1/comments", { body: "x".repeat(65_537) });

    expect(answer.body.errors).toEqual([
      {
        resource: "IssueComment",
        field: "body",
        code: "custom",
        message: "body is too long (maximum is 65536 characters)",
      },
    ]);
  });

  it("meet nobody where a login is needed", async () => {
    const read = await ask(null, "GET", "/repos/octo/open");
    const hidden = await ask(null, "GET", "/repos/octo/closed");
    const write = await ask(null, "POST", "/repos/octo/open/issues/1/comments", { body: "hello" });
    const wrong = await ask("Bearer ghs_4242_x.y.z", "GET", "/repos/octo/open");

    expect([read.status, hidden.status, write.status, wrong.status]).toEqual([200, 404, 401, 401]);
  });

  it("are written down without secrets", async () => {
    await ask("Bearer ghs_secret_x.y.z", "GET", "/repos/octo/open?access_token=secret");

    expect(started.simulator.requests().at(-1)).toEqual({
      method: "GET",
      path: "/api/v3/repos/octo/open",
      status: 401,
    });
  });
});

describe("bad requests", () => {
  it.each([
    ["a path that is not encoded right", "GET", "/repos/octo/open/contents/%zz", undefined, 400],
    ["a body that is not JSON", "POST", "/repos/octo/open/labels", "{", 400],
  ])("such as %s get an answer", async (_what, method, path, body, status) => {
    const headers = { authorization: `Bearer ${await started.token("octo")}` };
    const answer = await fetch(started.simulator.apiUrl + path, {
      method,
      headers,
      ...(body === undefined ? {} : { body }),
    });

    expect(answer.status).toBe(status);
  });

  it("and clients that go away in the middle do not trouble the simulator", async () => {
    const [host = "", port = ""] = started.simulator.host.split(":");
    const socket = connect(Number(port), host);
    await once(socket, "connect");
    socket.write("POST /api/v3/repos/octo/open/labels HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\n{");
    await new Promise((done) => setTimeout(done, 50));
    socket.destroy();
    await new Promise((done) => setTimeout(done, 50));

    await expect(started.simulator.idle()).resolves.toBeUndefined();
  });
});

describe("a long list", () => {
  it("comes in pages with links, which Octokit follows", async () => {
    for (let at = 0; at < 7; at += 1) started.simulator.comment("octo/open", 1, "mona", `comment ${at}`);
    const octokit = started.connect(await started.token("octo"));
    const where = { owner: "octo", repo: "open", issue_number: 1, per_page: 3 };
    const first = await octokit.rest.issues.listComments(where);
    const all = await octokit.paginate(octokit.rest.issues.listComments, where);

    expect(first.data).toHaveLength(3);
    expect(first.headers.link).toContain('rel="next"');
    expect(all.filter((comment) => comment.user?.login === "mona")).toHaveLength(7);
  });
});
