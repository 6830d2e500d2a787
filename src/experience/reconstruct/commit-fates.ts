import type { DevEvent, Fate, HunkRef, SideFate } from "../../domain/experience.ts";
import type { HunkLine } from "../../text/diff.ts";
import type { LineHistory, StepHunk } from "./line-history.ts";
import { type OwnedLine, refOf } from "./split-delta.ts";

// Share of a change's added lines that the final patch owes to it (papers §8.4).
const RETAINED_SHARE = 0.8;

/** Both sides of what a hunk of a commit came to. */
export interface HunkFate {
  readonly hunk: StepHunk;
  readonly fate: Fate;
  readonly added: SideFate | null;
  readonly removed: SideFate | null;
}

/** Follows every hunk of every commit into the final patch (papers §8.4), side by side. */
export function commitFates(history: LineHistory, owned: readonly (readonly OwnedLine[])[]): readonly HunkFate[] {
  const inDelta = countInDelta(owned);
  return history.hunks.map((hunk) => {
    const counts = inDelta.get(hunk) ?? { added: 0, removed: 0 };
    const added = addedSide(hunk, history, counts.added);
    const removed = removedSide(hunk, counts.removed);
    const fate: Fate = hunk.external ? "external" : (added?.fate ?? removed?.fate ?? "unknown");
    return { hunk, fate, added, removed };
  });
}

/** Lines of the final patch that each hunk owns; guesses count for nobody. */
function countInDelta(owned: readonly (readonly OwnedLine[])[]): Map<StepHunk, { added: number; removed: number }> {
  const counts = new Map<StepHunk, { added: number; removed: number }>();
  for (const { line, owner } of owned.flat()) {
    if (owner === null || owner.hunk === null || owner.guessed || line.kind === "context") continue;
    const count = counts.get(owner.hunk) ?? { added: 0, removed: 0 };
    count[line.kind] += 1;
    counts.set(owner.hunk, count);
  }
  return counts;
}

function addedSide(hunk: StepHunk, history: LineHistory, inDelta: number): SideFate | null {
  const lines = hunk.hunk.newLines;
  if (lines === 0) return null;
  const alive = (history.alive(hunk) + hunk.restored.size) / lines;
  return { fate: addedFate(hunk, history, alive, inDelta / lines), lines, alive, inDelta: inDelta / lines };
}

function addedFate(hunk: StepHunk, history: LineHistory, alive: number, inDelta: number): Fate {
  if (hunk.external) return "external";
  if (inDelta >= RETAINED_SHARE) return "retained";
  if (inDelta > 0) return "partial";
  if (alive > 0) return "neutral";
  return isUndone(hunk, history) ? "reverted" : "superseded";
}

/** Its place looks again as it did before it: what it took is back, and nothing stands where its lines were. */
function isUndone(hunk: StepHunk, history: LineHistory): boolean {
  return hunk.removed.every(({ back }) => back) && leavesNothing(hunk, history, new Set());
}

function leavesNothing(hunk: StepHunk, history: LineHistory, seen: Set<StepHunk>): boolean {
  if (seen.has(hunk)) return true;
  seen.add(hunk);
  const { newStart, newLines } = hunk.hunk;
  for (let line = newStart; line < newStart + newLines; line++) {
    if (hunk.restored.has(line)) continue;
    const killer = history.killerOf(hunk, line);
    if (killer === null || !leavesNothing(killer, history, seen)) return false;
  }
  return true;
}

function removedSide(hunk: StepHunk, inDelta: number): SideFate | null {
  const lines = hunk.hunk.oldLines;
  if (lines === 0) return null;
  const back = hunk.removed.filter((taken) => taken.back).length;
  const share = inDelta / lines;
  const side = { lines, alive: (lines - back) / lines, inDelta: share };
  if (hunk.external) return { ...side, fate: "external" };
  if (share >= RETAINED_SHARE) return { ...side, fate: "retained" };
  if (share > 0) return { ...side, fate: "partial" };
  return { ...side, fate: back === lines ? "reverted" : "neutral" };
}

/**
 * What did not stay: attempts that were taken back or written anew, and the changes that took them back. Lines that the
 * final patch owes to a change are left out of it. External changes are nobody's attempt here.
 */
export function developmentOf(
  fates: readonly HunkFate[],
  owned: readonly (readonly OwnedLine[])[],
  history: LineHistory,
): readonly DevEvent[] {
  const kept = keptLines(owned);
  const events: { commit: string; kind: DevEvent["kind"]; hunks: HunkRef[] }[] = [];
  for (const { hunk, fate, added, removed } of fates) {
    if (hunk.external || fate === "retained") continue;
    const lines = hunk.hunk.lines.filter((line) => line.kind !== "context" && !kept.get(hunk)?.has(nameOf(line)));
    if (lines.length === 0) continue;
    const kind = kindOf(hunk, fate, history);
    const shown: Fate = fate === "partial" ? (kind === "reverted" ? "reverted" : "superseded") : fate;
    const number = events.reduce((sum, event) => sum + event.hunks.length, 0) + 1;
    const ref = { id: `X${number}`, ...refOf(hunk.file, lines, hunk.commit, shown), added, removed };
    const open = events.find((event) => event.commit === hunk.commit && event.kind === kind);
    if (open === undefined) events.push({ commit: hunk.commit, kind, hunks: [ref] });
    else open.hunks.push(ref);
  }
  return events.map((event) => ({ ...event, why: WHY[event.kind] ?? "", record: null }));
}

const WHY: Readonly<Partial<Record<DevEvent["kind"], string>>> = {
  reverted: "taken back before the passing commit: its place looks as it did before",
  superseded: "written anew before the passing commit: none of it is in the final patch",
  reverting: "takes back earlier work: on the whole it changed nothing",
};

function kindOf(hunk: StepHunk, fate: Fate, history: LineHistory): DevEvent["kind"] {
  if (fate === "reverted") return "reverted";
  const takesOurs = hunk.removed.some(({ origin }) => origin.hunk !== null && !origin.hunk.external);
  if (fate === "neutral" && (hunk.restored.size > 0 || takesOurs)) return "reverting";
  if (fate === "partial" && isDeadPartUndone(hunk, history)) return "reverted";
  return "superseded";
}

function isDeadPartUndone(hunk: StepHunk, history: LineHistory): boolean {
  const { newStart, newLines } = hunk.hunk;
  let dead = 0;
  for (let line = newStart; line < newStart + newLines; line++) {
    const killer = history.killerOf(hunk, line);
    if (killer === null) continue;
    dead++;
    if (!leavesNothing(killer, history, new Set())) return false;
  }
  return dead > 0;
}

/** By hunk, the lines that the final patch owes to it, as the hunk itself counts them. */
function keptLines(owned: readonly (readonly OwnedLine[])[]): Map<StepHunk, Set<string>> {
  const kept = new Map<StepHunk, Set<string>>();
  for (const { line, owner } of owned.flat()) {
    if (owner === null || owner.hunk === null || owner.ownLine === null || owner.guessed) continue;
    const set = kept.get(owner.hunk) ?? new Set<string>();
    kept.set(owner.hunk, set);
    set.add(`${line.kind} ${owner.ownLine}`);
  }
  return kept;
}

function nameOf(line: HunkLine): string {
  return `${line.kind} ${line.kind === "added" ? line.newLine : line.oldLine}`;
}
