import { comparedRecord } from "../../domain/compared-record.ts";
import type { ExperienceRecord } from "../../domain/experience.ts";
import { isAboutOthers, NEAR_DUPLICATE, similarity, similarityAtMost } from "../../domain/similarity.ts";

export interface MergedMemory {
  /** What has to be written. */
  readonly writes: readonly ExperienceRecord[];
  /** Under which id each new record is kept, by its own id. */
  readonly homes: ReadonlyMap<string, string>;
}

/**
 * What has to be written so that a scope's memory holds some new records too (papers §13.4): the same and nearly the same
 * are merged into what is there, the rest is added. Learning an episode twice, or going on after a kill, writes nothing
 * twice.
 */
export function mergeIntoMemory(
  existing: readonly ExperienceRecord[],
  incoming: readonly ExperienceRecord[],
): MergedMemory {
  const memory = new Map(existing.map((record) => [record.meta.id, record]));
  const writes = new Map<string, ExperienceRecord>();
  const homes = new Map<string, string>();
  // What one of the new records is exactly is not what another one nearly is: problems of one episode stay apart.
  const reserved = new Set(
    existing.filter((other) => incoming.some((record) => isSame(other, record))).map(({ meta }) => meta.id),
  );
  for (const record of incoming) {
    const others = [...memory.values()].filter(
      (other) => other.level === record.level && other.meta.scope.workflow === record.meta.scope.workflow,
    );
    const own = new Set(homes.values());
    const strangers = others.filter(({ meta }) => !own.has(meta.id) && !reserved.has(meta.id));
    const known =
      others.find((other) => isSame(other, record)) ??
      strangers.find((other) => isToldAnew(other, record)) ??
      nearest(strangers, record);
    const merged = known === undefined ? record : mergeRecords(known, record);
    homes.set(record.meta.id, merged.meta.id);
    if (merged === known) continue;
    memory.set(merged.meta.id, merged);
    writes.set(merged.meta.id, merged);
  }
  return { writes: [...writes.values()], homes };
}

/** One record of two; it keeps the id of the first. The first itself when the second adds nothing. */
export function mergeRecords(known: ExperienceRecord, young: ExperienceRecord): ExperienceRecord {
  const isBetter = rankOf(young) > rankOf(known);
  const episodeIds = union(known.meta.episodeIds, young.meta.episodeIds);
  const parents = union(known.meta.parents, young.meta.parents);
  const isSeenAgain = episodeIds.length > known.meta.episodeIds.length;
  if (!isBetter && !isSeenAgain && parents.length === known.meta.parents.length) return known;
  const better = withMembers(isBetter ? young : known, parents);
  const sourceShas = union(known.meta.provenance.sourceShas, young.meta.provenance.sourceShas);
  return {
    ...better,
    meta: {
      ...better.meta,
      id: known.meta.id,
      episodeIds,
      parents,
      createdAt: earlier(known.meta.createdAt, young.meta.createdAt),
      lastSeenAt: later(known.meta.lastSeenAt, young.meta.lastSeenAt),
      support: isSeenAgain ? known.meta.support + young.meta.support : known.meta.support,
      wins: known.meta.wins,
      losses: known.meta.losses,
      trust: Math.max(known.meta.trust, young.meta.trust),
      status: statusOf(known, young, isSeenAgain),
      provenance: { ...better.meta.provenance, sourceShas },
    },
  };
}

/** A strategy or a pattern names the records it was made from in its body too. */
function withMembers(record: ExperienceRecord, parents: readonly string[]): ExperienceRecord {
  switch (record.level) {
    case "L1":
      return record;
    case "L2":
      return { ...record, body: { ...record.body, memberL1Ids: parents } };
    case "L3":
      return { ...record, body: { ...record.body, memberL2Ids: parents } };
  }
}

function union(a: readonly string[], b: readonly string[]): readonly string[] {
  return [...new Set([...a, ...b])];
}

/** A trusted episode beside a quarantined one confirms it, unless it was put there for failing (papers §13.3, §13.4). */
function statusOf(
  known: ExperienceRecord,
  young: ExperienceRecord,
  isNews: boolean,
): ExperienceRecord["meta"]["status"] {
  const { status, losses } = known.meta;
  if (status === "retired") return isNews ? young.meta.status : status;
  if (status === "quarantined" && losses === 0) return young.meta.status === "active" ? "active" : status;
  return status;
}

/** Made with a model beats made without; then confidence. */
function rankOf(record: ExperienceRecord): number {
  const confidence = record.level === "L1" ? record.body.z.confidence : 0;
  return (record.meta.quality === "full" ? 1 : 0) + confidence / 2;
}

function isSame(a: ExperienceRecord, b: ExperienceRecord): boolean {
  return a.meta.id === b.meta.id || a.meta.contentHash === b.meta.contentHash;
}

/** The same problem of one episode: by a model this time, or by a later version of ours. */
function isToldAnew(a: ExperienceRecord, b: ExperienceRecord): boolean {
  if (a.level !== "L1" || b.level !== "L1") return false;
  if (!b.meta.episodeIds.some((id) => a.meta.episodeIds.includes(id))) return false;
  const signatures = new Set(a.body.z.p.signatures);
  const hunks = new Set(a.body.z.r.hunks.map(hunkKey));
  return (
    b.body.z.p.signatures.some((signature) => signatures.has(signature)) &&
    b.body.z.r.hunks.some((hunk) => hunks.has(hunkKey(hunk)))
  );
}

function hunkKey({ path, fingerprint }: { readonly path: string; readonly fingerprint: string }): string {
  return `${fingerprint} ${path}`;
}

// What neither side has tells nothing: without root causes (weight 0.2) the bound is lower by their weight.
const WITHOUT_ROOT_CAUSE = NEAR_DUPLICATE - 0.2;

function nearest(others: readonly ExperienceRecord[], record: ExperienceRecord): ExperienceRecord | undefined {
  const own = comparedRecord(record);
  let best: { readonly other: ExperienceRecord; readonly s: number } | undefined;
  for (const other of others) {
    if (toolOf(other) !== toolOf(record)) continue;
    const compared = comparedRecord(other);
    const bound = own.rootCause.text === "" && compared.rootCause.text === "" ? WITHOUT_ROOT_CAUSE : NEAR_DUPLICATE;
    const least = Math.max(bound, best?.s ?? 0);
    if (similarityAtMost(own, compared) < least || isAboutOthers(own, compared)) continue;
    const s = similarity(own, compared);
    if (s >= bound && s > (best?.s ?? 0)) best = { other, s };
  }
  return best?.other;
}

function toolOf(record: ExperienceRecord): string | null {
  return record.level === "L1" ? record.body.z.v.tool : null;
}

function earlier(a: string, b: string): string {
  return a < b ? a : b;
}

function later(a: string, b: string): string {
  return a > b ? a : b;
}
