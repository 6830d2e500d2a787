import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { createNodeMiddleware, Probot, ProbotOctokit } from "probot";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startForTests } from "./start.ts";

const started = startForTests(async (simulator) => {
  await simulator.createRepository({
    owner: "octo",
    name: "app",
    workflows: { "ci.yml": "on: push\njobs:\n  a:\n    runs-on: x\n    steps: [{ run: exit 1 }]\n" },
  });
});
let server: Server;

beforeAll(async () => {
  const { simulator } = started;
  const probot = new Probot({
    appId: simulator.appId,
    privateKey: simulator.privateKey ?? "",
    secret: "secret",
    baseUrl: simulator.apiUrl,
    logLevel: "fatal",
    // Without pacing: the object form would be overridden by Probot.
    Octokit: ProbotOctokit.defaults((given: object) => ({
      ...given,
      throttle: { enabled: false },
      retry: { enabled: false },
    })),
  });
  const middleware = await createNodeMiddleware(
    (app) => {
      app.on("workflow_run.completed", async (context) => {
        const { head_sha, conclusion } = context.payload.workflow_run;
        await context.octokit.rest.checks.create(
          context.repo({
            name: "SEEN",
            head_sha,
            conclusion: "neutral",
            output: { title: String(conclusion), summary: "…" },
          }),
        );
      });
    },
    { probot, webhooksPath: "/hooks" },
  );
  server = createServer(middleware);
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  simulator.sendWebhooksTo(`http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`);
});
afterAll(() => server.close());

describe("a real Probot app", () => {
  it("takes the webhooks, logs in with its key and answers through the API", async () => {
    await started.simulator.runWorkflows("octo/app", "main");
    await started.simulator.idle();
    const completed = started.simulator.deliveries().filter((one) => one.event === "workflow_run");

    expect(started.simulator.checkRuns("octo/app").filter((check) => check.app === "retrace")).toMatchObject([
      { name: "SEEN", conclusion: "neutral", title: "failure" },
    ]);
    expect(completed.map((one) => [one.action, one.statusCode])).toEqual([
      ["requested", 200],
      ["in_progress", 200],
      ["completed", 200],
    ]);
    expect(started.simulator.requests().filter((one) => one.path.endsWith("/access_tokens"))).toMatchObject([
      { status: 201 },
    ]);
  });
});
