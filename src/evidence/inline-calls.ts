import type { Workflow, WorkflowJob } from "../domain/workflow.ts";
import type { WorkflowFile } from "./guess-workflow.ts";
import { readWorkflow } from "./read-workflow.ts";

// GitHub allows a chain of ten workflows and fifty calls in a file.
const MAX_DEPTH = 10;
const MAX_JOBS = 1_000;

/**
 * The workflow with the jobs of the local workflows it calls beside their callers, named as GitHub names them: `caller /
 * inner`, key `caller/inner`. A caller comes after its inner jobs, so that what needs it needs them. Calls of files that
 * are not at hand, and of other repositories, stay as they are.
 */
export async function inlineCalls(workflow: Workflow, files: readonly WorkflowFile[]): Promise<Workflow> {
  const jobs: WorkflowJob[] = [];
  for (const job of workflow.jobs) jobs.push(...(await withInner(job, files, 0)));
  return { ...workflow, jobs: jobs.slice(0, MAX_JOBS) };
}

async function withInner(
  job: WorkflowJob,
  files: readonly WorkflowFile[],
  depth: number,
): Promise<readonly WorkflowJob[]> {
  const file = files.find(({ path }) => job.calls === `./${path}`);
  // A caller's matrix gives its inner jobs names that only the run knows.
  if (file === undefined || depth >= MAX_DEPTH || job.legs.length > 1 || job.dynamicMatrix) return [job];
  const called = await readWorkflow(file.path, file.text);
  const inner: WorkflowJob[] = [];
  for (const definition of called.jobs) {
    inner.push(...(await withInner(asInner(definition, job, called), files, depth + 1)));
    if (inner.length > MAX_JOBS) break;
  }
  return [{ ...job, needs: [...job.needs, ...inner.map(({ key }) => key)] }, ...inner];
}

function asInner(definition: WorkflowJob, caller: WorkflowJob, called: Workflow): WorkflowJob {
  return {
    ...definition,
    key: `${caller.key}/${definition.key}`,
    name: `${caller.name ?? caller.key} / ${definition.name ?? definition.key}`,
    needs: [...caller.needs, ...definition.needs.map((need) => `${caller.key}/${need}`)],
    // A called file has an environment of its own, its caller's does not reach it.
    env: { ...called.env, ...definition.env },
  };
}
