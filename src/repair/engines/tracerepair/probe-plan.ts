import { z } from "zod";
import { type Answered, type AskParts, ask } from "../../../agent/ask.ts";
import type { RepairTask } from "../../engine.ts";
import { sayContext, sayFailures, sayTargets, tracePrompt } from "./case-text.ts";
import type { InstrumentedFile } from "./collect-trace.ts";
import { insertProbes, type PlacedProbe, type WantedProbe } from "./probes/insert-probes.ts";
import { interference } from "./probes/interference.ts";
import { probeLanguageOf } from "./probes/languages.ts";
import type { TargetFunction } from "./targets.ts";

const Probe = z.strictObject({
  method: z.string(),
  kind: z.enum(["value", "condition", "marker"]),
  line: z.int(),
  expression: z.string().max(200).nullable(),
  when: z.enum(["before", "after", "inside"]),
  why: z.string().max(300),
});
export const ProbePlan = z.strictObject({ probes: z.array(Probe).min(1).max(20) });
export type ProbePlan = z.infer<typeof ProbePlan>;

/** The model chooses variables and places, nothing more. `again` says why its last choice could not be used. */
export async function planProbes(
  task: RepairTask,
  targets: readonly TargetFunction[],
  again: string,
  parts: AskParts,
): Promise<Answered<ProbePlan>> {
  const sections = [sayFailures(task.failures), sayTargets(targets, true), sayContext(task)];
  return ask({ name: "tr.probe", prompt: tracePrompt("probe", "", sections, again), schema: ProbePlan }, parts);
}

export type ProbedFiles =
  | { readonly placed: true; readonly files: readonly InstrumentedFile[]; readonly probes: readonly PlacedProbe[] }
  | { readonly placed: false; readonly why: string };

/** The files with the plan's probes, put in by the syntax tree and checked to change nothing. */
export function placeProbes(plan: ProbePlan, targets: readonly TargetFunction[]): ProbedFiles {
  const texts = new Map<string, string>();
  const probes: PlacedProbe[] = [];
  const refused: string[] = [];
  const several = new Set(targets.map(({ file }) => file)).size > 1;
  // From the end of a file to its beginning: where a language needs lines of their own, lines further up keep their numbers.
  for (const target of [...targets].sort((a, b) => b.range.start - a.range.start)) {
    const language = probeLanguageOf(target.file);
    if (language === null) continue;
    const wanted: WantedProbe[] = plan.probes.filter(({ method }) => method === target.id);
    const done = insertProbes(target.file, target.source, target.range, wanted, language, probes.length + 1);
    refused.push(...done.refused);
    if (done.probes.length === 0) continue;
    const below = texts.get(target.file);
    texts.set(target.file, below === undefined ? done.text : joined(below, done.text, target));
    const short = several ? `${target.file.split("/").at(-1)} ` : "";
    probes.push(...done.probes.map((probe) => ({ ...probe, label: short + probe.label })));
  }
  if (probes.length === 0) return { placed: false, why: refused.join("; ") || "it names none of the functions" };
  const files: InstrumentedFile[] = [];
  for (const [path, text] of texts) {
    const language = probeLanguageOf(path);
    const source = targets.find(({ file }) => file === path)?.source ?? "";
    if (language === null) continue;
    const wrong = interference(path, source, text, language);
    if (wrong !== null) return { placed: false, why: `${path}: ${wrong}` };
    files.push({ path, text, language });
  }
  return { placed: true, files, probes };
}

/** The lower function's probes of one text and the upper function's of another: each changed only its own part. */
function joined(lower: string, upper: string, { source, range }: TargetFunction): string {
  const lines = source.split("\n");
  const below = lines.slice(range.end).join("\n");
  const tailOfUpper = upper.endsWith(below) ? upper.slice(0, upper.length - below.length) : upper;
  const above = lines.slice(0, range.end).join("\n");
  return lower.startsWith(above) ? tailOfUpper + lower.slice(above.length + 1) : upper;
}
