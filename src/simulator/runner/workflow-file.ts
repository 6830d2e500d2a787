import { load } from "js-yaml";
import { z } from "zod";

/** A workflow file as far as this runner can follow it. Unknown keys are ignored, as a stricter reader's business. */

const Text = z.union([z.string(), z.number(), z.boolean()]).transform(String);
const Env = z
  .record(
    z.string(),
    z.union([Text, z.null()]).transform((value) => value ?? ""),
  )
  .default({});
const List = z.union([z.string().transform((one) => [one]), z.array(z.string())]);
const Flag = z.union([z.boolean(), z.string()]);
const Minutes = z.union([z.number(), z.string()]);
const RunDefaults = z.object({
  run: z.object({ shell: z.string().optional(), "working-directory": z.string().optional() }).default({}),
});

export const StepFile = z.object({
  id: z.string().optional(),
  name: Text.optional(),
  if: Flag.optional(),
  run: z.string().optional(),
  uses: z.string().optional(),
  with: Env,
  env: Env,
  shell: z.string().optional(),
  "working-directory": z.string().optional(),
  "continue-on-error": Flag.optional(),
  "timeout-minutes": Minutes.optional(),
});
export type StepFile = z.infer<typeof StepFile>;

export const MatrixFile = z.record(z.string(), z.unknown());
export type MatrixFile = z.infer<typeof MatrixFile>;

export const JobFile = z.object({
  name: Text.optional(),
  needs: List.default([]),
  if: Flag.optional(),
  "runs-on": z.unknown().optional(),
  env: Env,
  defaults: RunDefaults.default({ run: {} }),
  strategy: z
    .object({ matrix: z.union([MatrixFile, z.string()]).optional(), "fail-fast": Flag.default(true) })
    .default({ "fail-fast": true }),
  steps: z.array(StepFile).default([]),
  outputs: Env,
  "timeout-minutes": Minutes.optional(),
  "continue-on-error": Flag.optional(),
  container: z.unknown().optional(),
  services: z.unknown().optional(),
  uses: z.string().optional(),
});
export type JobFile = z.infer<typeof JobFile>;

export const WorkflowFile = z.object({
  name: Text.optional(),
  "run-name": Text.optional(),
  on: z.unknown(),
  env: Env,
  defaults: RunDefaults.default({ run: {} }),
  jobs: z.record(z.string(), JobFile),
});
export type WorkflowFile = z.infer<typeof WorkflowFile>;

/** null for a file that GitHub would refuse to run: no YAML, no jobs, no `runs-on`, a need that does not exist, a step that does nothing. */
export function readWorkflow(text: string): WorkflowFile | null {
  const file = WorkflowFile.safeParse(loadYaml(text)).data;
  if (file === undefined || file.on === undefined || file.on === null) return null;
  const jobs = Object.values(file.jobs);
  const isWhole = jobs.every(
    (job) =>
      job.needs.every((need) => need in file.jobs) &&
      (job.uses !== undefined || (job["runs-on"] !== undefined && job.steps.length > 0)) &&
      job.steps.every((step) => (step.run === undefined) !== (step.uses === undefined)),
  );
  const canStart = jobs.some((job) => job.needs.length === 0);
  return isWhole && canStart && isFreeOfCircles(file) ? file : null;
}

function isFreeOfCircles({ jobs }: WorkflowFile): boolean {
  const done = new Set<string>();
  for (let before = -1; before !== done.size; ) {
    before = done.size;
    for (const [key, job] of Object.entries(jobs)) if (job.needs.every((need) => done.has(need))) done.add(key);
  }
  return done.size === Object.keys(jobs).length;
}

function loadYaml(text: string): unknown {
  try {
    return load(text);
  } catch {
    return null;
  }
}
