import { request } from "node:http";
import { afterEach, describe, expect, it } from "vitest";
import { anIncident } from "../fakes/incident.ts";
import { type Opened, openDoor } from "./door.ts";

let door: Opened | null = null;
afterEach(async () => {
  await door?.close();
  door = null;
});

/** By node's own client: fetch does not let a Host header through. */
function get(
  path: string,
  headers: Record<string, string> = {},
  method = "GET",
): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const asked = request(`${door?.address}${path}`, { method, headers }, (answer) => {
      let body = "";
      answer.setEncoding("utf8").on("data", (piece: string) => {
        body += piece;
      });
      answer.on("end", () => resolve({ status: answer.statusCode ?? 0, body }));
    });
    asked.on("error", reject).end();
  });
}

describe("the pages", () => {
  it.each([
    ["GET", "/healthz", 200],
    ["HEAD", "/healthz", 200],
    ["GET", "/readyz", 200],
    ["GET", "/metrics", 200],
    ["GET", "/?page=1", 200],
    ["GET", "/api/github/webhooks", 405],
    ["POST", "/metrics", 405],
    ["DELETE", "/", 405],
    ["GET", "/probot", 404],
    ["GET", "//etc/passwd", 404],
    ["GET", "/../package.json", 404],
  ])("answer %s %s with %i", async (method, path, status) => {
    door = await openDoor();

    expect((await get(path, {}, method)).status).toBe(status);
  });

  it("say with 503 and the reasons that no work can be done", async () => {
    const readiness = { ready: false, checks: { store: "ok", sandbox: "bwrap is not on PATH" } };
    door = await openDoor({ readiness: async () => readiness });

    const { status, body } = await get("/readyz");

    expect([status, JSON.parse(body)]).toEqual([503, readiness]);
  });

  it.each<[string, string | null, Record<string, string>, number]>([
    ["no token is set and the caller sits here", null, {}, 200],
    ["a proxy stands between", null, { "x-forwarded-for": "127.0.0.1" }, 403],
    ["a proxy says so in its own words", null, { forwarded: "for=127.0.0.1" }, 403],
    ["a web page gave its name our address", null, { host: "attacker.example" }, 403],
    ["a token is set and none is given", "t0ken", {}, 401],
    ["another token is given", "t0ken", { authorization: "Bearer other" }, 401],
    ["the token is given", "t0ken", { authorization: "Bearer t0ken" }, 200],
    [
      "the token is given through a proxy",
      "t0ken",
      { authorization: "Bearer t0ken", "x-forwarded-for": "1.2.3.4" },
      200,
    ],
  ])("for operators, when %s", async (_, adminToken, headers, status) => {
    door = await openDoor({ adminToken });

    expect((await get("/metrics", headers)).status).toBe(status);
    expect((await get("/", headers)).status).toBe(status);
    expect((await get("/healthz", headers)).status).toBe(200);
  });

  it("count jobs and deliveries in Prometheus' format", async () => {
    door = await openDoor();
    await door.queue.put({ key: "a", kind: "delivery", group: null, runAt: new Date(0), data: {} });

    const { body } = await get("/metrics");

    expect(body).toMatch(/^# TYPE retrace_jobs gauge\nretrace_jobs\{state="waiting"\} 1$/m);
    expect(
      body.split("\n").filter((line) => line !== "" && !/^(?:#|[a-z_]+(?:\{\w+="\w+"\})? [\d.e+-]+$)/.test(line)),
    ).toEqual([]);
  });

  it("list incidents with all that is theirs escaped", async () => {
    door = await openDoor();
    const repository = { ...anIncident().repository, htmlUrl: "javascript:alert(1)" };
    await door.store.openIncident("k", () => anIncident({ headBranch: "<script>alert(1)</script>", repository }));

    const { body } = await get("/");

    expect(body).toContain("&lt;script&gt;alert(1)&lt;/script&gt;");
    expect(body).not.toMatch(/<script|javascript:/);
  });
});
