import type { SplitStep } from "./split-log.ts";

/** One job's part of the logs. */
export interface JobLog {
  /** As log or archive name it; null where neither does. */
  readonly name: string | null;
  readonly steps: readonly SplitStep[];
  /** Numbers and names of its steps where an archive lists them; empty elsewhere. */
  readonly listed: readonly ListedStep[];
}

export interface ListedStep {
  readonly number: number;
  readonly name: string;
}

/** What the name of an archive's file tells: a job's whole log, or one step of it. */
export type LogName =
  | { readonly kind: "job"; readonly job: string }
  | { readonly kind: "step"; readonly job: string; readonly step: ListedStep }
  | { readonly kind: "other" };

const JOB_FILE = /^-?\d+_(.+)\.(?:txt|log)$/;
const STEP_FILE = /^(?:.*\/)?([^/]+)\/(\d+)_([^/]*)\.(?:txt|log)$/;

/** Reads the file names of a run archive: `0_test (20).txt`, `test (20)/6_Run npm test.txt`. */
export function readLogName(name: string): LogName {
  const step = STEP_FILE.exec(name);
  if (step) return { kind: "step", job: step[1] ?? "", step: { number: Number(step[2]), name: step[3] ?? "" } };
  const job = name.includes("/") ? null : JOB_FILE.exec(name)?.[1];
  return job == null ? { kind: "other" } : { kind: "job", job };
}

/** A name as archives write it: without `/` and `:`, cut to 90 UTF-16 units, trimmed. */
export function archiveName(name: string): string {
  return name.replace(/[/:]/g, "").slice(0, 90).trim();
}

/** A step's name in an archive: what file systems refuse is left out, so only letters and digits compare. */
export function sameLoosely(a: string, b: string): boolean {
  const letters = (text: string): string => text.replace(/[^\p{L}\p{N}]/gu, "").toLowerCase();
  return letters(a) === letters(b);
}
