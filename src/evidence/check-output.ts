import type { StepLog } from "../domain/ci-run.ts";
import type { Failure } from "../domain/evidence.ts";
import { LineReader } from "../text/lines.ts";
import { mergeFailures, toFailure } from "./failures.ts";
import { readRawLine } from "./raw-line.ts";
import { type Readers, readStep } from "./read-step.ts";
import { StepLines } from "./step-lines.ts";

/** Where a check ran and what is known of its repository. */
export interface CheckPlace {
  /** Absolute path of the tree as the command saw it: taken out of the output, so that paths read as in the repository. */
  readonly root?: string | null;
  readonly repoFiles?: ReadonlySet<string> | null;
}

/**
 * What a failing check says here, read as its step's log would be: the same failure has the same signature in CI and
 * here. `cwd` is relative to the repository. The source of each failure is "", its lines count in `output`.
 */
export function readCheckOutput(
  output: string,
  command: string,
  cwd: string,
  readers: Readers,
  { root = null, repoFiles = null }: CheckPlace = {},
): readonly Failure[] {
  const kept = linesOf(root === null || root === "" ? output : withoutRoot(output, root));
  const log: StepLog = {
    source: "",
    job: null,
    number: null,
    name: command,
    command,
    uses: null,
    shell: null,
    env: {},
    failed: true,
    exitCode: null,
    firstLine: 1,
    lastLine: kept.lines.at(-1)?.number ?? 1,
    ...kept,
  };
  const { findings } = readStep(log, cwd, readers);
  const scene = { job: null, step: null, command, validation: null, repoFiles };
  return mergeFailures(
    findings.map((finding) => toFailure(finding, log, scene)),
    () => false,
  );
}

function linesOf(output: string): Pick<StepLog, "lines" | "omittedLines"> {
  const lines = new StepLines();
  let number = 0;
  const reader = new LineReader((line) => lines.add(++number, readRawLine(line).text));
  reader.push(Buffer.from(output, "utf8"));
  reader.end();
  return lines.result();
}

function withoutRoot(output: string, root: string): string {
  const folder = root.replace(/\/+$/, "");
  return output.replaceAll(`${folder}/`, "").replaceAll(folder, ".");
}
