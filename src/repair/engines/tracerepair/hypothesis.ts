import { z } from "zod";
import type { ExecFeedback } from "../../../agent/exec-feedback.ts";
import type { Trial } from "../../../agent/trial.ts";
import type { Strategy, Switches } from "../../../domain/switches.ts";
import type { TargetFunction } from "./targets.ts";

// A function longer than this is no function that can be answered whole.
const METHOD_CHARACTERS = 40_000;

/** What a strategy's agent, its defender and the judge answer (papers §9.2). */
export const Proposal = z.strictObject({
  methods: z
    .array(z.strictObject({ id: z.string(), text: z.string().min(1).max(METHOD_CHARACTERS) }))
    .min(1)
    .max(3),
  repairLogic: z.string().min(1).max(1_500),
  rationale: z.string().min(1).max(3_000),
  /** Which values of the trace are wrong: held against the trace before anybody sees them. */
  wrongValues: z
    .array(
      z.strictObject({
        traceLine: z.string().max(400),
        expected: z.string().max(200),
      }),
    )
    .max(6),
});
export type Proposal = z.infer<typeof Proposal>;

/** One complete rewrite of the target functions, tried (papers §4.6). */
export interface Hypothesis {
  readonly id: string;
  readonly strategy: Strategy | "judge";
  readonly round: number;
  readonly proposal: Proposal;
  /** In which order it came. */
  readonly order: number;
  readonly trial: Trial;
}

/** What is wrong with a proposal that fits the schema. */
export function complaints(proposal: Proposal, targets: readonly TargetFunction[]): readonly string[] {
  const ids = targets.map(({ id }) => id);
  const given = proposal.methods.map(({ id }) => id);
  const unknown = given.filter((id) => !ids.includes(id));
  return [
    ...unknown.map((id) => `methods: there is no function ${id}, only ${ids.join(", ")}`),
    ...(new Set(given).size < given.length ? ["methods: one function is given twice"] : []),
  ];
}

/** The better of two first: score, then what `tieBreak` says, then the earlier (papers §4.3, G31). */
export function compareHypotheses(a: Hypothesis, b: Hypothesis, tieBreak: Switches["tr"]["tieBreak"]): number {
  const graded =
    tieBreak === "graded"
      ? b.trial.sub.targetFixed - a.trial.sub.targetFixed ||
        a.trial.sub.newFailures - b.trial.sub.newFailures ||
        (a.trial.patch ?? "").length - (b.trial.patch ?? "").length
      : 0;
  const longer = b.proposal.rationale.length - a.proposal.rationale.length;
  return b.trial.score - a.trial.score || graded || longer || a.order - b.order;
}

export function best(hypotheses: readonly Hypothesis[], tieBreak: Switches["tr"]["tieBreak"]): Hypothesis | null {
  return [...hypotheses].sort((a, b) => compareHypotheses(a, b, tieBreak))[0] ?? null;
}

/** Feedback as a prompt says it. */
export function sayFeedback({ stage, message, timedOut }: ExecFeedback): string {
  const where = {
    build: "does not build",
    trigger: "the target still fails",
    regression: "something else fails now",
    none: "",
  };
  return [where[stage], timedOut ? "timed out" : "", message].filter((part) => part !== "").join(": ");
}
