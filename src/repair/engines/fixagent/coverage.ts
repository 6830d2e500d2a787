import path from "node:path";
import { z } from "zod";
import type { Workbench } from "../../../agent/workbench.ts";
import type { Check } from "../../../domain/check.ts";
import type { LineRange } from "../../../domain/experience.ts";
import { type SandboxRoom, SandboxUnavailable } from "../../../ports/sandbox.ts";
import { outline } from "../../../text/code-outline.ts";

/** How one language tells which lines of a file ran (papers §3.5: the most valuable of FixAgent's tools). */
interface Coverage {
  readonly extensions: RegExp;
  /** Laid out in the room before the check runs; null when nothing is. */
  readonly helper: { readonly name: string; readonly text: string } | null;
  /** The check with recording switched on; null when this form of it cannot be recorded. */
  readonly record: (check: Check, at: { readonly folder: string; readonly file: string }) => Check | null;
  /** A shell script that prints what was recorded as JSON (`Recorded`). */
  readonly collect: (at: { readonly folder: string; readonly file: string }) => string;
}

const Ranges = z.array(z.tuple([z.number().int().positive(), z.number().int().positive()])).max(20_000);
/** `lines`: exact; `functions`: names only, for code that was transformed on its way. */
const Recorded = z.union([
  z.object({ lines: Ranges }),
  z.object({ functions: z.array(z.string().max(200)).max(5_000) }),
]);

const RUN_MS = 300_000; // papers §3.3: a test run gets so long
const COLLECT_MS = 60_000;

/**
 * The lines of a file that ran while the failing check ran, ascending; null where that cannot be told (another language, a
 * check that cannot be run, nothing recorded). The tree is given back as it was. Never throws for what a command does.
 */
export async function coveredLines(file: string, check: Check, bench: Workbench): Promise<readonly LineRange[] | null> {
  const kind = COVERAGES.find(({ extensions }) => extensions.test(file));
  if (kind === undefined || check.notRun !== null || check.installs) return null;
  const start = await bench.copy.snapshot();
  const text = await bench.copy.read(start, file);
  if (text === null) return null;
  try {
    const recorded = await recordIn(bench.room, kind, file, check);
    if (recorded === null) return null;
    if ("lines" in recorded) return merged(recorded.lines.map(([from, to]) => ({ start: from, end: to })));
    return functionLines(file, text, recorded.functions);
  } catch (error) {
    if (error instanceof SandboxUnavailable) return null;
    throw error;
  } finally {
    await bench.copy.restore(start);
  }
}

async function recordIn(
  room: SandboxRoom,
  kind: Coverage,
  file: string,
  check: Check,
): Promise<z.infer<typeof Recorded> | null> {
  const shell = (script: string, timeoutMs: number) =>
    room.run({ script, shell: "bash", cwd: "", env: {}, network: "off", timeoutMs });
  const made = await shell(`mktemp -d "\${TMPDIR:-/tmp}/cover.XXXXXX"`, COLLECT_MS);
  const folder = made.output.trim();
  if (made.exitCode !== 0 || !path.posix.isAbsolute(folder)) return null;
  try {
    const at = { folder, file: path.posix.join(room.treeInside, file) };
    const recording = kind.record(check, at);
    if (recording === null) return null;
    if (kind.helper !== null) {
      await shell(
        `cat > '${folder}/${kind.helper.name}' <<'RETRACE_END'\n${kind.helper.text}\nRETRACE_END`,
        COLLECT_MS,
      );
    }
    const { command, shell: own, cwd, env } = recording;
    await room.run({ script: command, shell: own, cwd, env, network: "off", timeoutMs: RUN_MS });
    const said = await shell(kind.collect(at), COLLECT_MS);
    return said.exitCode === 0 ? readRecorded(said.output) : null;
  } finally {
    await shell(`rm -rf '${folder}'`, COLLECT_MS);
  }
}

/** The room's output is a stranger's: only what has the right form counts. */
function readRecorded(output: string): z.infer<typeof Recorded> | null {
  try {
    const read = Recorded.safeParse(JSON.parse(output.trim().split("\n").at(-1) ?? ""));
    if (!read.success) return null;
    const empty = "lines" in read.data ? read.data.lines.length === 0 : read.data.functions.length === 0;
    return empty ? null : read.data;
  } catch {
    return null;
  }
}

function functionLines(file: string, text: string, names: readonly string[]): readonly LineRange[] | null {
  const ran = new Set(names);
  const ranges = outline(file, text)
    .filter(({ name, kind }) => kind !== "type" && ran.has(name))
    .map(({ start, end }) => ({ start, end }));
  return ranges.length === 0 ? null : merged(ranges);
}

function merged(ranges: readonly LineRange[]): readonly LineRange[] {
  const out: LineRange[] = [];
  for (const { start, end } of [...ranges].sort((a, b) => a.start - b.start)) {
    const last = out.at(-1);
    if (last !== undefined && start <= last.end + 1)
      out[out.length - 1] = { start: last.start, end: Math.max(last.end, end) };
    else out.push({ start, end });
  }
  return out;
}

/** `1-4, 9`, or what stands for nothing. */
export function sayLines(ranges: readonly LineRange[]): string {
  return ranges.map(({ start, end }) => (start === end ? String(start) : `${start}-${end}`)).join(", ");
}

/** Reads V8's own records. Offsets hold only where the engine ran the very text that is on disk. */
const READ_V8 = `
const fs = require("node:fs");
const [folder, file] = process.argv.slice(1);
const text = fs.readFileSync(file, "utf8");
const names = new Set(), exact = [];
for (const name of fs.readdirSync(folder).filter((one) => one.endsWith(".json"))) {
  let record;
  try { record = JSON.parse(fs.readFileSync(folder + "/" + name, "utf8")); } catch { continue; }
  for (const { url, functions } of record.result ?? []) {
    const own = decodeURIComponent(url.replace(/^file:\\/\\//, "").replace(/[?#].*$/, ""));
    if (own !== file) continue;
    for (const f of functions) if (f.functionName && f.ranges[0] && f.ranges[0].count > 0) names.add(f.functionName);
    const whole = functions.find((f) => f.functionName === "" && f.ranges[0] && f.ranges[0].startOffset === 0);
    if (whole && whole.ranges[0].endOffset === text.length && !/\\.[cm]?tsx?$|\\.jsx$/.test(file)) exact.push(functions);
  }
}
if (exact.length === 0) { console.log(JSON.stringify({ functions: [...names] })); process.exit(0); }
const lines = text.split("\\n"), ran = new Set();
for (const functions of exact) {
  const ranges = functions.flatMap((f) => f.ranges).sort((a, b) => b.endOffset - b.startOffset - (a.endOffset - a.startOffset));
  let offset = 0;
  lines.forEach((line, index) => {
    const from = offset + (line.length - line.trimStart().length), to = offset + line.trimEnd().length;
    offset += line.length + 1;
    if (from >= to) return;
    let count = 0;
    for (const r of ranges) if (r.startOffset <= from && to <= r.endOffset) count = r.count;
    if (count > 0) ran.add(index + 1);
  });
}
console.log(JSON.stringify({ lines: [...ran].sort((a, b) => a - b).map((n) => [n, n]) }));
`;

/** A trace function of its own: coverage.py is not everywhere, and the standard library's \`trace\` cannot be preloaded. */
const PYTHON_TRACER = `
import atexit, os, sys, threading
_file = os.environ.get("RETRACE_COVER_FILE", "")
_out = os.environ.get("RETRACE_COVER_OUT", "")
_seen = set()
def _line(frame, event, arg):
    if event == "line":
        _seen.add(frame.f_lineno)
    return _line
def _call(frame, event, arg):
    name = frame.f_code.co_filename
    if name == _file or os.path.realpath(name) == _file:
        _seen.add(frame.f_lineno)
        return _line
    return None
def _write():
    sys.settrace(None)
    try:
        with open(os.path.join(_out, "lines.%d" % os.getpid()), "w") as out:
            out.write("".join("%d\\n" % n for n in sorted(_seen)))
    except OSError:
        pass
if _file and _out:
    atexit.register(_write)
    threading.settrace(_call)
    sys.settrace(_call)
`;

const READ_LINES = (folder: string): string =>
  `cat '${folder}'/lines.* 2>/dev/null | grep -E '^[1-9][0-9]*$' | sort -nu | awk 'BEGIN{printf "{\\"lines\\":["} {printf "%s[%d,%d]",(NR>1?",":""),$1,$1} END{print "]}"}'`;

const GO_TEST = /\bgo test\b(?!.*-coverprofile)/;

const COVERAGES: readonly Coverage[] = [
  {
    extensions: /\.[cm]?[jt]sx?$/,
    helper: { name: "read.cjs", text: READ_V8 },
    record: (check, { folder }) => ({ ...check, env: { ...check.env, NODE_V8_COVERAGE: `${folder}/v8` } }),
    collect: ({ folder, file }) => `node -e "$(cat '${folder}/read.cjs')" '${folder}/v8' '${file}'`,
  },
  {
    extensions: /\.py$/,
    helper: { name: "sitecustomize.py", text: PYTHON_TRACER },
    record: (check, { folder, file }) => ({
      ...check,
      env: {
        ...check.env,
        PYTHONPATH: check.env.PYTHONPATH === undefined ? folder : `${folder}:${check.env.PYTHONPATH}`,
        RETRACE_COVER_FILE: file,
        RETRACE_COVER_OUT: folder,
      },
    }),
    collect: ({ folder }) => READ_LINES(folder),
  },
  {
    extensions: /\.go$/,
    helper: null,
    record: (check, { folder }) =>
      GO_TEST.test(check.command)
        ? {
            ...check,
            command: check.command.replace(GO_TEST, `go test -coverprofile='${folder}/cover.out' -coverpkg=./...`),
          }
        : null,
    // `module/path/file.go:12.34,15.2 3 1`: the last number is how often it ran.
    collect: ({ folder, file }) =>
      `awk -v file='${path.posix.basename(file)}' -F'[:, .]' 'index($0, "/" file ":") && $NF > 0 { split($0, half, ":"); split(half[2], end, /[., ]/); printf "%d %d\\n", end[1], end[3] }' '${folder}/cover.out' | sort -nu | awk 'BEGIN{printf "{\\"lines\\":["} {printf "%s[%d,%d]",(NR>1?",":""),$1,$2} END{print "]}"}'`,
  },
];
