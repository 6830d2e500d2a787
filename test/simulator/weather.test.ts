import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it } from "vitest";
import type { Fault } from "../../src/simulator/state/weather.ts";
import { startForTests } from "./start.ts";

const REPO = "octo/weather";
const CI =
  "on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n      - run: echo first\n      - run: echo second\n";
const where = { owner: "octo", repo: "weather" };
const started = startForTests(async (simulator) => {
  await simulator.createRepository({ owner: "octo", name: "weather", workflows: { "ci.yml": CI } });
});

async function pushAndRun(branch: string, text: string) {
  const sha = await started.simulator.pushCommit(REPO, branch, { "a.txt": text });
  await started.simulator.idle();
  return started.simulator.runs(REPO).find((run) => run.headSha === sha);
}

describe("bad weather", () => {
  it.each<[Fault["kind"], string]>([
    ["runner-lost", "##[error]The hosted runner lost communication with the server."],
    ["network", "npm error code ECONNRESET"],
    ["flaky", "Error: Test timed out in 5000ms."],
  ])("of kind %s fails one run, and a re-run is green", async (kind, words) => {
    started.simulator.weather.nextRunFails({ kind, repository: REPO });
    const run = await pushAndRun(kind, kind);
    const log = run?.jobs[0]?.log ?? "";
    await started.simulator.rerun(REPO, run?.id ?? 0, "failed");
    await started.simulator.idle();

    expect(run?.conclusion).toBe("failure");
    expect(log).toContain(words);
    expect(started.simulator.runs(REPO).find((one) => one.id === run?.id)).toMatchObject({
      attempt: 2,
      conclusion: "success",
    });
  });

  it.each([
    ["missing", 404],
    ["broken", 502],
    ["gone", 410],
  ] as const)("makes logs %s for a while", async (state, status) => {
    const run = await pushAndRun(`logs-${state}`, state);
    const octokit = started.connect(await started.token("octo"));
    const ask = () => octokit.rest.actions.downloadJobLogsForWorkflowRun({ ...where, job_id: run?.jobs[0]?.id ?? 0 });
    started.simulator.weather.logsAre(state, 5_000);

    await expect(ask()).rejects.toMatchObject({ status });
    started.simulator.clock.skip(5_001);
    expect((await ask()).status).toBe(200);
  });

  it("holds runs back, for want of approval or altogether", async () => {
    started.simulator.weather.approvalNeededOn("held");
    started.simulator.weather.noRunsOn("silent");

    expect(await pushAndRun("held", "held")).toMatchObject({
      status: "completed",
      conclusion: "action_required",
      jobs: [],
    });
    expect(await pushAndRun("silent", "silent")).toBeUndefined();
  });

  it("delays jobs", async () => {
    started.simulator.weather.slowRuns(400);
    const before = Date.now();
    await pushAndRun("slow", "slow");
    started.simulator.weather.slowRuns(0);

    expect(Date.now() - before).toBeGreaterThanOrEqual(400);
  });
});

describe("a log link", () => {
  async function linkOf(): Promise<string> {
    const run = await pushAndRun(`link-${Math.random()}`, "link");
    const { apiUrl } = started.simulator;
    const answer = await fetch(`${apiUrl}/repos/${REPO}/actions/jobs/${run?.jobs[0]?.id}/logs`, {
      redirect: "manual",
      headers: { authorization: `Bearer ${await started.token("octo")}` },
    });
    expect(answer.status).toBe(302);
    return answer.headers.get("location") ?? "";
  }

  it("leads to another host name, which wants no token", async () => {
    const link = await linkOf();

    expect(new URL(link).hostname).not.toBe(new URL(started.simulator.apiUrl).hostname);
    expect((await fetch(link)).status).toBe(200);
    expect((await fetch(link, { headers: { authorization: "Bearer x" } })).status).toBe(400);
    expect((await fetch(link.replace("localhost", "127.0.0.1"))).status).toBe(404);
  });

  it("lives one minute", async () => {
    const link = await linkOf();
    started.simulator.clock.skip(60_000);

    expect((await fetch(link)).status).toBe(403);
  });
});

describe("a delivery", () => {
  it("is noted with its answer, not tried again, and can be sent again under its GUID", async () => {
    const seen: string[] = [];
    const server = createServer((request, response) => {
      seen.push(String(request.headers["x-github-delivery"]));
      request.resume();
      response.writeHead(seen.length === 1 ? 500 : 202).end();
    });
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    started.simulator.sendWebhooksTo(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    const first = started.simulator.deliver("ping", { zen: "Keep it logically awesome." });
    await started.simulator.idle();
    const again = started.simulator.redeliver(first.guid);
    await started.simulator.idle();
    const { data } = await started.connect(started.jwt).request("GET /app/hook/deliveries");
    await new Promise((done) => server.close(done));
    const lost = started.simulator.deliver("ping", {});
    await started.simulator.idle();

    expect(seen).toEqual([first.guid, first.guid]);
    expect(data.slice(0, 2).map((one) => [one.guid, one.redelivery, one.status_code])).toEqual([
      [first.guid, true, 202],
      [first.guid, false, 500],
    ]);
    expect([first.status, again.status, lost.status]).toEqual([
      "Invalid HTTP Response: 500",
      "OK",
      "failed to connect to host",
    ]);
  });

  it("of an app without the permission or the subscription is not made", async () => {
    const events = new Set(started.simulator.deliveries().map((one) => one.event));

    expect(events.has("workflow_run")).toBe(true);
    expect(events.has("workflow_job")).toBe(false);
  });
});
