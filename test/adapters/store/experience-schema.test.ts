import { readFileSync } from "node:fs";
import path from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import { describe, expect, it } from "vitest";
import { encodeLine } from "../../../src/adapters/store/experience-lines.ts";
import { lineJsonSchema, StoredLine } from "../../../src/adapters/store/experience-schema.ts";
import { aKeptEpisode, anL1, anL2, anL3 } from "../../fakes/experience.ts";

const published: unknown = JSON.parse(
  readFileSync(path.join(import.meta.dirname, "../../../experience-store/schema/experience-1.schema.json"), "utf8"),
);

describe("the published schema of a line", () => {
  // When this fails: node script/write-experience-schema.mjs
  it("is the one the store checks with", () => {
    expect(published).toEqual(JSON.parse(JSON.stringify(lineJsonSchema())));
  });

  const ajv = new Ajv2020({ strict: false });
  formats.default(ajv);
  const validate = ajv.compile(published as object);
  const forgotten = { id: "exp_1", tenant: "local", contentHash: "1111", at: "2026-03-01T12:00:00.000Z" };
  it.each<readonly [string, string, boolean]>([
    ["an L1 record", encodeLine({ record: anL1() }), true],
    ["an L2 record", encodeLine({ record: anL2() }), true],
    ["an L3 record", encodeLine({ record: anL3() }), true],
    ["an episode", encodeLine({ episode: aKeptEpisode() }), true],
    ["a tombstone", encodeLine({ forgotten }), true],
    ["a pattern of one repository", encodeLine({ record: anL3({ scope: anL1().meta.scope }) }), false],
    ["an unknown field", encodeLine({ forgotten: { ...forgotten, why: "x" } as typeof forgotten }), false],
    ["an unknown level", encodeLine({ record: anL1() }).replace('"L1"', '"L4"'), false],
    ["an id that leads elsewhere", encodeLine({ record: anL1({ id: "../x" }) }), false],
    ["no time", encodeLine({ record: anL1({ createdAt: "yesterday" }) }), false],
    [
      "two things at once",
      JSON.stringify({ schema: "retrace.experience/1", forgotten, episode: aKeptEpisode() }),
      false,
    ],
  ])("judges %s as the store does", (_, line, valid) => {
    const value: unknown = JSON.parse(line);

    expect([validate(value), StoredLine.safeParse(value).success]).toEqual([valid, valid]);
  });
});
