import { type AskParts, ask } from "../../../agent/ask.ts";
import { type Trial, tryCandidate } from "../../../agent/trial.ts";
import type { Workbench } from "../../../agent/workbench.ts";
import type { Strategy } from "../../../domain/switches.ts";
import { fence } from "../../../text/fence.ts";
import { redact } from "../../../text/redact.ts";
import { sayContext, sayFailures, sayFileHeads, sayTargets, sayTraceSection, tracePrompt } from "./case-text.ts";
import { type Critique, critique } from "./critique.ts";
import { best, complaints, type Hypothesis, Proposal, sayFeedback } from "./hypothesis.ts";
import type { Situation } from "./situation.ts";
import { STRATEGY_ROWS } from "./strategies.ts";
import { withMethods } from "./targets.ts";

/** Where the repair was decided (papers §4.6); `fallback`: the best that is left, which did not pass. */
export type DecidedAt = "best_of_n" | "debate_1" | "debate_2" | "debate_3" | "judge" | "fallback" | "none";

export interface Rounds {
  readonly chosen: Hypothesis | null;
  readonly decidedAt: DecidedAt;
  readonly hypotheses: readonly Hypothesis[];
  /** Why no more questions could be asked; null when all that was to be asked was asked. */
  readonly stopped: { readonly because: "budget" | "upstream" | "format"; readonly why: string } | null;
}

export interface RoundLimits {
  readonly n: number;
  readonly debates: number;
}

const DEBATES = ["debate_1", "debate_2", "debate_3"] as const;
const MOST_SILENT = 2; // an endpoint that failed twice in a row is down

/** Best of N by each strategy, debate, judge, and what is left (papers §4.3): the first hypothesis that scores 2 ends it. */
export class RepairRounds {
  private readonly hypotheses: Hypothesis[] = [];
  private readonly trials = new Map<string, Trial>();
  private readonly latest = new Map<Strategy, Hypothesis>();
  private stopped: Rounds["stopped"] = null;
  private silent = 0;

  constructor(
    private readonly situation: Situation,
    private readonly limits: RoundLimits,
    private readonly bench: Workbench,
    private readonly parts: AskParts,
  ) {}

  async run(): Promise<Rounds> {
    const { tr } = this.situation;
    const first = await this.bestOfN();
    if (first !== null) return this.decided(first, "best_of_n");
    for (const strategy of tr.strategies) {
      const own = best(
        this.hypotheses.filter((one) => one.strategy === strategy),
        tr.tieBreak,
      );
      if (own !== null) this.latest.set(strategy, own);
    }
    for (const stage of tr.debate ? DEBATES.slice(0, this.limits.debates) : []) {
      const won = this.isStopped() ? null : await this.debate(stage);
      if (won !== null) return this.decided(won, stage);
    }
    const judged = tr.judge && !this.isStopped() ? await this.judge() : null;
    if (judged?.trial.score === 2) return this.decided(judged, "judge");
    // None of these can pass by its score: it is handed on as the best that is left, never as a repair (papers G32).
    const left = best([...this.latest.values(), ...(judged === null ? [] : [judged])], tr.tieBreak);
    return this.decided(left, left === null ? "none" : "fallback");
  }

  private decided(chosen: Hypothesis | null, decidedAt: DecidedAt): Rounds {
    return { chosen, decidedAt, hypotheses: this.hypotheses, stopped: this.stopped };
  }

  private isStopped(): boolean {
    return this.stopped !== null || this.bench.signal?.aborted === true;
  }

  /** Turn by turn, so that three different views are tried before any is tried again. */
  private async bestOfN(): Promise<Hypothesis | null> {
    for (let turn = 0; turn < this.limits.n; turn++) {
      for (const strategy of this.situation.tr.strategies) {
        if (this.isStopped()) return null;
        const hypothesis = await this.propose(strategy, "propose", 0, []);
        if (hypothesis?.trial.score === 2) return hypothesis;
      }
    }
    return null;
  }

  private async debate(stage: (typeof DEBATES)[number]): Promise<Hypothesis | null> {
    const round = DEBATES.indexOf(stage) + 1;
    const critiques = new Map<Strategy, readonly Critique[]>();
    for (const [defender, hypothesis] of this.latest) {
      const found: Critique[] = [];
      for (const attacker of this.situation.tr.strategies.filter((one) => one !== defender)) {
        const one = await critique(attacker, hypothesis, this.situation, this.parts);
        if (one !== null) found.push(one);
        if (this.parts.budget.exhausted() !== null) break;
      }
      critiques.set(defender, found);
    }
    for (const [defender, hypothesis] of [...this.latest]) {
      if (this.isStopped()) return null;
      const seen = [sayHypothesis(hypothesis), ...(critiques.get(defender) ?? []).map(sayCritique)];
      const updated = await this.propose(defender, "update", round, seen);
      if (updated === null) continue;
      if (updated.trial.score === 2) return updated;
      // It takes the place of the one before even where that was better (papers §4.3).
      this.latest.set(defender, updated);
    }
    return null;
  }

  private async judge(): Promise<Hypothesis | null> {
    const summaries = [...this.latest.values()].map(sayHypothesis);
    return this.propose("judge", "judge", 0, summaries);
  }

  private async propose(
    strategy: Strategy | "judge",
    taskName: "propose" | "update" | "judge",
    round: number,
    seen: readonly string[],
  ): Promise<Hypothesis | null> {
    const { task, targets, trace, tr, temperature } = this.situation;
    const sections = [
      sayFailures(task.failures),
      sayFileHeads(targets),
      sayTargets(targets, false),
      sayTraceSection(trace, tr.traceView),
      sayContext(task),
      ...seen,
    ];
    const stance = STRATEGY_ROWS.find(({ name }) => name === strategy)?.stance ?? "";
    const question = {
      name: `tr.${taskName}`,
      prompt: tracePrompt(taskName, stance, sections),
      schema: Proposal,
      check: (proposal: Proposal) => complaints(proposal, targets),
      temperature,
    };
    const said = await ask(question, this.parts);
    if (!said.answered) {
      this.silent += 1;
      const { because, why } = said;
      if (because === "budget" || (because === "upstream" && this.silent >= MOST_SILENT))
        this.stopped = { because, why };
      return null;
    }
    this.silent = 0;
    const methods = new Map(said.value.methods.map(({ id, text }) => [id, text]));
    const trial = await this.tryOnce(withMethods(targets, methods));
    const order = this.hypotheses.length;
    const hypothesis: Hypothesis = { id: `h${order + 1}`, strategy, round, proposal: said.value, order, trial };
    this.hypotheses.push(hypothesis);
    await this.write(hypothesis, trial);
    return hypothesis;
  }

  /** Samples of one strategy are often the same: a run of minutes says the same twice. */
  private async tryOnce(files: ReturnType<typeof withMethods>): Promise<Trial> {
    const key = JSON.stringify(files);
    const trial = this.trials.get(key) ?? (await tryCandidate({ files }, this.situation.task, this.bench));
    this.trials.set(key, trial);
    return trial;
  }

  private async write({ id, strategy, round }: Hypothesis, { score, sub, feedback, patch }: Trial): Promise<void> {
    await this.parts.transcript.append({ kind: "trial", hypothesis: id, strategy, round, score, sub, feedback, patch });
  }
}

/** What others may see of a repair: not its code (papers §4.3, judge). */
function sayHypothesis({ id, strategy, proposal, trial }: Hypothesis): string {
  const lines = [
    `logic: ${proposal.repairLogic}`,
    `rationale: ${proposal.rationale}`,
    `score: ${trial.score}`,
    `ended: ${sayFeedback(trial.feedback)}`,
  ];
  return `## Repair ${id} (${strategy})\n\n${fence(redact(lines.join("\n")))}`;
}

function sayCritique({ attacker, failureReason, suggestions }: Critique): string {
  const lines = [
    ...(failureReason === null ? [] : [`why it failed: ${failureReason}`]),
    ...suggestions.map((one) => `do: ${one}`),
  ];
  return `## What the ${attacker} view says\n\n${fence(redact(lines.join("\n")))}`;
}
