import { describe, expect, it } from "vitest";
import { type Sightings, triage } from "../../src/evidence/triage.ts";
import { aFailure } from "../fakes/evidence.ts";

const NOWHERE: Sightings = { base: null, pullRequests: [], attempts: [], repairedOnBase: [] };
const failure = aFailure({ id: "f1", signature: "leak" });

describe("whose a failure is", () => {
  it.each<[string, Partial<Sightings>, string | null, string | null]>([
    ["this change's own when nobody else shows it", {}, null, null],
    [
      "this change's own when others show other failures",
      {
        base: { branch: "main", sha: "0123456789", signatures: ["frost"] },
        attempts: [{ attempt: 1, signatures: ["leak"] }],
        pullRequests: [{ number: 4, signatures: ["leak"] }],
      },
      null,
      null,
    ],
    [
      "the base's when its newest run shows it",
      { base: { branch: "main", sha: "0123456789", signatures: ["leak"] } },
      "pre-existing",
      "main fails the same way at 01234567.",
    ],
    [
      "nobody's when another attempt of the commit did not show it",
      { attempts: [{ attempt: 1, signatures: [] }] },
      "flaky",
      "Attempt 1 of the same commit did not show it.",
    ],
    [
      "the project's when other pull requests show it",
      {
        pullRequests: [
          { number: 4, signatures: ["leak"] },
          { number: 7, signatures: ["leak", "frost"] },
        ],
      },
      "on-other-pull-requests",
      "Pull requests #4, #7 fail the same way.",
    ],
    [
      "an old base's when the base has repaired it since",
      {
        base: { branch: "main", sha: "0123456789", signatures: [] },
        repairedOnBase: [{ sha: "abcdef0123", signatures: ["leak"] }],
      },
      "stale-base",
      "The base repaired it in abcdef01, which this branch does not have: update the branch.",
    ],
  ])("is %s", (_name, seen, kind, why) => {
    const expected = kind === null ? [] : [{ kind, why, failures: ["f1"] }];

    expect(triage([failure], { ...NOWHERE, ...seen })).toEqual(expected);
  });

  it("is the weather's before anything else, and what follows from it shares its reason", () => {
    const weather = aFailure({ id: "f1", category: "infra_transient", signature: "leak" });
    const follower = aFailure({ id: "f2", cascadeOf: "f1" });
    const own = aFailure({ id: "f3" });
    const seen = { ...NOWHERE, base: { branch: "main", sha: "0123456789", signatures: ["leak"] } };

    expect(triage([weather, follower, own], seen)).toEqual([
      {
        kind: "weather",
        why: "Nothing in the repository caused it: run the failed jobs once more.",
        failures: ["f1", "f2"],
      },
    ]);
  });
});
