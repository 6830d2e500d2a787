import type { Guidance } from "../../src/domain/guidance.ts";
import { NO_CONTEXT } from "../../src/repair/context.ts";
import type { RepairContext } from "../../src/repair/engine.ts";

/** Guidance that says no more than this text. */
export function guidanceText(text: string): Guidance {
  return {
    problem: "p1",
    records: [],
    summary: null,
    actions: [],
    pitfalls: [],
    rootCauses: [],
    conditions: [],
    relations: [],
    suspected: [],
    validation: null,
    refused: [],
    text,
  };
}

/** A context with nothing but this guidance. */
export function guidedBy(text: string): RepairContext {
  return { ...NO_CONTEXT, guidance: guidanceText(text) };
}
