import type { WorkflowFile } from "../evidence/guess-workflow.ts";

// GitHub allows fifty calls of reusable workflows in a run; each costs a request where the commit is not cloned.
const MOST_FILES = 50;
const CALL = /^[ \t-]*uses:[ \t]*["']?\.\/(\.github\/workflows\/[\w./-]+\.ya?ml)/gm;

/**
 * The local workflows that a workflow calls, and those that these call, each once. `read` gives a file's text at the failing
 * commit; what is not there or cannot be had is left out.
 */
export async function calledWorkflows(
  file: WorkflowFile,
  read: (path: string) => Promise<string | null>,
): Promise<readonly WorkflowFile[]> {
  const found: WorkflowFile[] = [];
  const seen = new Set([file.path]);
  const waiting = [file];
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    for (const [, path = ""] of next.text.matchAll(CALL)) {
      if (seen.has(path) || seen.size > MOST_FILES) continue;
      seen.add(path);
      const text = await read(path).catch(() => null);
      if (text === null) continue;
      found.push({ path, text });
      waiting.push({ path, text });
    }
  }
  return found;
}
