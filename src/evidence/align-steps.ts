import type { WorkflowStep } from "../domain/workflow.ts";
import type { SplitStep } from "./split-log.ts";

/** A step that is known to belong to a job, from the jobs answer, an archive's listing or the workflow file. */
export interface KnownStep {
  readonly number: number | null;
  readonly name: string;
  readonly conclusion: string | null;
  readonly startedAt: string | null;
  readonly completedAt: string | null;
  readonly definition: WorkflowStep | null;
}

// What one sign of belonging together is worth against the others; only their order matters.
const SAME_NAME = 12;
const SAME_SCRIPT = 10;
const SAME_TIME = 6;
const SAME_END = 4;
const NOTHING_AGAINST = 1;
const IMPOSSIBLE = Number.NEGATIVE_INFINITY;
// GitHub's times are whole seconds, the log's are not.
const SLACK_MS = 1_500;
// The table has steps × groups cells; a job has some dozens of each.
const MAX_GROUPS = 1_500;

/**
 * Which known step each group of the log belongs to, both in their order; groups without one (parts of composite actions)
 * are missing from the map. Maximizes the signs of belonging: name, script, action, time, end.
 */
export function alignSteps(
  groups: readonly SplitStep[],
  known: readonly KnownStep[],
): ReadonlyMap<SplitStep, KnownStep> {
  const steps = known.filter((step) => canHaveGroup(step));
  const used = groups.slice(0, MAX_GROUPS);
  const best = scoreTable(used, steps);
  const matches = new Map<SplitStep, KnownStep>();
  let g = 0;
  let s = 0;
  while (g < used.length && s < steps.length) {
    const group = used[g];
    const step = steps[s];
    if (group === undefined || step === undefined) break;
    const here = best[g]?.[s] ?? 0;
    const together = signs(group, step) + (best[g + 1]?.[s + 1] ?? 0);
    if (here === together) {
      matches.set(group, step);
      g++;
      s++;
    } else if (here === (best[g]?.[s + 1] ?? 0)) s++;
    else g++;
  }
  return matches;
}

/** best[g][s]: the most that groups from g on and steps from s on can score. */
function scoreTable(groups: readonly SplitStep[], steps: readonly KnownStep[]): number[][] {
  const best = Array.from({ length: groups.length + 1 }, () => new Array<number>(steps.length + 1).fill(0));
  for (let g = groups.length - 1; g >= 0; g--) {
    for (let s = steps.length - 1; s >= 0; s--) {
      const group = groups[g];
      const step = steps[s];
      const row = best[g];
      if (group === undefined || step === undefined || row === undefined) continue;
      const together = signs(group, step) + (best[g + 1]?.[s + 1] ?? 0);
      row[s] = Math.max(together, best[g + 1]?.[s] ?? 0, row[s + 1] ?? 0);
    }
  }
  return best;
}

function canHaveGroup({ name, conclusion }: KnownStep): boolean {
  return (
    conclusion !== "skipped" &&
    !/^(?:Set up job|Complete job|Post |Pre |Initialize containers|Stop containers)/.test(name)
  );
}

function signs(group: SplitStep, step: KnownStep): number {
  let score = NOTHING_AGAINST;
  const { definition } = step;
  if (group.name === step.name) score += SAME_NAME;
  if (definition !== null) {
    const fits = fitsDefinition(group, definition);
    if (!fits) return IMPOSSIBLE;
    score += SAME_SCRIPT;
  } else if (step.name.startsWith("Run ") && group.name !== step.name && USES_NAME.test(step.name)) {
    return IMPOSSIBLE;
  }
  if (isWithin(group, step)) score += SAME_TIME;
  if (step.conclusion === "failure") score += group.failure === "ended" ? SAME_END : -NOTHING_AGAINST;
  return score;
}

const USES_NAME = /^Run \S+\/\S+@\S+$/;

/** Whether a group's script or action is what the workflow has for the step; expressions stand for anything. */
export function fitsDefinition(group: Pick<SplitStep, "command" | "uses">, definition: WorkflowStep): boolean {
  if (definition.uses !== null)
    return group.uses !== null && group.uses.toLowerCase() === definition.uses.toLowerCase();
  if (definition.run === null || group.command === null) return false;
  return scriptPattern(definition.run).test(normal(group.command));
}

// A workflow's text as a pattern is asked for once per step and group: bounded, like everything that comes from outside.
const MAX_SCRIPT = 2_000;

function scriptPattern(script: string): RegExp {
  const whole = normal(script);
  const parts = whole
    .slice(0, MAX_SCRIPT)
    .split(/\$\{\{[^}]*(?:\}(?!\})[^}]*)*\}\}/)
    .slice(0, 20)
    .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  const cut = whole.length > MAX_SCRIPT || parts.length === 20;
  return new RegExp(`^${parts.join("[\\s\\S]*?")}${cut ? "" : "$"}`);
}

function normal(script: string): string {
  return script
    .split("\n")
    .map((line) => line.trim())
    .join("\n")
    .trim();
}

function isWithin(group: SplitStep, step: KnownStep): boolean {
  if (group.startedAt === null || step.startedAt === null || step.completedAt === null) return false;
  const at = Date.parse(group.startedAt);
  return at >= Date.parse(step.startedAt) - SLACK_MS && at <= Date.parse(step.completedAt) + SLACK_MS;
}
