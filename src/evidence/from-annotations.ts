import type { CiJob } from "../domain/ci-run.ts";
import type { Evidence, Failure, Validation } from "../domain/evidence.ts";
import { failureSignature } from "../domain/signature.ts";
import type { Annotation } from "../ports/github.ts";
import { redact } from "../text/redact.ts";
import { guessCategory } from "../tools/guess-category.ts";

/** A failed job without a log. */
export interface SilentJob {
  readonly job: CiJob;
  readonly why: string;
  readonly annotations: readonly Annotation[];
}

/**
 * Adds what step conclusions and annotations tell of jobs without a log (design §6): which step failed, and what GitHub noted
 * beside it. The failure stands at the validation that the workflow file gives the step, so that its command can be run.
 */
export function withAnnotations(evidence: Evidence, silent: readonly SilentJob[]): Evidence {
  const names = new Set(silent.map(({ job }) => job.name));
  const failures = evidence.failures.filter(({ job }) => job === null || !names.has(job));
  const validations = [...evidence.validations];
  const next = numbersAfter(evidence.failures);
  for (const { job, why, annotations } of silent) {
    let validation = validations.find((one) => one.job === job.name && one.status === "failed");
    if (validation === undefined) {
      validation = unknownValidation(`v${validations.length + 1}s`, validations.length + 1, job, why);
      validations.push(validation);
    }
    const errors = annotations.filter(
      ({ level, message }) => level === "failure" && !/^Process completed with exit code/.test(message),
    );
    for (const note of errors.length > 0 ? errors : [null]) failures.push(failureOf(next(), note, why, validation));
  }
  return { ...evidence, failures, validations };
}

function numbersAfter(failures: readonly Failure[]): () => string {
  let last = failures.reduce((most, { id }) => Math.max(most, Number(id.slice(1)) || 0), 0);
  return () => {
    last += 1;
    return `f${last}`;
  };
}

/** A failed step that the workflow file does not tell of. */
function unknownValidation(id: string, order: number, job: CiJob, why: string): Validation {
  const step = job.steps.find(({ conclusion }) => conclusion === "failure") ?? null;
  return {
    id,
    order,
    job: job.name,
    jobKey: null,
    step: step === null ? null : { number: step.number, name: step.name },
    command: "",
    tool: null,
    kind: "other",
    status: "failed",
    unreachedBecause: null,
    context: { workingDirectory: "", shell: null, env: {}, obstacles: [why], runtimes: {} },
  };
}

function failureOf(
  id: string,
  note: Annotation | null,
  why: string,
  { id: validation, job, step, command, tool }: Validation,
): Failure {
  const text = redact(note?.message ?? `${step?.name ?? "the job"} failed; ${why}`);
  // GitHub files what has no place of its own under `.github`.
  const location = note === null || note.path === ".github" ? null : { file: note.path, line: note.line, col: null };
  return {
    id,
    category: note === null ? "unknown" : guessCategory(text),
    tool,
    rule: null,
    message: text.split("\n")[0] ?? "",
    // Without any words of the tool's there is nothing to know the failure by again.
    signature:
      note === null
        ? ""
        : failureSignature({ tool, rule: null, message: text, subject: location?.file ?? step?.name ?? null }),
    validation,
    testId: null,
    expected: null,
    actual: null,
    location,
    stack: [],
    source: "annotations",
    lines: [],
    excerpt: text,
    job,
    step,
    command: command === "" ? null : command,
    cascadeOf: null,
    legs: job === null ? [] : [job],
  };
}
