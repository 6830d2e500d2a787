import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { build } from "esbuild";
import { afterAll, beforeAll, expect, it } from "vitest";
import { fileExperienceStore } from "../../../src/adapters/store/experience-store.ts";

// Inside the repository, so that the bundle finds the packages it does not hold.
const bundles = mkdtempSync(path.join(import.meta.dirname, "../../../node_modules/.experience-"));
const folder = mkdtempSync(path.join(tmpdir(), "experience-kill-"));
const writer = path.join(bundles, "writer.mjs");
const running: ChildProcess[] = [];

beforeAll(async () => {
  await build({
    entryPoints: [path.join(import.meta.dirname, "experience-writer.ts")],
    bundle: true,
    platform: "node",
    format: "esm",
    packages: "external",
    outfile: writer,
  });
});
afterAll(() => {
  for (const child of running) child.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
  rmSync(bundles, { recursive: true, force: true });
});

/** Writes records `<name>-0`, `<name>-1`, … and says each one once it is kept. */
function start(place: string, name: string, count: number) {
  const child = spawn(process.execPath, [writer, place, name, String(count)], { stdio: ["ignore", "pipe", "inherit"] });
  running.push(child);
  let said = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    said += text;
  });
  // Each child rests before `close` only when its output is read to the end.
  const ended = once(child, "close");
  return { child, ended, said: () => said.split("\n").slice(0, -1) };
}

it("a kill in the middle of writing loses nothing that was said to be kept, and doubles nothing", {
  timeout: 60_000,
}, async () => {
  const place = path.join(folder, "killed");
  let told: string[] = [];
  for (let round = 0; round < 8; round++) {
    const { child, ended, said } = start(place, `r${round}`, 100_000);
    while (said().length < 3 + round * 2) await new Promise((resolve) => setTimeout(resolve, 2));
    child.kill("SIGKILL");
    await ended;
    told = [...told, ...said()];

    const store = fileExperienceStore(place);
    const kept = (await store.list()).map(({ meta }) => meta.id);
    const report = await store.check();
    await store.close();

    expect(kept).toEqual(expect.arrayContaining(told));
    expect(new Set(kept).size).toBe(kept.length);
    // What it had written and not yet said: one batch at most in each round.
    expect(kept.length).toBeLessThanOrEqual(told.length + 3 * (round + 1));
    expect(report).toMatchObject({ findings: [], lines: kept.length, records: kept.length });
  }
});

it("several processes write at the same time", { timeout: 60_000 }, async () => {
  const place = path.join(folder, "together");
  const writers = ["a", "b", "c"].map((name) => start(place, name, 20));
  await Promise.all(writers.map(({ ended }) => ended));

  const store = fileExperienceStore(place);
  const kept = (await store.list()).map(({ meta }) => meta.id);
  const report = await store.check();
  const counter = await store.get("counter");
  await store.close();

  expect(writers.map(({ child }) => child.exitCode)).toEqual([0, 0, 0]);
  expect(kept.filter((id) => id !== "counter").sort()).toEqual(writers.flatMap(({ said }) => said()).sort());
  expect(kept).toHaveLength(61);
  // Each of them read it, added one and wrote it back.
  expect(counter?.meta.support).toBe(60);
  expect(report.findings).toEqual([]);
});
