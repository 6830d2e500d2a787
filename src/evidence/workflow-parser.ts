import { register } from "node:module";
import type { WorkflowError } from "../domain/workflow.ts";

type Parser = typeof import("@actions/workflow-parser");

// The package imports its schema as JSON without the attribute that Node asks for (platform: it is made for bundlers).
const JSON_HOOK = `export async function load(url, context, next) {
  if (!url.endsWith(".json") || !url.includes("/@actions/")) return next(url, context);
  return next(url, { ...context, importAttributes: { type: "json" } });
}`;

let parser: Promise<Parser> | null = null;

/** GitHub's own workflow parser, loaded once, when first needed. */
function loadParser(): Promise<Parser> {
  parser ??= loadOnce();
  return parser;
}

async function loadOnce(): Promise<Parser> {
  register(`data:text/javascript,${encodeURIComponent(JSON_HOOK)}`, import.meta.url);
  return import("@actions/workflow-parser");
}

/** What GitHub's parser says about a workflow file. */
export interface ParsedWorkflow {
  readonly errors: readonly WorkflowError[];
  /** For each job, the lines of its steps in the file, 1-based. */
  readonly stepLines: ReadonlyMap<string, readonly (number | null)[]>;
}

/** Checks a workflow file as GitHub does. Never rejects for what stands in the file. */
export async function parseWorkflowFile(path: string, text: string): Promise<ParsedWorkflow> {
  const library = await loadParser();
  const { context, value } = library.parseWorkflow({ name: path, content: text }, new library.NoOperationTraceWriter());
  if (value !== undefined && context.errors.count === 0) {
    // Only the conversion finds circles of `needs` and jobs that nothing starts; it reports into the same list.
    await library.convertWorkflowTemplate(context, value).catch(() => null);
  }
  const errors = context.errors.getErrors().map((error) => ({
    message: error.rawMessage,
    line: error.range?.start.line ?? null,
    col: error.range?.start.column ?? null,
  }));
  return { errors, stepLines: value === undefined ? new Map() : stepLinesOf(library, value) };
}

type Token = Parameters<Parser["isMapping"]>[0];

function stepLinesOf(library: Parser, root: Token): ReadonlyMap<string, readonly (number | null)[]> {
  const found = new Map<string, readonly (number | null)[]>();
  const jobs = library.isMapping(root) ? root.find("jobs") : undefined;
  if (jobs === undefined || !library.isMapping(jobs)) return found;
  for (const { key, value: job } of jobs) {
    const steps = library.isMapping(job) ? job.find("steps") : undefined;
    if (steps === undefined || !library.isSequence(steps)) continue;
    found.set(
      key.toString(),
      [...steps].map((step) => step.line ?? null),
    );
  }
  return found;
}
