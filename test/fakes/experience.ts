import type { ExperienceMeta, ExperienceRecord, L2Body, L3Body, ProblemRepair } from "../../src/domain/experience.ts";
import type { KeptEpisode } from "../../src/ports/experience-store.ts";

export const SHA = "3f2a9c1d8e7b6a5f4c3d2e1f0a9b8c7d6e5f4a3b";

/** A repair of one function, told whole. */
export function aProblemRepair(told: Partial<ProblemRepair> = {}): ProblemRepair {
  return {
    id: "z1",
    provenance: "both",
    sourceIds: ["g1"],
    conflict: false,
    p: {
      statement: {
        value: "vitest: cart > adds an item twice",
        cites: [{ id: "L-f1", quote: "expected 2 to be 1" }],
        support: "verified",
      },
      rootCause: null,
      category: "assertion_error",
      signals: [
        { value: "expected 2 to be 1", cites: [{ id: "L-f1", quote: "expected 2 to be 1" }], support: "verified" },
      ],
      signatures: ["0011223344556677"],
      tool: "vitest",
      rule: null,
      visibility: "primary",
    },
    a: [{ path: "src/cart.ts", role: "source", symbols: ["add"] }],
    r: {
      operations: [
        {
          value: "change add in src/cart.ts (+2 −1)",
          cites: [{ id: "H1", quote: "if (has(item)) return;" }],
          support: "verified",
        },
      ],
      hunks: [
        {
          id: "H1",
          path: "src/cart.ts",
          oldPath: null,
          oldRange: { start: 4, end: 4 },
          newRange: { start: 4, end: 5 },
          commit: SHA,
          fate: "retained",
          added: { fate: "retained", lines: 2, alive: 1, inDelta: 1 },
          removed: { fate: "retained", lines: 1, alive: 1, inDelta: 1 },
          fingerprint: "aabbccddeeff0011",
        },
      ],
      commits: [SHA],
      touchesWorkflow: false,
      autofixTool: null,
    },
    v: { id: "v1", command: "npm test", tool: "vitest", before: "failed", after: "successful" },
    e: { problem: [{ id: "L-f1", quote: "expected 2 to be 1" }], hunks: [{ id: "H1", quote: null }] },
    removedFields: [{ field: "rootCause", why: "no model was there to infer one" }],
    confidence: 0.72,
    ...told,
  };
}

export function aMeta(told: Partial<ExperienceMeta> = {}): ExperienceMeta {
  return {
    id: "exp_1",
    schema: 1,
    scope: { tenant: "local", repo: "acme/shop", workflow: ".github/workflows/ci.yml" },
    episodeIds: ["ep_1"],
    parents: [],
    category: "assertion_error",
    createdAt: "2026-03-01T12:00:00.000Z",
    lastSeenAt: "2026-03-01T12:00:00.000Z",
    support: 1,
    wins: 0,
    losses: 0,
    trust: 1,
    status: "active",
    quality: "skeleton",
    provenance: { model: null, promptHash: null, sourceShas: [SHA], pr: 7, redactions: 0 },
    contentHash: "1111111111111111",
    ...told,
  };
}

export function anL1(
  meta: Partial<ExperienceMeta> = {},
  z: Partial<ProblemRepair> = {},
): ExperienceRecord & { level: "L1" } {
  return { level: "L1", meta: aMeta(meta), body: { z: aProblemRepair(z), edges: [], sequenceIndex: 0 } };
}

export function anL2(
  meta: Partial<ExperienceMeta> = {},
  body: Partial<L2Body> = {},
): ExperienceRecord & { level: "L2" } {
  return {
    level: "L2",
    meta: aMeta({ id: "exp_2", parents: ["exp_1"], contentHash: "2222222222222222", ...meta }),
    body: {
      failureIdentify: "a test of the cart counts an item twice",
      causalChain: "adding does not look whether the item is there",
      summary: "look before adding",
      intent: "keep items unique",
      whenToApply: "a collection that must be unique grows twice",
      signals: ["expected a count to be one less"],
      artifactRelations: ["the test of a module and the module"],
      keyActions: ["return early when the item is there", "run the module's tests"],
      validation: "the failing test passes",
      pitfalls: ["do not change the expectation"],
      constraints: [],
      memberL1Ids: ["exp_1"],
      ...body,
    },
  };
}

export function anL3(
  meta: Partial<ExperienceMeta> = {},
  body: Partial<L3Body> = {},
): ExperienceRecord & { level: "L3" } {
  return {
    level: "L3",
    meta: aMeta({
      id: "exp_3",
      scope: { tenant: "local", repo: null, workflow: null },
      parents: ["exp_2"],
      contentHash: "3333333333333333",
      ...meta,
    }),
    body: {
      patternId: "unique-collection",
      failurePattern: "a count is one too high",
      problem: "an operation that should be idempotent is not",
      mechanism: "membership is not checked before insertion",
      signals: ["off by one in a count"],
      artifactRoles: ["source", "test"],
      principles: ["check membership before inserting"],
      whenToApply: ["the collection is meant to be a set"],
      followOn: [],
      memberL2Ids: ["exp_2"],
      ...body,
    },
  };
}

export function aKeptEpisode(told: Partial<KeptEpisode> = {}): KeptEpisode {
  return {
    id: "ep_1",
    tenant: "local",
    repo: "acme/shop",
    workflow: ".github/workflows/ci.yml",
    pr: 7,
    failSha: SHA,
    passSha: SHA.split("").reverse().join(""),
    completeness: "full",
    fixedByBase: false,
    quality: "skeleton",
    byPerson: true,
    byRetrace: false,
    at: "2026-03-01T12:00:00.000Z",
    ...told,
  };
}
