import type { EngineName } from "../domain/attempt.ts";
import type { Problem } from "../domain/problem.ts";
import type { Switches } from "../domain/switches.ts";
import type { Engine } from "./engine.ts";
import { LADDERS } from "./ladders.ts";

export interface Route {
  readonly engines: readonly Engine[];
  /** What was decided and why, one sentence. */
  readonly why: string;
  /** What would have been tried next and cannot be, a sentence each. */
  readonly missing: readonly string[];
}

/** The engines for one problem: the ladder of its class, or the one that was asked for, less what cannot work here. */
export function route(
  problem: Problem,
  available: readonly Engine[],
  facts: { readonly hasModel: boolean; readonly canRun: boolean },
  switches: Pick<Switches, "engine">,
): Route {
  const wanted: readonly EngineName[] = switches.engine === "auto" ? LADDERS[problem.category] : [switches.engine];
  const known = wanted.flatMap((name) => available.find((engine) => engine.name === name) ?? []);
  const affordable = known.filter((engine) => facts.hasModel || !engine.needsModel);
  // A check that does not show the failure here proves no fixer right: only an engine that can think is left (design §9).
  const engines = affordable.filter((engine) => facts.canRun || engine.needsModel);
  const left = known.filter((engine) => !affordable.includes(engine)).map((engine) => engine.name);
  const why =
    switches.engine === "auto"
      ? `${problem.category}: ${engines.map((engine) => engine.name).join(", then ") || "no engine"}`
      : `${switches.engine} was asked for`;
  const missing = left.length > 0 ? [`no model configured for ${left.join(", ")}`] : [];
  return { engines, why: [why, ...missing].join("; "), missing };
}
