import { z } from "zod";
import { type AskParts, ask, CitedText, showEvidence } from "../../../agent/ask.ts";
import { judgeClaim } from "../../../agent/cite.ts";
import type { EvidenceItem } from "../../../domain/experience.ts";
import type { Strategy } from "../../../domain/switches.ts";
import { redact } from "../../../text/redact.ts";
import { sayFailures, tracePrompt } from "./case-text.ts";
import { type Hypothesis, sayFeedback } from "./hypothesis.ts";
import type { Situation } from "./situation.ts";
import { STRATEGY_ROWS } from "./strategies.ts";
import { sayTrace } from "./trace.ts";

const Answer = z.strictObject({ failureReason: CitedText, suggestions: z.array(z.string().max(600)).max(5) });

/** Why another strategy says a repair failed (papers §4.6). `failureReason` null: it could not cite what it claims. */
export interface Critique {
  readonly attacker: Strategy;
  readonly failureReason: string | null;
  readonly suggestions: readonly string[];
}

/** One strategy's agent looks at another's failed repair; null when no usable answer came. */
export async function critique(
  attacker: Strategy,
  hypothesis: Hypothesis,
  situation: Situation,
  parts: AskParts,
): Promise<Critique | null> {
  const { task, targets, trace, tr } = situation;
  const item = (id: string, kind: EvidenceItem["kind"], locator: string, text: string): EvidenceItem => ({
    id,
    kind,
    locator,
    text: redact(text),
  });
  const evidence = [
    ...targets.map((target) => item(target.id, "file", `${target.file}, before`, target.original)),
    ...hypothesis.proposal.methods.map(({ id, text }) => item(`N${id}`, "file", `${id}, as the repair has it`, text)),
    item("R1", "log", "what the repair does", hypothesis.proposal.repairLogic),
    item("R2", "log", "its rationale", hypothesis.proposal.rationale),
    item("E1", "log", "how it ended", sayFeedback(hypothesis.trial.feedback)),
    ...(trace.status === "collected" ? [item("T1", "log", "trace", sayTrace(trace, tr.traceView))] : []),
  ];
  const stance = STRATEGY_ROWS.find(({ name }) => name === attacker)?.stance ?? "";
  const prompt = tracePrompt("critique", stance, [sayFailures(task.failures), showEvidence(evidence)]);
  const said = await ask({ name: "tr.critique", prompt, schema: Answer, temperature: situation.temperature }, parts);
  if (!said.answered) return null;
  const { value, cites } = said.value.failureReason;
  const judged = judgeClaim("rootCause", value, cites, {
    item: (id) => evidence.find((one) => one.id === id) ?? null,
    fateOf: () => null,
    isUnreached: () => false,
    inTree: (entity) => targets.some(({ source }) => source.includes(entity)),
  });
  const supported = judged.claim.support !== "unsupported";
  return { attacker, failureReason: supported ? value : null, suggestions: said.value.suggestions };
}
