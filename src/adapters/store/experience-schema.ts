import { z } from "zod";
import { CATEGORIES, NON_CODE } from "../../domain/category.ts";
import { ARTIFACT_ROLES, EDGE_TYPES, type ExperienceRecord, FATES } from "../../domain/experience.ts";
import type { KeptEpisode } from "../../ports/experience-store.ts";

/** Version of a line. A line of a later version is kept and passed over. */
export const LINE_SCHEMA = "retrace.experience/1";
/** Version of a record's content (`meta.schema`). */
export const RECORD_SCHEMA = 1;

// A record is a few kilobytes; what is larger was not made by us.
const TEXT_CHARACTERS = 8_000;
const LIST_ITEMS = 2_000;

const Text = z.string().max(TEXT_CHARACTERS);
const list = <T extends z.ZodType>(item: T) => z.array(item).max(LIST_ITEMS);

/** Ids name files and lines: no blanks, nothing that leads elsewhere. */
const Id = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_.:-]{0,119}$/);
const Sha = z.string().regex(/^[0-9a-f]{7,64}$/);
const Time = z.iso.datetime();
const Share = z.number().min(0).max(1);
const Count = z.int().min(0);
const Category = z.enum([...CATEGORIES, ...NON_CODE]);
/** `owner/name` or `local/<folder>`. */
const Repo = z.string().regex(/^[^\s/\p{Cc}]+\/[^/\p{Cc}]{1,200}$/u);
const Workflow = z.string().min(1).max(500);
const Tenant = z.string().regex(/^[^\s/\p{Cc}]{1,100}$/u);

const Citation = z
  .strictObject({ id: z.string().max(200), quote: z.string().max(400).nullable() })
  .meta({ id: "Citation" });
const CitedText = z
  .strictObject({
    value: Text,
    cites: list(Citation),
    support: z.enum(["verified", "inferred", "unsupported"]),
  })
  .meta({ id: "CitedText" });

const LineRange = z.strictObject({ start: Count, end: Count }).meta({ id: "LineRange" });
const SideFate = z
  .strictObject({ fate: z.enum(FATES), lines: Count, alive: Share, inDelta: Share })
  .meta({ id: "SideFate" });
const HunkRef = z
  .strictObject({
    id: z.string().max(200),
    path: Text,
    oldPath: Text.nullable(),
    oldRange: LineRange.nullable(),
    newRange: LineRange.nullable(),
    commit: Sha.nullable(),
    fate: z.enum(FATES),
    added: SideFate.nullable(),
    removed: SideFate.nullable(),
    fingerprint: z.string().max(64),
  })
  .meta({ id: "HunkRef" });

const ProblemRepair = z
  .strictObject({
    id: z.string().max(200),
    provenance: z.enum(["development_only", "endpoint_only", "both"]),
    sourceIds: list(z.string().max(200)),
    conflict: z.boolean(),
    p: z.strictObject({
      statement: CitedText,
      rootCause: CitedText.nullable(),
      category: Category,
      signals: list(CitedText),
      signatures: list(z.string().max(64)),
      tool: z.string().max(200).nullable(),
      rule: z.string().max(400).nullable(),
      visibility: z.enum(["primary", "hidden"]),
    }),
    a: list(z.strictObject({ path: Text, role: z.enum(ARTIFACT_ROLES), symbols: list(z.string().max(400)) })),
    r: z.strictObject({
      operations: list(CitedText),
      hunks: list(HunkRef),
      commits: list(Sha),
      touchesWorkflow: z.boolean(),
      autofixTool: z.string().max(200).nullable(),
    }),
    v: z.strictObject({
      id: z.string().max(200),
      command: Text,
      tool: z.string().max(200).nullable(),
      before: z.enum(["failed", "unreached"]),
      after: z.enum(["successful", "unknown"]),
    }),
    e: z.record(z.string().regex(/^[\w.[\]:-]{1,100}$/), list(Citation)),
    removedFields: list(z.strictObject({ field: z.string().max(200), why: Text })),
    confidence: Share,
  })
  .meta({ id: "ProblemRepair" });

const DependencyEdge = z
  .strictObject({
    from: z.string().max(200),
    to: z.string().max(200),
    type: z.enum(EDGE_TYPES),
    support: z.enum(["endpoint", "development", "both", "heuristic", "observed"]),
    confidence: Share,
    producerChange: CitedText.nullable(),
    consumerAssumption: CitedText.nullable(),
  })
  .meta({ id: "DependencyEdge" });

const meta = <Place extends z.ZodType>(repo: Place) =>
  z.strictObject({
    id: Id,
    schema: z.literal(RECORD_SCHEMA),
    scope: z.strictObject({ tenant: Tenant, repo, workflow: Workflow.nullable() }),
    episodeIds: list(Id),
    parents: list(Id),
    category: Category,
    createdAt: Time,
    lastSeenAt: Time,
    support: Count,
    wins: Count,
    losses: Count,
    trust: Share,
    status: z.enum(["active", "quarantined", "retired"]),
    quality: z.enum(["full", "skeleton"]),
    provenance: z.strictObject({
      model: z.string().max(200).nullable(),
      promptHash: z.string().max(64).nullable(),
      sourceShas: list(Sha),
      pr: z.int().min(1).nullable(),
      redactions: Count,
    }),
    contentHash: z.string().regex(/^[0-9a-f]{16,64}$/),
  });

const L1Body = z.strictObject({ z: ProblemRepair, edges: list(DependencyEdge), sequenceIndex: Count });

const L2Body = z.strictObject({
  failureIdentify: Text,
  causalChain: Text,
  summary: Text,
  intent: Text,
  whenToApply: Text,
  signals: list(Text),
  artifactRelations: list(Text),
  keyActions: list(Text),
  validation: Text,
  pitfalls: list(Text),
  constraints: list(Text),
  memberL1Ids: list(Id),
});

const L3Body = z.strictObject({
  patternId: z.string().max(200),
  failurePattern: Text,
  problem: Text,
  mechanism: Text,
  signals: list(Text),
  artifactRoles: list(Text),
  principles: list(Text),
  whenToApply: list(Text),
  followOn: list(Text),
  memberL2Ids: list(Id),
});

/** One record as it is kept (papers §11). Concrete and contextual ones belong to a repository, patterns to none. */
export const StoredRecord = z.discriminatedUnion("level", [
  z.strictObject({ level: z.literal("L1"), meta: meta(Repo), body: L1Body }),
  z.strictObject({ level: z.literal("L2"), meta: meta(Repo), body: L2Body }),
  z.strictObject({ level: z.literal("L3"), meta: meta(z.null()), body: L3Body }),
]) satisfies z.ZodType<ExperienceRecord>;

export const StoredEpisode = z.strictObject({
  id: Id,
  tenant: Tenant,
  repo: Repo,
  workflow: Workflow.nullable(),
  pr: z.int().min(1).nullable(),
  failSha: Sha,
  passSha: Sha,
  completeness: z.enum(["full", "no_commits", "logs_expired"]),
  fixedByBase: z.boolean(),
  quality: z.enum(["full", "skeleton"]),
  byPerson: z.boolean(),
  byRetrace: z.boolean(),
  at: Time,
}) satisfies z.ZodType<KeptEpisode>;

/** That a record was forgotten. The hash keeps the same content from being learned again; it tells nothing about it. */
export const Tombstone = z.strictObject({ id: Id, tenant: Tenant, contentHash: z.string().max(64), at: Time });
export type Tombstone = z.infer<typeof Tombstone>;

/** A line of a file: exactly one of the three. */
export const StoredLine = z.union([
  z.strictObject({ schema: z.literal(LINE_SCHEMA), record: StoredRecord }),
  z.strictObject({ schema: z.literal(LINE_SCHEMA), episode: StoredEpisode }),
  z.strictObject({ schema: z.literal(LINE_SCHEMA), forgotten: Tombstone }),
]);

/** The JSON Schema of a line, as `experience-store/schema/` publishes it. */
export function lineJsonSchema(): Record<string, unknown> {
  return {
    ...z.toJSONSchema(StoredLine),
    $id: "retrace.experience/1",
    title: "A line of RETRACE's experience store",
  };
}
