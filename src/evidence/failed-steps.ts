import type { RunJob, RunStep } from "./run.ts";

// Steps that only carry results away: their failing says nothing about the code, and they run after a failure too.
const CARRIER =
  /upload-artifact|upload-pages|codecov|coveralls|test-report|report-test|publish-unit-test|junit-report|paths-filter|slack|notify|comment|sonar|pre-commit-ci\/lite-action|cache\/save/i;
// A step that repeats the verdict of an earlier one: `if: steps.x.outcome == 'failure'`, `run: exit 1`.
const GATE = /^(?:echo [^\n]*\n)*(?:exit [1-9]\d*|false)$/;
// One that looks at the results of other jobs: `if [ "${{ needs.test.result }}" != success ]; then exit 1; fi`.
const RESULT = /\b(?:failure|cancelled|success|skipped)\b/;
const RESULT_LINE =
  /^(?:#.*|then|else|fi|true|exit \d+|false|echo .*|(?:el)?if .*|\[.*|test .*|jq .*|[A-Za-z_]\w*=.*)$/;
const MAX_GATE_LINES = 40;
// How a program speaks that ends its step without the runner saying so (docker actions of old runners).
const LAST_WORDS = /^(?:fatal: |panic: |Error: |ERROR: )|exited with (?:code|status) [1-9]|exit (?:code|status) [1-9]/;
const LAST_LINES = 15;

/** Steps of a job that made it red, the cause first. A step whose failing did not count (`continue-on-error`) is not among them. */
export function failedSteps(job: RunJob): readonly RunStep[] {
  if (job.conclusion === "success" || job.conclusion === "skipped") return [];
  const told = job.steps.filter((step) => step.conclusion === "failure" || step.conclusion === "timed_out");
  if (told.length > 0) return told;
  const cancelled = job.steps.filter((step) => step.conclusion === "cancelled" && step.logs.length > 0);
  if (cancelled.length > 0) return cancelled.slice(0, 1);
  const counting = job.steps.filter(
    (step) => step.definition?.continueOnError !== "true" && step.conclusion !== "success",
  );
  const ended = counting.filter((step) => step.logs.some((log) => log.failure === "ended"));
  if (ended.length > 0) return causes(ended);
  const marked = counting.filter((step) => step.logs.some((log) => log.failure === "marked"));
  if (marked.length > 0) return endsTheJob(job, marked);
  if (job.conclusion !== null)
    return job.steps.filter((step) => step.logs.length > 0 && step.part !== "post").slice(-1);
  return counting.filter((step) => step.part === "main" && speaksLastWords(step)).slice(-1);
}

/** Whether a step does nothing but repeat that an earlier one, or another job, failed. */
export function isGate(step: RunStep): boolean {
  return step.logs.some(
    ({ command }) => command !== null && (GATE.test(command.trim()) || looksAtResults(command.trim())),
  );
}

function looksAtResults(script: string): boolean {
  if (!RESULT.test(script) || !/\bexit [1-9]|\bfalse$/.test(script)) return false;
  const lines = script.split(/\n|;/).map((line) => line.trim().replace(/^(?:then|else|do)\s+/, ""));
  return lines.length <= MAX_GATE_LINES && lines.every((line) => line === "" || RESULT_LINE.test(line));
}

/**
 * Of several steps that ended badly, the last is the cause: one that failed before and let others run did not count.
 * Carriers and gates run after a failure and are no cause while there is another; a gate's cause stands with it.
 */
function causes(ended: readonly RunStep[]): readonly RunStep[] {
  const known = ended.filter((step) => step.definition !== null);
  // With the workflow at hand, whoever may fail without counting was left out already.
  if (known.length === ended.length) return ended;
  const real = ended.filter((step) => step.part !== "post" && !isCarrier(step) && !isGate(step));
  const cause = real.at(-1) ?? ended.find((step) => step.part !== "post") ?? ended[0];
  if (cause === undefined) return [];
  return [cause, ...ended.filter((step) => step !== cause && isGate(step))];
}

function isCarrier(step: RunStep): boolean {
  return step.logs.some((log) => CARRIER.test(log.uses ?? "")) || CARRIER.test(step.definition?.uses ?? "");
}

/** Error marks alone count where nothing but clean-up followed: linters annotate what they only warn of, too. */
function endsTheJob(job: RunJob, marked: readonly RunStep[]): readonly RunStep[] {
  const last = job.steps.filter((step) => step.part === "main" && step.logs.length > 0 && !isCarrier(step)).at(-1);
  return marked.filter((step) => step === last || job.steps.length === 1).slice(-1);
}

function speaksLastWords(step: RunStep): boolean {
  const lines = step.logs.at(-1)?.lines ?? [];
  // An unframed text is one program's output: its reader decides whether it says that something failed.
  if (step.name === "" && step.logs.length === 1) return true;
  return lines.slice(-LAST_LINES).some((line) => LAST_WORDS.test(line.text));
}
