import type { Workflow } from "../domain/workflow.ts";

/** Reads a workflow file. */
export async function readWorkflow(path: string, _text: string): Promise<Workflow> {
  return { path, name: null, events: [], env: {}, jobs: [], errors: [] };
}
