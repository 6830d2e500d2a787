import { styleText } from "node:util";
import type { HunkRef, ProblemRepair, Reconstruction } from "../domain/experience.ts";

/** An episode for people: what was repaired by what, what did not stay, what belongs to no problem. */
export function renderEpisode(learned: Reconstruction, colour: boolean): string {
  const bold = (text: string): string => (colour ? styleText("bold", text, { validateStream: false }) : text);
  const dim = (text: string): string => (colour ? styleText("dim", text, { validateStream: false }) : text);
  const { episode, records, development, unrelated, rejected, edges } = learned;
  const lines = [bold(headline(learned)), ""];
  for (const record of records) lines.push(...renderRecord(record, bold, dim), "");
  if (edges.length > 0) {
    lines.push(
      bold("What had to come first"),
      ...edges.map(({ from, to, type }) => `  ${from} before ${to} (${type})`),
      "",
    );
  }
  if (rejected.length > 0) {
    lines.push(bold("Not recovered"), ...rejected.map(({ statement, why }) => `  ${statement}: ${why}`), "");
  }
  if (development.length > 0) {
    lines.push(bold("Attempts that did not stay"));
    for (const event of development) {
      lines.push(`  ${short(event.commit)} ${event.kind}: ${event.hunks.map(placeOf).join(", ")}`);
    }
    lines.push("");
  }
  if (unrelated.length > 0) {
    lines.push(
      bold("Changes that belong to no problem"),
      ...unrelated.map((hunk) => `  ${placeOf(hunk)}${by(hunk)}`),
      "",
    );
  }
  lines.push(
    dim(`${short(episode.failSha)} … ${short(episode.passSha)}, ${episode.commits.length} commits, ${episode.quality}`),
  );
  return lines.join("\n");
}

function headline({ episode, records }: Reconstruction): string {
  if (episode.fixedByBase) return "Repaired by a merge of the base: nothing in this history is a repair.";
  const count = records.length === 1 ? "1 problem was repaired" : `${records.length} problems were repaired`;
  return `${episode.repo}: ${count}${episode.completeness === "no_commits" ? " (the commits between are not there)" : ""}`;
}

function renderRecord(record: ProblemRepair, bold: (text: string) => string, dim: (text: string) => string): string[] {
  const { p, r, v } = record;
  return [
    `${bold(record.id)}  ${p.statement.value}  ${dim(`[${p.category}, confidence ${record.confidence}]`)}`,
    ...(p.rootCause === null ? [] : [`    because   ${p.rootCause.value}`]),
    ...r.operations.map(({ value }) => `    repaired  ${value}`),
    ...r.hunks.map((hunk) => `    hunk      ${placeOf(hunk)}${by(hunk)}`),
    ...(v.command === "" ? [] : [`    checked   ${v.command.split("\n")[0]} (${v.before} → ${v.after})`]),
    ...record.removedFields.map(({ field, why }) => dim(`    left out  ${field}: ${why}`)),
  ];
}

function placeOf({ path, oldRange, newRange }: HunkRef): string {
  const show = (mark: string, range: HunkRef["oldRange"]): string =>
    range === null ? "" : ` ${mark}${range.start}${range.end === range.start ? "" : `–${range.end}`}`;
  return `${path}${show("-", oldRange)}${show("+", newRange)}`;
}

function by({ commit, fate }: HunkRef): string {
  return `${commit === null ? "" : ` by ${short(commit)}`}${fate === "retained" ? "" : ` (${fate})`}`;
}

function short(sha: string): string {
  return sha.slice(0, 8);
}
