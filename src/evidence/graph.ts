import type { JobGraph } from "../domain/evidence.ts";
import type { Workflow } from "../domain/workflow.ts";
import type { RunJob } from "./run.ts";

/** The graph of jobs and steps. */
export function buildGraph(jobs: readonly RunJob[], _workflow: Workflow | null): JobGraph {
  const nodes = jobs.map((job, index) => ({
    id: `job:${job.name ?? index}`,
    kind: "job" as const,
    ref: job.name ?? `${index}`,
  }));
  return { nodes, edges: [] };
}
