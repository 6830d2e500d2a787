import { writeFile } from "node:fs/promises";
import { composeReaders, composeWorld } from "../compose-evidence.ts";
import { readConfig } from "../config.ts";
import { nextActions } from "../evidence/next-actions.ts";
import { renderExplanation } from "../evidence/render-explanation.ts";
import { renderGraph } from "../evidence/render-graph.ts";
import { renderMarkdown } from "../evidence/render-markdown.ts";
import { toEvidenceDocument } from "../evidence/to-json.ts";
import { loadCommandFacts } from "../tools/command-facts.ts";
import { NO_FACTS } from "../tools/resolve-command.ts";
import { EXIT, UsageError } from "./exit.ts";
import { openClone, readEvidence } from "./read-inputs.ts";

export interface ExplainOptions {
  readonly workflow?: string;
  readonly repo?: string;
  readonly runJson?: string;
  readonly json?: boolean;
  readonly markdown?: boolean;
  readonly graph?: string;
}

/** `retrace explain`: Organize(E), for people or as JSON. */
export async function explain(source: string, options: ExplainOptions): Promise<number> {
  const config = readConfig();
  const tell = (line: string): void => void process.stderr.write(`${line}\n`);
  const clone = options.repo === undefined ? null : await openClone(options.repo, "HEAD", config, composeWorld());
  const evidence = await readEvidence({ ...options, source, files: clone?.files ?? null }, tell);
  if (options.graph !== undefined) await writeGraph(options.graph, renderGraph(evidence));
  const facts = clone === null ? NO_FACTS : await loadCommandFacts(clone.files);
  const actions = nextActions(evidence, composeReaders(facts).tools, facts);
  if (options.json) process.stdout.write(`${JSON.stringify(toEvidenceDocument(evidence), null, 2)}\n`);
  else if (options.markdown) process.stdout.write(renderMarkdown(evidence, actions));
  else process.stdout.write(renderExplanation(evidence, { colour: config.colour, actions }));
  return EXIT.done;
}

async function writeGraph(file: string, svg: string): Promise<void> {
  try {
    await writeFile(file, svg);
  } catch {
    throw new UsageError(`--graph: ${file} cannot be written`);
  }
}
