import { z } from "zod";
import type { CiJob } from "../domain/ci-run.ts";

const Text = z.string().nullish();
const Step = z.object({
  number: z.number().int(),
  name: z.string(),
  conclusion: Text,
  started_at: Text,
  completed_at: Text,
});
const Job = z.object({
  id: z.number().int().nullish(),
  name: z.string(),
  conclusion: Text,
  labels: z.array(z.string()).nullish(),
  steps: z.array(Step).nullish(),
});
/** The form in which people keep the answers of many runs. */
const KeptJob = z.object({
  job_id: z.number().int().nullish(),
  job_name: z.string(),
  conclusion: Text,
  steps: z.array(Step).nullish(),
});
const JobsAnswer = z.union([z.object({ jobs: z.array(Job) }), z.array(z.union([Job, KeptJob])), Job, KeptJob]);

/** Text that is no answer about jobs. */
export class BadJobsAnswer extends Error {
  override readonly name = "BadJobsAnswer";
}

/**
 * Reads GitHub's `/jobs` answer, one job of it, or an array of jobs (`name`/`id` or `job_name`/`job_id`). Throws
 * BadJobsAnswer, one line, when it is none of these.
 */
export function readJobsAnswer(text: string): readonly CiJob[] {
  const answer = JobsAnswer.safeParse(parseJson(text));
  if (!answer.success) {
    throw new BadJobsAnswer(
      'not GitHub\'s answer about jobs: expected {"jobs": [...]}, a job, or an array of jobs with name and steps',
    );
  }
  const { data } = answer;
  const jobs = Array.isArray(data) ? data : "jobs" in data ? data.jobs : [data];
  return jobs.map(toCiJob);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch {
    throw new BadJobsAnswer("not JSON");
  }
}

function toCiJob(job: z.infer<typeof Job> | z.infer<typeof KeptJob>): CiJob {
  const steps = (job.steps ?? []).map((step) => ({
    number: step.number,
    name: step.name,
    conclusion: step.conclusion ?? null,
    startedAt: step.started_at ?? null,
    completedAt: step.completed_at ?? null,
  }));
  return {
    id: ("job_id" in job ? job.job_id : "id" in job ? job.id : null) ?? null,
    name: "job_name" in job ? job.job_name : job.name,
    conclusion: job.conclusion ?? null,
    labels: ("labels" in job ? job.labels : null) ?? [],
    steps,
  };
}
