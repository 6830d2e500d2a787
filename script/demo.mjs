// The whole app against a stand-in for GitHub on this machine: called by script/demo, which sees to it that dist is there.
import { spawn } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { playRecording } from "../dist/simulator/recorded-model.js";
import { startSimulator } from "../dist/simulator/simulator.js";

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const cases = path.join(root, "test/cases/demo");
const work = mkdtempSync(path.join(tmpdir(), "retrace-demo-"));
const REPOSITORY = "acme/tidy-ledger";
// Longer than any step here takes on two slow cores; a demonstration that hangs should say so.
const PATIENCE_MS = 150_000;

const say = (text) => console.log(`\n\x1b[1m${text}\x1b[0m`);
const pause = (ms) => new Promise((done) => setTimeout(done, ms));
const indent = (text) =>
  text
    .split("\n")
    .map((line) => `  │ ${line}`)
    .join("\n");

/** Every file below a folder: path → text. */
function filesOf(folder, below = "") {
  return readdirSync(path.join(folder, below)).flatMap((name) => {
    const file = path.posix.join(below, name);
    if (statSync(path.join(folder, file)).isDirectory()) return filesOf(folder, file);
    return [[file, readFileSync(path.join(folder, file), "utf8")]];
  });
}

async function freePort() {
  const server = createServer();
  await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
  const { port } = server.address();
  await new Promise((closed) => server.close(closed));
  return port;
}

/** What the model of this demonstration is: the operator's own where one is configured, else answers recorded before. */
async function chooseModel() {
  if (process.env.OPENAI_API_KEY || process.env.OPENAI_BASE_URL) {
    return {
      env: {},
      about: `the model ${process.env.RETRACE_MODEL ?? "(RETRACE_MODEL is not set)"}`,
      close: async () => {},
    };
  }
  const recording = await playRecording(path.join(cases, "recorded-overdrawn.json"));
  return {
    env: { OPENAI_BASE_URL: recording.baseUrl, RETRACE_MODEL: "recorded" },
    about: `RECORDED answers, no model is asked (${recording.about})`,
    close: () => recording.close(),
  };
}

async function startApp(hub, model) {
  const port = await freePort();
  const app = spawn(process.execPath, [path.join(root, "dist/main.js"), "serve"], {
    env: {
      ...process.env,
      ...model.env,
      APP_ID: String(hub.appId),
      PRIVATE_KEY: hub.privateKey,
      WEBHOOK_SECRET: "demo-secret",
      GHE_HOST: hub.host,
      GHE_PROTOCOL: "http",
      PORT: String(port),
      LOG_LEVEL: "warn",
      RETRACE_DATA_DIR: path.join(work, "data"),
      RETRACE_GITHUB_THROTTLE: "off",
      RETRACE_COLLECT_MS: "1500",
    },
    stdio: ["ignore", "inherit", "inherit"],
  });
  let ended = false;
  app.on("exit", () => {
    ended = true;
  });
  for (let waited = 0; ; waited += 100) {
    const answer = await fetch(`http://127.0.0.1:${port}/healthz`).catch(() => null);
    if (answer?.ok) break;
    if (ended || waited > 20_000) throw new Error("the app did not start");
    await pause(100);
  }
  hub.sendWebhooksTo(`http://127.0.0.1:${port}/api/github/webhooks`);
  return app;
}

/** Pushes a branch that breaks CI, opens a pull request, and waits until ours is ready or everything is said. */
async function breakAndWait(hub, branch, title, files) {
  const started = Date.now();
  await hub.pushCommit(REPOSITORY, branch, files, { message: title });
  const red = await hub.openPullRequest(REPOSITORY, { head: branch, title });
  for (;;) {
    const ours = hub.pullRequests(REPOSITORY).find((pull) => pull.base === branch && pull.number !== red);
    const comment = hub.comments(REPOSITORY, red)[0]?.body ?? "";
    // The comment is the last thing to be brought up to date.
    if (ours && !ours.draft && comment.includes("proved by CI"))
      return { red, ours, comment, seconds: (Date.now() - started) / 1000 };
    if (Date.now() - started > PATIENCE_MS) {
      console.error(comment || "nothing was said");
      throw new Error(`no ready pull request for #${red} after ${PATIENCE_MS / 1000} s`);
    }
    await pause(250);
  }
}

async function show(hub, { red, ours, comment, seconds }) {
  const runs = hub.runs(REPOSITORY).filter((run) => run.headSha === ours.headSha);
  console.log(
    `  #${red} went red; ${seconds.toFixed(0)} s later #${ours.number} (${ours.head} → ${ours.base}) is ready.`,
  );
  console.log(`  CI on it: ${runs.map((run) => `${run.name} ${run.conclusion}`).join(", ")}`);
  console.log(`\n  The pull request #${ours.number}: ${ours.title}\n${indent(ours.body ?? "")}`);
  console.log(`\n  The one comment on #${red}, first lines:\n${indent(comment.split("\n").slice(1, 4).join("\n"))}`);
  if (runs.length === 0 || runs.some((run) => run.conclusion !== "success")) throw new Error("CI is not green on it");
}

const hub = await startSimulator({ folder: mkdtempSync(path.join(work, "hub-")), webhookSecret: "demo-secret" });
const model = await chooseModel();
let app = null;
try {
  cpSync(path.join(cases, "repository"), path.join(work, "repository"), { recursive: true });
  const broken = Object.fromEntries(filesOf(path.join(work, "repository")));
  const green = readFileSync(path.join(cases, "ledger.green.js"), "utf8");
  const { ".github/workflows/ci.yml": workflow, ...files } = { ...broken, "src/ledger.js": green };
  const [owner, name] = REPOSITORY.split("/");
  await hub.createRepository({ owner, name, files, workflows: { "ci.yml": workflow } });
  app = await startApp(hub, model);

  say("1. A pull request fails its formatting check. No model is needed.");
  const first = { "src/ledger.js": broken["src/ledger.js"] };
  await show(hub, await breakAndWait(hub, "overdrawn", "Add the overdrawn check", first));

  say(`2. Another one fails a test. It is repaired with ${model.about}.`);
  const second = { "src/ledger.js": readFileSync(path.join(cases, "ledger.wrong.js"), "utf8") };
  await show(hub, await breakAndWait(hub, "simplify", "Simplify the overdrawn check", second));

  say("Done: two red runs, two pull requests, both proved by CI and ready for review.");
} catch (error) {
  console.error(`\nThe demonstration failed: ${error instanceof Error ? error.message : error}`);
  process.exitCode = 1;
} finally {
  if (app !== null && app.exitCode === null) {
    app.kill("SIGTERM");
    await new Promise((ended) => app.once("exit", ended));
  }
  await model.close();
  await hub.close();
  rmSync(work, { recursive: true, force: true });
}
