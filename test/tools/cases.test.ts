import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import type { StepLog } from "../../src/domain/ci-run.ts";
import { readGeneric } from "../../src/tools/generic.ts";
import type { Diagnostic } from "../../src/tools/tool.ts";
import { TOOLS } from "../../src/tools/tools.ts";

// A case is a folder: `log.txt` holds the output of one step, `expected.json` the diagnostics read out of it, and
// `command.txt` (optional) the step's script. The folder above is named after the tool, `generic` is the generic reader.
const CASES = path.join(import.meta.dirname, "../cases/tools");

interface Case {
  readonly name: string;
  readonly folder: string;
  readonly read: (step: StepLog) => readonly Diagnostic[];
}

const folderOf = (toolName: string): string => toolName.replace(/[^a-z0-9]+/g, "-");

const readers = new Map<string, Case["read"]>([
  ["generic", readGeneric],
  ...TOOLS.map((tool): [string, Case["read"]] => [folderOf(tool.name), (step) => tool.read(step)]),
]);

function subfolders(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort();
}

function casesOf(tool: string): Case[] {
  const read = readers.get(tool);
  if (!read) throw new Error(`test/cases/tools/${tool} is named after no tool`);
  return subfolders(path.join(CASES, tool)).map((name) => ({
    name: `${tool}: ${name.replaceAll("-", " ")}`,
    folder: path.join(CASES, tool, name),
    read,
  }));
}

function stepOf(folder: string): StepLog {
  const lines = readFileSync(path.join(folder, "log.txt"), "utf8").replace(/\n$/, "").split("\n");
  const commandFile = path.join(folder, "command.txt");
  return {
    source: "log.txt",
    job: null,
    number: null,
    name: "a step",
    command: existsSync(commandFile) ? readFileSync(commandFile, "utf8").trimEnd() : null,
    uses: null,
    shell: null,
    env: {},
    failed: true,
    exitCode: 1,
    firstLine: 1,
    lastLine: lines.length,
    lines: lines.map((text, index) => ({ number: index + 1, text })),
    omittedLines: 0,
  };
}

const cases = subfolders(CASES).flatMap(casesOf);

describe("what tools say in a log", () => {
  it.each(cases)("$name", ({ folder, read }) => {
    const expected: unknown = JSON.parse(readFileSync(path.join(folder, "expected.json"), "utf8"));

    const diagnostics = read(stepOf(folder));

    expect(JSON.parse(JSON.stringify(diagnostics))).toEqual(expected);
  });

  it.each(TOOLS)("$name is silent about a step that only greets", (tool) => {
    const lines = [{ number: 1, text: "hello" }];

    const diagnostics = tool.read({ ...stepOf(cases[0]?.folder ?? ""), command: "echo hello", lines });

    expect(diagnostics).toEqual([]);
  });
});
