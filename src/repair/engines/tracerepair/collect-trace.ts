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
  limitBytes = TRACE_LIMIT_BYTES,
): Promise<Collected> {
  const folder = await makeTraceFolder(files, probes, limitBytes, bench);
  if (folder === null) return { ended: "failed", why: "the room has no place for a trace" };
  const { dir } = folder;
  try {
    const helpers = files.flatMap((file) => helperFor(file, dir, probes, limitBytes));
    const env = environmentFor(files, folder, task.check.env);
    const check = { ...task.check, env: { ...task.check.env, ...env }, command: narrowed(task) };
    const changes = [...files.map(({ path, text }) => ({ path, text })), ...helpers];
    const trial = await tryCandidate({ files: changes }, { ...task, check }, bench);
    if (trial.run === null || trial.score !== 1 || trial.introduced.length > 0) {
      const why = trial.score === 2 ? "with the probes the check passes" : trial.feedback.message;
      return { ended: "failed", why };
    }
    const tests = await readTraces(dir, task.failing, limitBytes, bench);
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

interface Folder {
  readonly dir: string;
  /** What these variables are in the room. */
  readonly had: Readonly<Record<string, string>>;
}

/** One command: each start of a room costs more than what is written. */
async function makeTraceFolder(
  files: readonly InstrumentedFile[],
  probes: readonly PlacedProbe[],
  limitBytes: number,
  { room, world }: Workbench,
): Promise<Folder | null> {
  const labels = Object.fromEntries(probes.map(({ id, label }) => [id, label]));
  const hook = files.some(({ language }) => language.name === "Python") ? "sitecustomize.py" : "probe-hook.cjs";
  const settings = JSON.stringify({ dir: "@DIR@", tree: room.treeInside, labels, limitBytes });
  const put = (file: string, text: string) => `cat > ${file} <<'RETRACE_END'\n${text}\nRETRACE_END\n`;
  const made = await inRoom(
    room,
    [
      `d="\${TMPDIR:-/tmp}/retrace-trace-${world.nonce()}"; mkdir -p "$d" && cd "$d" || exit 1`,
      put("settings.with-hole", settings),
      put(hook, readHook(hook)),
      `sed "s|@DIR@|$PWD|" settings.with-hole > settings.json || exit 1`,
      `printf '%s\\n%s\\n%s\\n' "$PWD" "$NODE_OPTIONS" "$PYTHONPATH"`,
    ].join("\n"),
  );
  const [dir = "", nodeOptions = "", pythonPath = ""] = made.output.split("\n");
  if (made.exitCode !== 0 || !dir.startsWith("/")) return null;
  return { dir, had: { NODE_OPTIONS: nodeOptions, PYTHONPATH: pythonPath } };
}

function readHook(name: string): string {
  return readFileSync(new URL(`hooks/${name}`, import.meta.url), "utf8");
}

/** How the program is made to load the hook; what the check or the room set already stays. */
function environmentFor(
  files: readonly InstrumentedFile[],
  { dir, had }: Folder,
  env: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const names = files.map(({ language }) => language.name);
  if (names.includes("Python")) {
    const path = env.PYTHONPATH ?? had.PYTHONPATH ?? "";
    return { PYTHONPATH: path === "" ? dir : `${dir}:${path}`, PYTHONDONTWRITEBYTECODE: "1" };
  }
  if (names.includes("JavaScript") || names.includes("TypeScript")) {
    return { NODE_OPTIONS: `${env.NODE_OPTIONS ?? had.NODE_OPTIONS ?? ""} --require ${dir}/probe-hook.cjs`.trim() };
  }
  return {};
}

/** Compiled languages get the probe's own code beside the file, in its package. */
function helperFor(
  { path, text, language }: InstrumentedFile,
  dir: string,
  probes: readonly PlacedProbe[],
  limitBytes: number,
): readonly { readonly path: string; readonly text: string }[] {
  const row = HELPERS[language.name];
  if (row === undefined) return [];
  const folder = path.includes("/") ? path.slice(0, path.lastIndexOf("/") + 1) : "";
  const labels = probes.map(({ id, label }) => `${id}\t${label}`).join("\n");
  const holes: Readonly<Record<string, string>> = {
    package: row.package.exec(text)?.[1] ?? "",
    dir: JSON.stringify(dir),
    labels: JSON.stringify(labels),
    limitBytes: String(limitBytes),
  };
  const code = readHook(row.hook).replace(/\{\{(\w+)\}\}/g, (_, name: string) => holes[name] ?? "");
  return [{ path: folder + row.file, text: code }];
}

const HELPERS: Readonly<Record<string, { readonly hook: string; readonly file: string; readonly package: RegExp }>> = {
  Go: { hook: "probe_helper.go.txt", file: "retrace_probe_helper.go", package: /^package[ \t]+(\w+)/m },
  Java: { hook: "RetraceProbe.java.txt", file: "RetraceProbe.java", package: /^(package[ \t]+[\w.]+[ \t]*;)/m },
};

const NAMES_BYTES = 200_000;

async function readTraces(
  dir: string,
  failing: readonly string[],
  limitBytes: number,
  bench: Workbench,
): Promise<readonly TestTrace[]> {
  const { room } = bench;
  const listed = await inRoom(room, `head -c ${NAMES_BYTES} ${quote(`${dir}/names`)} 2>/dev/null`);
  const rows: Named[] = [];
  for (const line of listed.output.split("\n")) {
    const [, file = "", key = ""] = /^([\w-]+)\t(.*)$/.exec(line) ?? [];
    if (file !== "") rows.push({ file, test: await nameOf(key, bench) });
  }
  const chosen = choose(rows, failing);
  const mark = bench.world.nonce();
  const script = chosen.map(({ file }) => readOne(`${dir}/${file}`, mark)).join("\n");
  const parts = (await inRoom(room, script)).output.split(`${mark}\n`);
  const traces = chosen.map(({ test }, at): TestTrace => {
    const [size = "", tail = "", firstHits = ""] = parts.slice(at * PARTS, (at + 1) * PARTS);
    const bytesSeen = Number(size.trim()) || 0;
    return {
      testId: test === "" ? "outside of any test" : redact(test).slice(0, 200),
      tail: redact(tail),
      firstHits: redact(firstHits),
      bytesSeen,
      guardHit: bytesSeen > limitBytes,
    };
  });
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

const PARTS = 3;

/** Prints its length, its end, and the first line of each probe, a mark that nobody can guess behind each. */
function readOne(file: string, mark: string): string {
  const [log, first] = [quote(`${file}.log`), quote(`${file}.first`)];
  const reads = [`wc -c < ${log}`, `tail -c ${TAIL_BYTES} ${log}`, `head -c ${FIRSTS_BYTES} ${first}`];
  return reads.map((read) => `${read}; printf '%s\\n' ${mark}`).join("\n");
}

function inRoom(room: SandboxRoom, script: string): ReturnType<SandboxRoom["run"]> {
  return room.run({ script, shell: "sh", cwd: "", env: {}, network: "off", timeoutMs: ROOM_MS });
}

function quote(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
