import type { LogLine } from "../domain/ci-run.ts";
import { bareLines } from "./bare-lines.ts";
import { relativePath } from "./repository-path.ts";
import { programOf } from "./run-program.ts";
import { frameLocation, type JsFrame, readJsFrame, toStackFrame } from "./stack-frames.ts";
import { testCategory } from "./test-report.ts";
import type { Diagnostic, Tool } from "./tool.ts";

// Node's last word on an error that nobody caught (since 17); before it the place, the source, the error, its stack.
const END = /^Node\.js v\d+\.\d+\.\d+$/;
const ERROR = /^(?:Uncaught )?(?:[A-Za-z_$][\w$]*)?(?:Error|Exception)(?: \[\w+\])?(?:: .*)?$/;
const MISSING = /^(?:\S{1,40}: )?(?:Error: )?(Cannot find module '([^']{1,300})')$/;
const REQUIRED_BY = /^- (\S.*)$/;
const REACH = 60;

export const nodeScript: Tool = {
  name: "node",
  kind: "other",
  category: "runtime_error",
  answersTo: (command) =>
    ["node", "tsx", "ts-node", "lab", "esno", "jiti", "babel-node", "zx"].includes(programOf(command)?.program ?? ""),
  /** The error that ended a program, and modules that were not there with the file that asked for them. */
  read: (step) => {
    const lines = bareLines(step);
    const missing = readMissing(lines);
    return missing.length > 0 ? missing : readUncaught(lines);
  },
};

function readUncaught(lines: readonly LogLine[]): Diagnostic[] {
  const end = lines.findLastIndex(({ text }) => END.test(text));
  if (end === -1) return [];
  const before = lines.slice(Math.max(0, end - REACH), end);
  const at = before.findLastIndex(({ text }) => ERROR.test(text));
  const error = before[at];
  if (error === undefined) return [];
  const frames = before.slice(at + 1).flatMap((line): { readonly line: LogLine; readonly frame: JsFrame }[] => {
    const frame = readJsFrame(line.text);
    return frame === null ? [] : [{ line, frame }];
  });
  const first = frames[0];
  const message = error.text.trim();
  const category = testCategory(message, { expected: null, actual: null });
  return [
    {
      message,
      lines: [error.number, ...(first === undefined ? [] : [first.line.number])],
      location: first === undefined ? null : frameLocation(first.frame),
      stack: frames.map(({ frame }) => toStackFrame(frame)),
      category: category === "test_failure" ? "runtime_error" : category,
    },
  ];
}

/** `Cannot find module 'x'` with its `Require stack:`; one diagnostic a module, whoever repeats it. */
function readMissing(lines: readonly LogLine[]): Diagnostic[] {
  const found = new Map<string, Diagnostic>();
  for (const [at, { number, text }] of lines.entries()) {
    const [, message, name] = MISSING.exec(text.trim()) ?? [];
    if (message === undefined || name === undefined || !/^Require stack:$/.test(lines[at + 1]?.text.trim() ?? ""))
      continue;
    const above = lines[at - 1];
    const asking = above !== undefined && /^Error requiring file: /.test(above.text) ? [above.number] : [];
    const known = found.get(name);
    if (known !== undefined) {
      found.set(name, { ...known, lines: [...known.lines, ...asking, number] });
      continue;
    }
    const file = requirer(lines.slice(at + 2, at + 22));
    found.set(name, {
      message,
      rule: "MODULE_NOT_FOUND",
      lines: [...asking, number],
      location: file === null ? null : { file, line: null, col: null },
      category: /^(?:[./]|[A-Za-z]:)/.test(name) ? "runtime_error" : "dependency_issue",
    });
  }
  return [...found.values()];
}

/** The first file of the repository in a require stack: the nearest that asked for the module. */
function requirer(stack: readonly LogLine[]): string | null {
  for (const { text } of stack) {
    const path = REQUIRED_BY.exec(text.trim())?.[1];
    if (path === undefined) return null;
    const file = relativePath(path);
    if (file !== null) return file;
  }
  return null;
}
