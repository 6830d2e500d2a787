import type {
  Cited,
  DependencyEdge,
  ExperienceRecord,
  ProblemRepair,
  Reconstruction,
  RecordQuality,
} from "../../domain/experience.ts";
import { contentHashOf, episodeIdOf, recordIdOf } from "../../domain/experience-hash.ts";
import type { KeptEpisode } from "../../ports/experience-store.ts";
import type { Pattern, Strategy } from "../abstract/abstract-levels.ts";
import { type Authorship, standingOf } from "./standing.ts";

export interface LearnedFrom {
  readonly tenant: string;
  readonly author: Authorship;
  /** When it turned green, where that is known; else now. */
  readonly at: Date;
  readonly now: Date;
  /** Null when no model took part. */
  readonly model: string | null;
  readonly promptHash: string | null;
}

/** The concrete experience (L1) in what was recovered, one record a problem, in the order they have to be resolved in. */
export function toL1Records(learned: Reconstruction, from: LearnedFrom): readonly L1[] {
  const { episode, edges } = learned;
  const scope = { tenant: from.tenant, repo: episode.repo, workflow: episode.workflow };
  const at = from.at.toISOString();
  return inOrder(learned.records, edges).map((z, sequenceIndex) => {
    const body = {
      z: withinBounds(z),
      edges: edges.filter((edge) => edge.from === z.id || edge.to === z.id),
      sequenceIndex,
    };
    const contentHash = contentHashOf(scope, z.p.category, { level: "L1", body });
    return {
      level: "L1",
      meta: {
        id: recordIdOf("L1", contentHash),
        schema: 1,
        scope,
        episodeIds: [episodeIdOf(episode)],
        parents: [],
        category: z.p.category,
        createdAt: from.now.toISOString(),
        lastSeenAt: at,
        support: 1,
        wins: 0,
        losses: 0,
        ...standingOf(from.author),
        quality: episode.quality,
        provenance: {
          model: from.model,
          promptHash: from.promptHash,
          sourceShas: [...new Set([episode.failSha, episode.passSha, ...z.r.commits])],
          pr: episode.pr,
          redactions: 0,
        },
        contentHash,
      },
      body,
    };
  });
}

type L1 = ExperienceRecord & { readonly level: "L1" };
type L2 = ExperienceRecord & { readonly level: "L2" };

/** The strategy of a concrete record that is kept, as experience (L2); `home` is the id that record is kept under. */
export function toL2Record(of: L1, home: string, strategy: Strategy, quality: RecordQuality): L2 {
  const body = { ...strategy, memberL1Ids: [home] };
  const contentHash = contentHashOf(of.meta.scope, of.meta.category, { level: "L2", body });
  const id = recordIdOf("L2", contentHash);
  return { level: "L2", meta: { ...of.meta, id, parents: [home], quality, contentHash }, body };
}

/** The pattern of a strategy that is kept, as experience of no repository (L3). */
export function toL3Record(of: L2, home: string, pattern: Pattern): ExperienceRecord {
  const scope = { tenant: of.meta.scope.tenant, repo: null, workflow: null };
  const body = { ...pattern, patternId: "", memberL2Ids: [home] };
  const contentHash = contentHashOf(scope, of.meta.category, { level: "L3", body });
  const id = recordIdOf("L3", contentHash);
  return {
    level: "L3",
    meta: { ...of.meta, id, scope, parents: [home], contentHash },
    body: { ...body, patternId: `pattern-${contentHash.slice(0, 8)}` },
  };
}

/** The episode itself, as it is kept: it counts for recurrence even when nothing could be recovered from it. */
export function toKeptEpisode({ episode }: Reconstruction, { tenant, at, author }: LearnedFrom): KeptEpisode {
  const kinds = new Set(episode.commits.map(({ authorKind }) => authorKind));
  return {
    id: episodeIdOf(episode),
    tenant,
    repo: episode.repo,
    workflow: episode.workflow,
    pr: episode.pr,
    failSha: episode.failSha,
    passSha: episode.passSha,
    completeness: episode.completeness,
    fixedByBase: episode.fixedByBase,
    quality: episode.quality,
    byPerson: kinds.size === 0 ? author !== "bot" && author !== "retrace" : kinds.has("human"),
    byRetrace: author === "retrace" || kinds.has("retrace"),
    at: at.toISOString(),
  };
}

/** Whatever has to be resolved first comes first; otherwise the order stays. A circle is broken at its first record. */
export function inOrder(records: readonly ProblemRepair[], edges: readonly DependencyEdge[]): readonly ProblemRepair[] {
  const left = [...records];
  const ordered: ProblemRepair[] = [];
  while (left.length > 0) {
    const waits = ({ id }: ProblemRepair): boolean =>
      edges.some(({ from, to }) => to === id && from !== id && left.some((other) => other.id === from));
    const next = Math.max(
      0,
      left.findIndex((record) => !waits(record)),
    );
    ordered.push(...left.splice(next, 1));
  }
  return ordered;
}

const MOST_HUNKS = 200; // a repair by a formatter has thousands; they all say the same
const MOST_CITES = 50;
const TEXT_CHARACTERS = 8_000; // papers §11: evidence texts are bounded so

function withinBounds(z: ProblemRepair): ProblemRepair {
  const dropped = z.r.hunks.length - MOST_HUNKS;
  return {
    ...z,
    p: {
      ...z.p,
      statement: clip(z.p.statement),
      rootCause: z.p.rootCause === null ? null : clip(z.p.rootCause),
      signals: z.p.signals.map(clip),
    },
    r: { ...z.r, operations: z.r.operations.slice(0, MOST_HUNKS).map(clip), hunks: z.r.hunks.slice(0, MOST_HUNKS) },
    v: { ...z.v, command: z.v.command.slice(0, TEXT_CHARACTERS) },
    a: z.a.slice(0, MOST_HUNKS),
    e: Object.fromEntries(Object.entries(z.e).map(([field, cites]) => [field, cites.slice(0, MOST_HUNKS)])),
    removedFields:
      dropped <= 0
        ? z.removedFields
        : [...z.removedFields, { field: "hunks", why: `the first ${MOST_HUNKS} of ${z.r.hunks.length} are kept` }],
  };
}

function clip(field: Cited<string>): Cited<string> {
  return { ...field, value: field.value.slice(0, TEXT_CHARACTERS), cites: field.cites.slice(0, MOST_CITES) };
}
