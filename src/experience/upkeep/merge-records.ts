import type { ExperienceRecord } from "../../domain/experience.ts";
import { isAboutOthers, NEAR_DUPLICATE, similarity, similarityAtMost } from "../../domain/similarity.ts";
import { comparedRecord } from "./compared.ts";

/**
 * What has to be written so that a scope's memory holds some new records too (papers §13.4): the same and nearly the same are merged
 * into what is there, the rest is added. Learning an episode twice, or going on after a kill, writes nothing twice.
 */
export function mergeIntoMemory(
  existing: readonly ExperienceRecord[],
  incoming: readonly ExperienceRecord[],
): readonly ExperienceRecord[] {
  const memory = new Map(existing.map((record) => [record.meta.id, record]));
  const written = new Map<string, ExperienceRecord>();
  const own = new Set<string>();
  for (const record of incoming) {
    const others = [...memory.values()].filter(
      (other) => other.level === record.level && other.meta.scope.workflow === record.meta.scope.workflow,
    );
    const strangers = others.filter(({ meta }) => !own.has(meta.id));
    const known =
      others.find((other) => isSame(other, record)) ??
      strangers.find((other) => isToldAnew(other, record)) ??
      nearest(strangers, record);
    const merged = known === undefined ? record : mergeRecords(known, record);
    own.add(merged.meta.id);
    if (merged === known) continue;
    memory.set(merged.meta.id, merged);
    written.set(merged.meta.id, merged);
  }
  return [...written.values()];
}

/** One record of two; it keeps the id of the first. The first itself when the second adds nothing. */
export function mergeRecords(known: ExperienceRecord, young: ExperienceRecord): ExperienceRecord {
  const isBetter = rankOf(young) > rankOf(known);
  const episodeIds = [...new Set([...known.meta.episodeIds, ...young.meta.episodeIds])];
  const isNews = episodeIds.length > known.meta.episodeIds.length;
  if (!isBetter && !isNews) return known;
  const better = isBetter ? young : known;
  const { provenance } = better.meta;
  const shas = [...new Set([...known.meta.provenance.sourceShas, ...young.meta.provenance.sourceShas])];
  return {
    ...better,
    meta: {
      ...better.meta,
      id: known.meta.id,
      episodeIds,
      parents: [...new Set([...known.meta.parents, ...young.meta.parents])],
      createdAt: earlier(known.meta.createdAt, young.meta.createdAt),
      lastSeenAt: later(known.meta.lastSeenAt, young.meta.lastSeenAt),
      support: isNews ? known.meta.support + young.meta.support : known.meta.support,
      wins: known.meta.wins,
      losses: known.meta.losses,
      trust: Math.max(known.meta.trust, young.meta.trust),
      status: statusOf(known, young, isNews),
      provenance: { ...provenance, sourceShas: shas },
    },
  } as ExperienceRecord; // the level and the body come from the same record
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
