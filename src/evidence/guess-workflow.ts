import { fitsDefinition } from "./align-steps.ts";
import type { JobLog } from "./job-logs.ts";
import { readWorkflow } from "./read-workflow.ts";

export interface WorkflowFile {
  readonly path: string;
  readonly text: string;
}

/**
 * The only workflow file whose steps are those of the log: it has the log's scripts and actions, and no other file has as
 * many of them. Null when none or several do.
 */
export async function guessWorkflow(
  logs: readonly JobLog[],
  files: readonly WorkflowFile[],
): Promise<WorkflowFile | null> {
  const groups = logs.flatMap((log) => log.steps).filter((step) => step.command !== null || step.uses !== null);
  const counted: { readonly file: WorkflowFile; readonly scripts: number; readonly all: number }[] = [];
  for (const file of files) {
    const { jobs } = await readWorkflow(file.path, file.text);
    const steps = jobs.flatMap((job) => job.steps);
    const fitting = groups.filter((group) => steps.some((step) => fitsDefinition(group, step)));
    counted.push({ file, scripts: fitting.filter(({ command }) => command !== null).length, all: fitting.length });
  }
  const [best, next] = counted.sort((a, b) => b.scripts - a.scripts || b.all - a.all);
  // Every workflow checks out the code: an action in common says little, unless it is all there is.
  if (best === undefined || best.all === 0 || (best.scripts === 0 && best.all < 2)) return null;
  const tied = next !== undefined && next.scripts === best.scripts && next.all === best.all;
  return tied ? null : best.file;
}
