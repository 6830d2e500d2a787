import type { EngineName } from "./attempt.ts";

/** Settings of an experiment: what a run may use (papers §7). Operators set `config.ts`, repositories `policy.ts`. */
export interface Switches {
  readonly profile: "product" | "paper";
  readonly engine: "auto" | EngineName;
  readonly experience: "none" | "retrace";
  readonly localization: "line" | "method" | "ci";
}

export const PRODUCT_SWITCHES: Switches = {
  profile: "product",
  engine: "auto",
  experience: "retrace",
  localization: "ci",
};
