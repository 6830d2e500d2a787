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

/** What step conclusions and annotations alone tell (design §6): which step failed, and what GitHub noted beside it. */
export function evidenceFromAnnotations(silent: readonly SilentJob[]): Evidence {
  const failures: Failure[] = [];
  const validations: Validation[] = [];
  for (const { job, why, annotations } of silent) {
    const step = job.steps.find(({ conclusion }) => conclusion === "failure") ?? null;
    const validation: Validation = {
      id: `v${validations.length + 1}`,
      order: validations.length + 1,
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
    validations.push(validation);
    const errors = annotations.filter(
      ({ level, message }) => level === "failure" && !/^Process completed with exit code/.test(message),
    );
    const notes = errors.length > 0 ? errors : [null];
    for (const note of notes) failures.push(failureOf(`f${failures.length + 1}`, note, why, validation));
  }
  return {
    failures,
    validations,
    graph: { nodes: [], edges: [] },
    quality: { logs: false, yaml: false, parsedShare: 0 },
  };
}

function failureOf(
  id: string,
  note: Annotation | null,
  why: string,
  { id: validation, job, step }: Validation,
): Failure {
  const text = redact(note?.message ?? `${step?.name ?? "the job"} failed; ${why}`);
  // GitHub files what has no place of its own under `.github`.
  const location = note === null || note.path === ".github" ? null : { file: note.path, line: note.line, col: null };
  return {
    id,
    category: note === null ? "unknown" : guessCategory(text),
    tool: null,
    rule: null,
    message: text.split("\n")[0] ?? "",
    signature: failureSignature({
      tool: null,
      rule: null,
      message: text,
      subject: location?.file ?? step?.name ?? null,
    }),
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
    command: null,
    cascadeOf: null,
    legs: job === null ? [] : [job],
  };
}
