import type { HistoryContext } from "../domain/fault.ts";
import { PRODUCT_SWITCHES } from "../domain/switches.ts";
import type { RepairContext } from "./engine.ts";

export const NO_HISTORY: HistoryContext = {
  heuristic: "none",
  shape: "SL",
  availability: "none",
  commit: null,
  chosenBy: null,
  text: "",
};

/** Nothing beyond the log is known. */
export const NO_CONTEXT: RepairContext = {
  guidance: null,
  locations: [],
  history: async () => NO_HISTORY,
  requirement: null,
  handOff: null,
  switches: PRODUCT_SWITCHES,
};
