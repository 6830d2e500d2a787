import { readFileSync } from "node:fs";
import type { TrialTask } from "../../../agent/trial.ts";
import { tryCandidate } from "../../../agent/trial.ts";
import type { Workbench } from "../../../agent/workbench.ts";
import type { SandboxRoom } from "../../../ports/sandbox.ts";
import { definitionAt, outline } from "../../../text/code-outline.ts";
import { redact } from "../../../text/redact.ts";
import { TOOLS } from "../../../tools/tools.ts";
import type { PlacedProbe } from "./probes/insert-probes.ts";
import type { ProbeLanguage } from "./probes/probe-language.ts";
import { TAIL_BYTES, type TestTrace, TRACE_LIMIT_BYTES, type Trace } from "./trace.ts";

export interface InstrumentedFile {
  readonly path: string;
  readonly text: string;
  readonly language: ProbeLanguage;
}

/** `failed`: with the probes the check behaves otherwise, so that its trace would be about something else. */
export type Collected =
  | { readonly ended: "collected" | "empty"; readonly trace: Trace }
  | { readonly ended: "failed"; readonly why: string };

const MOST_TESTS = 4; // papers §4.5
const ROOM_MS = 30_000; // writing and reading a few small files

/**
 * Runs the failing check on the tree with probes in it and reads what they wrote. The log lies in the room's own folder
 * for temporary files, never in the tree, which is given back as it was.
 */
export async function collectTrace(
  files: readonly InstrumentedFile[],
  probes: readonly PlacedProbe[],
  task: TrialTask & { readonly failing: readonly string[] },
  bench: Workbench,
): Promise<Collected> {
  const dir = await makeTraceFolder(files, probes, bench);
  if (dir === null) return { ended: "failed", why: "the room has no place for a trace" };
  try {
    const helpers = files.flatMap((file) => helperFor(file, dir, probes));
    const env = await environmentFor(files, dir, task.check.env, bench.room);
    const check = { ...task.check, env: { ...task.check.env, ...env }, command: narrowed(task) };
    const changes = [...files.map(({ path, text }) => ({ path, text })), ...helpers];
    const trial = await tryCandidate({ files: changes }, { ...task, check }, bench);
    if (trial.run === null || trial.score !== 1 || trial.introduced.length > 0) {
      const why = trial.score === 2 ? "with the probes the check passes" : trial.feedback.message;
      return { ended: "failed", why };
    }
    const tests = await readTraces(dir, task.failing, bench);
    const status = tests.length > 0 ? "collected" : "empty";
    return { ended: status, trace: { status, tests } };
  } finally {
    await inRoom(bench.room, `rm -rf -- ${quote(dir)}`);
  }
}

/** The failing command on the failing tests alone, where its tool can be told to. */
function narrowed({ check, before }: TrialTask): string {
  const tool = TOOLS.find(({ name }) => name === check.tool);
  if (tool?.narrow === undefined || !tool.answersTo(check.command)) return check.command;
  const diagnostics = (before?.failures ?? []).map((failure) => ({ ...failure, lines: [] }));
  return diagnostics.length === 0 ? check.command : (tool.narrow(check.command, diagnostics) ?? check.command);
}

async function makeTraceFolder(
  files: readonly InstrumentedFile[],
  probes: readonly PlacedProbe[],
  { room, world }: Workbench,
): Promise<string | null> {
  const name = `retrace-trace-${world.nonce()}`;
  const made = await inRoom(room, `d="\${TMPDIR:-/tmp}/${name}"; mkdir -p "$d" && cd "$d" && printf '%s' "$PWD"`);
  const dir = made.output.trim();
  if (made.exitCode !== 0 || !dir.startsWith("/")) return null;
  const labels = Object.fromEntries(probes.map(({ id, label }) => [id, label]));
  const settings = JSON.stringify({ dir, tree: room.treeInside, labels, limitBytes: TRACE_LIMIT_BYTES });
  const hooks = files.some(({ language }) => language.name === "Python") ? ["sitecustomize.py"] : ["probe-hook.cjs"];
  for (const [file, text] of [["settings.json", settings], ...hooks.map((hook) => [hook, readHook(hook)])]) {
    const ran = await inRoom(room, `cat > ${quote(`${dir}/${file}`)} <<'RETRACE_END'\n${text}\nRETRACE_END\n`);
    if (ran.exitCode !== 0) return null;
  }
  return dir;
}

function readHook(name: string): string {
  return readFileSync(new URL(`hooks/${name}`, import.meta.url), "utf8");
}

/** How the program is made to load the hook. */
async function environmentFor(
  files: readonly InstrumentedFile[],
  dir: string,
  env: Readonly<Record<string, string>>,
  room: SandboxRoom,
): Promise<Readonly<Record<string, string>>> {
  const names = files.map(({ language }) => language.name);
  const had = async (name: string) => env[name] ?? (await inRoom(room, `printf '%s' "$${name}"`)).output;
  if (names.includes("Python")) {
    const path = await had("PYTHONPATH");
    return { PYTHONPATH: path === "" ? dir : `${dir}:${path}`, PYTHONDONTWRITEBYTECODE: "1" };
  }
  if (names.includes("JavaScript") || names.includes("TypeScript")) {
    return { NODE_OPTIONS: `${await had("NODE_OPTIONS")} --require ${dir}/probe-hook.cjs`.trim() };
  }
  return {};
}

/** Compiled languages get the probe's own code beside the file, in its package. */
function helperFor(
  { path, text, language }: InstrumentedFile,
  dir: string,
  probes: readonly PlacedProbe[],
): readonly { readonly path: string; readonly text: string }[] {
  const row = HELPERS[language.name];
  if (row === undefined) return [];
  const folder = path.includes("/") ? path.slice(0, path.lastIndexOf("/") + 1) : "";
  const labels = probes.map(({ id, label }) => `${id}\t${label}`).join("\n");
  const holes: Readonly<Record<string, string>> = {
    package: row.package.exec(text)?.[1] ?? "",
    dir: JSON.stringify(dir),
    labels: JSON.stringify(labels),
    limitBytes: String(TRACE_LIMIT_BYTES),
  };
  const code = readHook(row.hook).replace(/\{\{(\w+)\}\}/g, (_, name: string) => holes[name] ?? "");
  return [{ path: folder + row.file, text: code }];
}

const HELPERS: Readonly<Record<string, { readonly hook: string; readonly file: string; readonly package: RegExp }>> = {
  Go: { hook: "probe_helper.go.txt", file: "retrace_probe_helper.go", package: /^package[ \t]+(\w+)/m },
  Java: { hook: "RetraceProbe.java.txt", file: "RetraceProbe.java", package: /^(package[ \t]+[\w.]+[ \t]*;)/m },
};

const NAMES_BYTES = 200_000;

async function readTraces(dir: string, failing: readonly string[], bench: Workbench): Promise<readonly TestTrace[]> {
  const { room } = bench;
  const listed = await inRoom(room, `head -c ${NAMES_BYTES} ${quote(`${dir}/names`)} 2>/dev/null`);
  const rows: Named[] = [];
  for (const line of listed.output.split("\n")) {
    const [, file = "", key = ""] = /^([\w-]+)\t(.*)$/.exec(line) ?? [];
    if (file !== "") rows.push({ file, test: await nameOf(key, bench) });
  }
  const chosen = choose(rows, failing);
  const traces: TestTrace[] = [];
  for (const { file, test } of chosen) traces.push(await readOne(`${dir}/${file}`, test, room));
  return traces.filter(({ bytesSeen }) => bytesSeen > 0);
}

interface Named {
  readonly file: string;
  readonly test: string;
}

/** `@half.test.mjs:4` stands for the test around that line. */
async function nameOf(key: string, { copy }: Workbench): Promise<string> {
  const [, file, line] = /^@(.+):(\d+)$/.exec(key) ?? [];
  if (file === undefined) return key;
  const text = await copy.read(await copy.snapshot(), file);
  const tests = text === null ? [] : outline(file, text).filter(({ kind }) => kind === "test");
  return definitionAt(tests, Number(line))?.name ?? `${file}:${line}`;
}

/** The failing tests' own; where none can be told apart, the first ones. */
function choose(rows: readonly Named[], failing: readonly string[]): readonly Named[] {
  const plain = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "");
  const names = failing.map(plain).filter((name) => name !== "");
  const isFailing = ({ test }: Named): boolean => {
    const own = plain(test);
    return own !== "" && names.some((name) => own === name || own.endsWith(name) || name.endsWith(own));
  };
  const own = rows.filter(isFailing);
  return (own.length > 0 ? own : rows).slice(0, MOST_TESTS);
}

const FIRSTS_BYTES = 8_000;

async function readOne(file: string, test: string, room: SandboxRoom): Promise<TestTrace> {
  const [log, first] = [quote(`${file}.log`), quote(`${file}.first`)];
  const size = await inRoom(room, `wc -c < ${log}`);
  const tail = await inRoom(room, `tail -c ${TAIL_BYTES} ${log}`);
  const firsts = await inRoom(room, `head -c ${FIRSTS_BYTES} ${first}`);
  const bytesSeen = Number(size.output.trim()) || 0;
  return {
    testId: test === "" ? "outside of any test" : redact(test).slice(0, 200),
    tail: redact(tail.output),
    firstHits: redact(firsts.output),
    bytesSeen,
    guardHit: bytesSeen > TRACE_LIMIT_BYTES,
  };
}

function inRoom(room: SandboxRoom, script: string): ReturnType<SandboxRoom["run"]> {
  return room.run({ script, shell: "sh", cwd: "", env: {}, network: "off", timeoutMs: ROOM_MS });
}

function quote(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
