import type { Switches } from "../../../domain/switches.ts";
import type { RepairTask } from "../../engine.ts";
import type { TargetFunction } from "./targets.ts";
import type { Trace } from "./trace.ts";

/** What every agent of one repair looks at. */
export interface Situation {
  readonly task: RepairTask;
  readonly targets: readonly TargetFunction[];
  readonly trace: Trace;
  readonly tr: Switches["tr"];
  readonly temperature: number;
}
