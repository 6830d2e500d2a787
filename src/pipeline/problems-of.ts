import type { Evidence } from "../domain/evidence.ts";
import type { Problem } from "../domain/problem.ts";
import { decompose } from "../problems/decompose.ts";
import type { Tool } from "../tools/tool.ts";

/** The problems of a red run in the order in which people see them numbered and they are repaired. */
export function problemsOf(evidence: Evidence, tools: readonly Tool[]): readonly Problem[] {
  return decompose(evidence, (name) => tools.some((tool) => tool.name === name && tool.fix !== undefined));
}
