import { type FailureClass, isWeather } from "../domain/category.ts";
import type { Evidence, Failure, UnreachedBecause, Validation } from "../domain/evidence.ts";
import type { NextAction } from "./next-actions.ts";

/** What people call a class of failure. */
const CLASS_WORDS: Readonly<Record<FailureClass, string>> = {
  code_formatting: "formatting",
  linting: "lint",
  syntax_error: "syntax error",
  runtime_error: "runtime error",
  test_failure: "failing test",
  assertion_error: "failed assertion",
  type_checking: "type error",
  dependency_issue: "dependencies",
  package_install_error: "installation",
  configuration_error: "configuration",
  environment_error: "environment",
  doc_docstring: "documentation",
  infra_transient: "infrastructure, not the code",
  flaky: "flaky, not the code",
  secret_or_permission: "a secret or permission is missing",
  cancelled: "cancelled, not the code",
  unknown: "unknown kind",
};

const UNREACHED_WORDS: Readonly<Record<UnreachedBecause, string>> = {
  upstream_job: "a job it needs failed",
  earlier_step: "an earlier step of the job failed",
  fail_fast: "another leg of the matrix failed first (fail-fast)",
  cancelled: "the run was cancelled",
};

/** A failure class in words. */
export function classWords(failureClass: FailureClass): string {
  return CLASS_WORDS[failureClass];
}

/** Why something never ran, in words. */
export function unreachedWords(because: UnreachedBecause | null): string {
  return because === null ? "nothing says why" : UNREACHED_WORDS[because];
}

/** Failures that are causes of their own. */
export function rootsOf(evidence: Evidence): readonly Failure[] {
  return evidence.failures.filter((failure) => failure.cascadeOf === null);
}

/** What broke, in one line. */
export function headline(evidence: Evidence): string {
  const roots = rootsOf(evidence);
  const [first] = roots;
  if (first === undefined) return headlineWithoutFailures(evidence);
  const what = oneLine(first.testId === null ? first.message : `${first.testId}: ${first.message}`, 140);
  const who = first.tool === null ? "" : `${first.tool}: `;
  if (roots.length === 1) return `${who}${what}`;
  const steps = new Set(roots.map((failure) => failure.validation)).size;
  const where = steps === 1 ? "one step" : `${steps} steps`;
  return `${roots.length} failures in ${where}, the first: ${who}${what}`;
}

function headlineWithoutFailures(evidence: Evidence): string {
  if (!evidence.quality.logs) return "The log is empty: there is nothing to explain.";
  const failed = evidence.validations.filter(({ status }) => status === "failed");
  if (failed.length > 0) return "A step failed, but its log does not say why.";
  return "No failing step was found in this log.";
}

/** One sentence for what a person can do now. */
export function nextStep(evidence: Evidence): string | null {
  const roots = rootsOf(evidence);
  if (roots.length === 0) return null;
  if (roots.every(({ category }) => category === "cancelled")) return "Run it again if the cancellation was not meant.";
  if (roots.every(({ category }) => category === "secret_or_permission")) {
    return "Check the workflow's permissions and the repository's secrets; no change to the code repairs this.";
  }
  if (roots.every(({ category }) => isWeather(category)))
    return "Re-run the failed jobs; no change to the code repairs this.";
  return "retrace repair --repo DIR --log SOURCE repairs it in a sandbox and proves it, where it can.";
}

/** A script in one line: of several lines the first, and how many follow. */
export function commandWords(command: string, max: number): string {
  const lines = command
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("#"));
  const more = lines.length > 1 ? ` (and ${lines.length - 1} more ${lines.length === 2 ? "line" : "lines"})` : "";
  return oneLine(lines[0] ?? command, max) + more;
}

/** What to do as sentences: the fixer, the re-run, the folder. Several failures share one action. */
export function actionLines({ words, fix, rerun, cwd }: NextAction): readonly string[] {
  const where = cwd === "" ? "" : ` (in ${cwd})`;
  if (fix !== null) return [`run its own fixer: ${oneLine(fix, 200)}${where}`, ...rerunLine(rerun, "")];
  return [words, ...rerunLine(rerun, where)];
}

function rerunLine(rerun: string | null, where: string): readonly string[] {
  return rerun === null ? [] : [`see it here: ${oneLine(rerun, 200)}${where}`];
}

/** Ids in a row, the first few of many. */
export function idWords(ids: readonly string[]): string {
  return ids.length > 3 ? `${ids[0]} … ${ids.at(-1)}` : ids.join(" ");
}

/** `job › step` of something, as far as it is known. */
export function placeWords({ job, step }: Pick<Validation, "job" | "step">): string {
  const shown = step === null ? null : step.number === null ? step.name : `step ${step.number}: ${step.name}`;
  const parts = [job, shown].filter((part) => part !== null && part !== "");
  return parts.length === 0 ? "the log" : parts.join(" › ");
}

/** A text's first line, cut to `max` characters. */
export function oneLine(text: string, max: number): string {
  const line = text.trim().split("\n")[0] ?? "";
  return line.length > max ? `${line.slice(0, max - 1)}…` : line;
}

/** `file:line:col`, as far as it is known. */
export function locationWords(location: NonNullable<Failure["location"]>): string {
  return [location.file, location.line, location.col].filter((part) => part !== null).join(":");
}
