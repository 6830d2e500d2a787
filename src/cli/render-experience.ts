import { styleText } from "node:util";
import type { ExperienceRecord, HunkRef, L1Body, L2Body, L3Body } from "../domain/experience.ts";
import type { Recurrence, RecurringPattern } from "../experience/upkeep/recurrence.ts";
import type { StoreStats } from "../ports/experience-store.ts";

/** What `retrace experience recurrence` tells. */
export interface RecurrenceReport {
  readonly paper: { readonly structural: number; readonly lexical: number };
  readonly repositories: readonly (Recurrence & { readonly expect: string })[];
  readonly patterns: readonly RecurringPattern[];
}

type Paint = (text: string) => string;

/** Records for people, by repository and workflow, in the given order. */
export function renderList(records: readonly ExperienceRecord[], stats: StoreStats | null, colour: boolean): string {
  const { bold, dim } = paints(colour);
  if (records.length === 0) {
    return stats !== null && stats.episodes > 0
      ? `No records; ${stats.episodes} episodes were learned from and held nothing that could be told.`
      : "Nothing has been learned yet: `retrace learn` reads a repository's past repairs.";
  }
  const places = [...new Set(records.map(placeOf))];
  const blocks = places.map((place) =>
    [
      bold(place),
      ...records.filter((record) => placeOf(record) === place).flatMap((record) => renderRow(record, dim)),
    ].join("\n"),
  );
  return [...blocks, ...(stats === null ? [] : [dim(countsOf(stats))])].join("\n\n");
}

function renderRow(record: ExperienceRecord, dim: Paint): readonly string[] {
  const { meta, level } = record;
  const facts = [
    meta.category,
    `seen in ${meta.support} episode${meta.support === 1 ? "" : "s"}`,
    `last ${day(meta.lastSeenAt)}`,
    ...(level === "L1" ? [`confidence ${record.body.z.confidence}`] : []),
    ...(meta.wins + meta.losses === 0 ? [] : [`helped ${meta.wins} of ${meta.wins + meta.losses} times`]),
    ...(meta.status === "active" ? [] : [meta.status]),
  ];
  return [`  ${meta.id}  ${titleOf(record)}`, dim(`      ${facts.join(" · ")}`)];
}

function countsOf({ records: { L1, L2, L3 }, quarantined, retired, episodes }: StoreStats): string {
  const aside = [
    ...(quarantined === 0 ? [] : [`${quarantined} quarantined`]),
    ...(retired === 0 ? [] : [`${retired} retired`]),
  ];
  return `${L1} concrete, ${L2} strategies, ${L3} patterns from ${episodes} episode${episodes === 1 ? "" : "s"}${aside.length === 0 ? "" : `; ${aside.join(", ")}`}`;
}

/** One record, whole, for people. */
export function renderRecord(record: ExperienceRecord, colour: boolean): string {
  const { bold, dim } = paints(colour);
  const { meta } = record;
  const { provenance } = meta;
  return [
    bold(titleOf(record)),
    dim(`${meta.id} · ${record.level} · ${placeOf(record)} · ${meta.category} · ${meta.status}`),
    "",
    ...bodyLines(record),
    "",
    `  seen      in ${meta.support} episode${meta.support === 1 ? "" : "s"}, ${day(meta.createdAt)} to ${day(meta.lastSeenAt)}`,
    `  helped    ${meta.wins} of ${meta.wins + meta.losses} times`,
    `  trust     ${meta.trust}${provenance.model === null ? ", made without a model" : `, told by ${provenance.model}`}`,
    ...(provenance.pr === null ? [] : [`  from      pull request #${provenance.pr}`]),
    ...(provenance.sourceShas.length === 0 ? [] : [`  commits   ${provenance.sourceShas.map(short).join(" ")}`]),
    ...(meta.parents.length === 0 ? [] : [`  made from ${meta.parents.join(", ")}`]),
    ...(provenance.redactions === 0 ? [] : [`  redacted  ${provenance.redactions} places`]),
  ].join("\n");
}

function bodyLines(record: ExperienceRecord): readonly string[] {
  switch (record.level) {
    case "L1":
      return concreteLines(record.body);
    case "L2":
      return strategyLines(record.body);
    case "L3":
      return patternLines(record.body);
  }
}

function concreteLines({ z, edges }: L1Body): readonly string[] {
  return [
    ...(z.p.rootCause === null ? [] : [`  because   ${z.p.rootCause.value}`]),
    ...z.p.signals.map(({ value, cites }) => `  signal    ${value}${cited(cites)}`),
    ...z.r.operations.map(({ value, cites }) => `  repaired  ${value}${cited(cites)}`),
    ...z.r.hunks.map((hunk) => `  hunk      ${hunkOf(hunk)}`),
    ...(z.v.command === "" ? [] : [`  checked   ${z.v.command.split("\n")[0]} (${z.v.before} → ${z.v.after})`]),
    ...edges.map(({ from, to, type, support }) => `  order     ${from} before ${to} (${type}, ${support})`),
    ...z.removedFields.map(({ field, why }) => `  left out  ${field}: ${why}`),
    `  confidence ${z.confidence}, by ${z.provenance === "both" ? "both views" : z.provenance.replace("_only", " view alone")}${z.conflict ? ", contradicted by another record" : ""}`,
  ];
}

function strategyLines(body: L2Body): readonly string[] {
  return [
    `  because   ${body.causalChain}`,
    `  intent    ${body.intent}`,
    `  when      ${body.whenToApply}`,
    ...body.signals.map((text) => `  signal    ${text}`),
    ...body.keyActions.map((text, at) => `  ${at + 1}.        ${text}`),
    `  check     ${body.validation}`,
    ...body.pitfalls.map((text) => `  pitfall   ${text}`),
    ...body.constraints.map((text) => `  only if   ${text}`),
  ];
}

function patternLines(body: L3Body): readonly string[] {
  return [
    `  problem   ${body.problem}`,
    `  because   ${body.mechanism}`,
    ...body.whenToApply.map((text) => `  when      ${text}`),
    ...body.signals.map((text) => `  signal    ${text}`),
    ...body.principles.map((text) => `  principle ${text}`),
    ...body.followOn.map((text) => `  then      ${text}`),
  ];
}

/** How much comes back, beside what the papers measured, and what. */
export function renderRecurrence({ paper, repositories, patterns }: RecurrenceReport, colour: boolean): string {
  const { bold, dim } = paints(colour);
  if (repositories.length === 0)
    return "Nothing has been learned yet: `retrace learn` reads a repository's past repairs.";
  const lines = [
    bold("How much comes back: for each episode its likeness to the most alike other one, and the mean"),
    `  ${"".padEnd(NAME_WIDTH)} episodes  structural  lexical`,
  ];
  for (const { repo, episodes, structural, lexical, expect } of repositories) {
    lines.push(
      `  ${repo.padEnd(NAME_WIDTH)} ${String(episodes).padStart(8)}  ${number(structural).padStart(10)}  ${number(lexical).padStart(7)}`,
    );
    lines.push(dim(`      ${expect}`));
  }
  lines.push(
    dim(
      `  ${"RETRACE's repositories".padEnd(NAME_WIDTH)} ${"".padStart(8)}  ${number(paper.structural).padStart(10)}  ${number(paper.lexical).padStart(7)}`,
    ),
  );
  lines.push("", bold("Problems that come back (at least 3 episodes and half of the workflow's)"));
  if (patterns.length === 0) lines.push("  none");
  for (const { statement, workflow, repo, episodes, inScope, representative } of patterns) {
    lines.push(`  ${statement}`);
    lines.push(
      dim(
        `      ${repo} · ${workflow ?? "no workflow"} · ${episodes.length} of ${inScope} episodes · ${representative}`,
      ),
    );
  }
  return lines.join("\n");
}

// Most names of repositories fit; a longer one only moves its row.
const NAME_WIDTH = 30;

function number(value: number | null): string {
  return value === null ? "–" : value.toFixed(3);
}

/** What a record is about, in one line. */
function titleOf(record: ExperienceRecord): string {
  switch (record.level) {
    case "L1":
      return record.body.z.p.statement.value;
    case "L2":
      return record.body.summary;
    case "L3":
      return record.body.failurePattern;
  }
}

function placeOf({ meta: { scope } }: ExperienceRecord): string {
  const where = scope.repo === null ? "patterns" : `${scope.repo} · ${scope.workflow ?? "no workflow"}`;
  return scope.tenant === "local" ? where : `${where} (account ${scope.tenant})`;
}

function hunkOf({ path, oldRange, newRange, commit, fate }: HunkRef): string {
  const show = (mark: string, range: HunkRef["oldRange"]): string =>
    range === null ? "" : ` ${mark}${range.start}${range.end === range.start ? "" : `–${range.end}`}`;
  return `${path}${show("-", oldRange)}${show("+", newRange)}${commit === null ? "" : ` by ${short(commit)}`} (${fate})`;
}

function cited(cites: readonly { readonly id: string }[]): string {
  return cites.length === 0 ? "" : `  [${cites.map(({ id }) => id).join(", ")}]`;
}

function day(at: string): string {
  return at.slice(0, 10);
}

function short(sha: string): string {
  return sha.slice(0, 8);
}

function paints(colour: boolean): { readonly bold: Paint; readonly dim: Paint } {
  const paint =
    (style: "bold" | "dim"): Paint =>
    (text) =>
      colour ? styleText(style, text, { validateStream: false }) : text;
  return { bold: paint("bold"), dim: paint("dim") };
}
