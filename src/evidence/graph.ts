import type { GraphEdge, GraphNode, JobGraph } from "../domain/evidence.ts";
import type { Workflow } from "../domain/workflow.ts";
import type { RunJob } from "./run.ts";

/**
 * The graph of a run (papers §1.2-3): jobs by key, under it their matrix legs and steps; edges from what comes first to
 * what depends on it. Steps are there for jobs that ran.
 */
export function buildGraph(jobs: readonly RunJob[], workflow: Workflow | null): JobGraph {
  const nodes = new Map<string, GraphNode>();
  const edges: GraphEdge[] = [];
  const add = (id: string, kind: GraphNode["kind"], ref: string): void => {
    if (!nodes.has(id)) nodes.set(id, { id, kind, ref });
  };
  for (const definition of workflow?.jobs ?? []) {
    add(`job:${definition.key}`, "job", definition.key);
    for (const need of definition.needs)
      edges.push({ from: `job:${need}`, to: `job:${definition.key}`, kind: "needs" });
    if (definition.calls === null) continue;
    add(`workflow:${definition.calls}`, "workflow", definition.calls);
    edges.push({ from: `job:${definition.key}`, to: `workflow:${definition.calls}`, kind: "calls_workflow" });
  }
  for (const [index, job] of jobs.entries()) addJob(job, index, add, edges);
  edges.push(...artifactEdges(workflow));
  // A job may need one that the file does not have; an edge to nowhere helps nobody.
  const known = edges.filter(({ from, to }) => nodes.has(from) && nodes.has(to));
  return { nodes: [...nodes.values()], edges: known };
}

/** Id of a job's node: its key, and the leg's name where it has several. */
export function jobNodeId(job: RunJob, index: number): string {
  if (job.key === null) return `job:${job.name ?? index + 1}`;
  return job.definition !== null && isMatrix(job) ? `job:${job.key}:${job.name ?? index + 1}` : `job:${job.key}`;
}

function isMatrix({ definition }: RunJob): boolean {
  return definition !== null && (definition.legs.length > 1 || definition.dynamicMatrix);
}

function addJob(
  job: RunJob,
  index: number,
  add: (id: string, kind: GraphNode["kind"], ref: string) => void,
  edges: GraphEdge[],
): void {
  const id = jobNodeId(job, index);
  add(id, "job", job.name ?? job.key ?? `${index + 1}`);
  if (job.key !== null && id !== `job:${job.key}`) edges.push({ from: `job:${job.key}`, to: id, kind: "matrix_of" });
  const ran = job.steps.filter((step) => step.logs.length > 0 || step.conclusion !== null || step.definition !== null);
  let before: string | null = null;
  for (const [at, step] of ran.entries()) {
    const stepId = `step:${id.slice("job:".length)}:${step.number ?? at + 1}`;
    add(stepId, "step", step.name);
    if (before !== null) edges.push({ from: before, to: stepId, kind: "step_order" });
    before = stepId;
    const uses = step.definition?.uses ?? step.logs.find((log) => log.uses !== null)?.uses ?? null;
    if (uses === null) continue;
    add(`workflow:${uses}`, "workflow", uses);
    edges.push({ from: `workflow:${uses}`, to: stepId, kind: "uses_action" });
  }
}

const UPLOAD = /^actions\/upload-artifact@/;
const DOWNLOAD = /^actions\/download-artifact@/;

/** From the job that uploads an artifact to each that downloads it; a download without a name takes them all. */
function artifactEdges(workflow: Workflow | null): readonly GraphEdge[] {
  const jobs = workflow?.jobs ?? [];
  const named = (pattern: RegExp): { readonly job: string; readonly name: string | null }[] =>
    jobs.flatMap((job) =>
      job.steps
        .filter((step) => pattern.test(step.uses ?? ""))
        .map((step) => ({ job: job.key, name: step.with.name ?? null })),
    );
  const uploads = named(UPLOAD);
  return named(DOWNLOAD).flatMap((download) =>
    uploads
      .filter(
        (upload) =>
          upload.job !== download.job && (download.name === null || download.name === (upload.name ?? "artifact")),
      )
      .map((upload) => ({ from: `job:${upload.job}`, to: `job:${download.job}`, kind: "artifact" as const })),
  );
}
