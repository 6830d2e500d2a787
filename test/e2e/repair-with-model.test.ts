import { writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type Script, startScriptedModel } from "../fakes/scripted-model.ts";
import { applyToFreshClone, fingerprint, git, type LogStep, makeClone, makePlace, recordLog } from "./clones.ts";
import { ensureBuilt, repairJson, retrace } from "./command-line.ts";
import { workflowOf, wrongSum, wrongSumUnformatted } from "./shelves.ts";
import { leftovers, processesNaming, transcripts } from "./traces.ts";

const place = makePlace();
const env = { RETRACE_DATA_DIR: place.dataDir };
const TESTS: readonly LogStep[] = [{ run: "npm test" }];
const MEND = { bash: "sed -i 's/room + shelf/room - shelf/' src/*.js" };
let clones = 0;

beforeAll(ensureBuilt);
afterEach(() => {
  expect(leftovers(place.dataDir)).toEqual([]);
  expect(processesNaming(place.folder)).toEqual([]);
});
afterAll(() => place.remove());

/** A clone, the log of its red run, and the arguments that name them. */
function redRun(files = wrongSum(), steps = TESTS, runner?: string, system?: string) {
  clones += 1;
  const clone = makeClone(path.join(place.folder, `shelf-${clones}`), files);
  const log = path.join(place.folder, `${clones}.log`);
  const workflow = path.join(place.folder, `${clones}.yml`);
  writeFileSync(log, recordLog(clone, steps, system));
  writeFileSync(workflow, workflowOf(steps, runner));
  return { clone, log, args: ["--repo", clone, "--log", log, "--workflow", workflow] };
}

/** Runs a repair with a model that says what the script says. */
async function withModel(script: Script, args: readonly string[], more: Readonly<Record<string, string>> = {}) {
  const model = await startScriptedModel(script);
  try {
    const settings = { ...env, OPENAI_BASE_URL: model.baseUrl, OPENAI_API_KEY: "key", RETRACE_MODEL: "scripted" };
    const ran = await repairJson(args, { env: { ...settings, ...more } });
    return { ...ran, requests: model.requests };
  } finally {
    await model.close();
  }
}

describe("a failing test", () => {
  it("is repaired by a model, and the check proves it", async () => {
    const { clone, args } = redRun();
    const before = fingerprint(clone);

    const { code, outcome, requests } = await withModel([MEND, { bash: "retrace-check" }, { done: true }], args, {
      RETRACE_MODEL_PRICE: "1/0.1/2",
    });

    expect(fingerprint(clone)).toEqual(before);
    expect([code, outcome.ended, outcome.verdict, outcome.provedBy]).toEqual([0, "repaired", "verified", "local"]);
    expect(outcome.files).toEqual(["src/shelf.js"]);
    expect(outcome.usage).toMatchObject({ calls: requests.length, inputTokens: 300, outputTokens: 30 });
    expect(outcome.usage.usd).toBeCloseTo(300e-6 + 60e-6, 9);
    applyToFreshClone(clone, outcome.patch ?? "");
  });

  it("stays open without a model, and the outcome says why", async () => {
    const { args } = redRun();

    const { code, outcome } = await repairJson(args, { env });

    expect([code, outcome.ended, outcome.verdict, outcome.reproduced]).toEqual([1, "not-repaired", "failed", "yes"]);
    expect(outcome.why).toContain("no model configured");
    expect(outcome.patch).toBeNull();
  });

  it("is not repaired by skipping it: the guard refuses", async () => {
    const { args } = redRun();
    const skip = { bash: "sed -i 's/^it(/it.skip(/' src/shelf.test.js" };

    const { code, outcome } = await withModel([skip, { done: true }], args);

    expect([code, outcome.ended, outcome.patch, outcome.files]).toEqual([1, "not-repaired", null, []]);
    expect(outcome.attempts.map(({ engine, exit }) => [engine, exit])[0]).toEqual(["base", "policy"]);
    expect(outcome.why).toMatch(/refused by the guard: src\/shelf\.test\.js/);
  });

  it.each([
    ["nonsense", { content: "Let me think about shelves." }, [], "format"],
    ["a bill above --max-usd", { bash: "true" }, ["--max-usd", "0.0002"], "cost"],
  ] as const)("ends in a guard when the model answers %s for ever", async (_what, reply, flags, exit) => {
    const { args } = redRun();

    const { code, outcome } = await withModel(() => reply, [...args, ...flags], { RETRACE_MODEL_PRICE: "1/1/1" });

    expect([code, outcome.ended, outcome.attempts.map((attempt) => attempt.exit)]).toEqual([1, "not-repaired", [exit]]);
  });

  it("ends with an outcome when the endpoint answers 500 for ever", async () => {
    const { args } = redRun();

    const { code, outcome } = await withModel(() => ({ status: 500, error: { message: "out of shelves" } }), args);

    expect([code, outcome.ended, outcome.attempts.map(({ exit }) => exit)]).toEqual([1, "not-repaired", ["upstream"]]);
    expect(outcome.why).toMatch(/500/);
  });

  it("keeps a secret of the log from stdout, transcripts and the model", async () => {
    const secret = `ghp_${"aB3dE5fG7h".repeat(4).slice(0, 36)}`;
    const { args } = redRun(wrongSum(`sent ${secret} along`));

    const { outcome, stdout, stderr, requests } = await withModel(
      [MEND, { bash: "retrace-check" }, { done: true }],
      args,
    );

    expect(outcome.ended).toBe("repaired");
    const seen = { stdout, stderr, asked: JSON.stringify(requests), kept: transcripts(place.dataDir) };
    for (const [where, text] of Object.entries(seen)) expect([where, text.includes(secret)]).toEqual([where, false]);
  });
});

it("a step that only Windows runs is not run here: its patch is shown, not called a repair", async () => {
  const { args } = redRun(wrongSum(), TESTS, "windows-latest", "Microsoft Windows Server 2022");

  const { code, outcome } = await withModel([MEND, { done: true }], args);

  expect([code, outcome.ended, outcome.verdict, outcome.reproduced]).toEqual([1, "not-repaired", "not-run", "not-run"]);
  expect(outcome.reason).toMatch(/windows/i);
  expect(outcome.patch).toContain("+export const left = (shelf) => shelf.room - shelf.used;");
  expect(outcome.problems.map(({ state }) => state)).toEqual(["unverified"]);
});

it("two problems of one job become two commits, each by the engine that can", async () => {
  const steps = [{ run: "npm ci" }, { run: "npm run style" }, { run: "npm test", always: true }];
  const { clone, args } = redRun(wrongSumUnformatted(), steps);

  const { code, outcome } = await withModel(
    [MEND, { bash: "retrace-check" }, { done: true }],
    [...args, "--branch", "mended"],
  );

  expect([code, outcome.ended, outcome.why]).toEqual([0, "repaired", expect.any(String)]);
  expect(outcome.attempts.map(({ problem, engine, exit }) => [problem, engine, exit])).toContainEqual([
    "p1",
    "autofix",
    "done",
  ]);
  expect(outcome.problems.map(({ state }) => state)).toEqual(["repaired", "repaired"]);
  expect(git(clone, "log", "--format=%H", "--reverse", "main..mended").split("\n")).toEqual(
    outcome.problems.map(({ commit }) => commit),
  );
  expect(git(clone, "diff", "--name-only", "main", "mended").split("\n")).toEqual(outcome.files);
});

describe("a repair that is told to stop", () => {
  it.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const)("on %s ends with %i, says so, and leaves nothing behind", async (signal, code) => {
    const steps = [{ run: "npm run slow", printed: "not in time", exit: 1 }];
    const files = { "package.json": '{ "scripts": { "slow": "sleep 45" } }\n' };
    const { clone, args } = redRun(files, steps);
    const before = fingerprint(clone);
    let told = false;

    const ran = await retrace(["repair", ...args, "--json"], {
      env,
      onStderr: (child, said) => {
        if (told || !said.includes("reproducing")) return;
        told = true;
        setTimeout(() => child.kill(signal), 1_000); // by then the command is running
      },
    });

    expect([ran.code, ran.stdout, ran.stderr.split("\n").at(-2)]).toEqual([
      code,
      "",
      "retrace: stopped; the clone is as it was",
    ]);
    expect(fingerprint(clone)).toEqual(before);
  });
});
