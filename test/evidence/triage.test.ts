import { describe, expect, it } from "vitest";
import { NOTHING_SEEN, type Sightings, triage } from "../../src/evidence/triage.ts";
import { aFailure } from "../fakes/evidence.ts";

const failure = aFailure({ id: "f1", signature: "leak", legs: [] });
const placed = { ...failure, location: { file: "src/hose.ts", line: 3, col: null } };
const others = [
  { number: 4, signatures: ["leak"] },
  { number: 7, signatures: ["leak", "frost"] },
];
const base = { branch: "main", sha: "0123456789", signatures: ["leak"] };
const greenBase = { branch: "main", sha: "abcdef0123", files: ["src/hose.ts"] };

describe("whose a failure is", () => {
  it.each<[string, typeof failure, Partial<Sightings>]>([
    ["nobody else shows it", failure, {}],
    ["others show other failures", failure, { base: { ...base, signatures: ["frost"] } }],
    ["one other pull request shows it", failure, { pullRequests: others.slice(0, 1) }],
    ["others show it about a file of this change", placed, { pullRequests: others, changed: ["src/hose.ts"] }],
    ["others show it about a file, and this change's are not known", placed, { pullRequests: others }],
    ["another job passed at an earlier attempt", failure, { attempts: [{ attempt: 1, passed: ["lint"] }] }],
    ["the green base changed a file of this change", placed, { greenBase, changed: ["src/hose.ts"] }],
    ["the green base changed other files", placed, { greenBase: { ...greenBase, files: ["a.ts"] }, changed: [] }],
    [
      "it is known by an exit code alone",
      { ...failure, tool: null, message: "Process completed with exit code 1." },
      { base },
    ],
    ["nobody has its log", { ...failure, signature: "" }, { base: { ...base, signatures: [""] } }],
  ])("is this change's own when %s", (_name, own, seen) => {
    expect(triage([own], { ...NOTHING_SEEN, ...seen })).toEqual([]);
  });

  it.each<[string, typeof failure, Partial<Sightings>, string, string]>([
    [
      "the base's when its newest run shows it",
      failure,
      { base },
      "pre-existing",
      "main fails the same way at 01234567.",
    ],
    [
      "the base's, with the pull request that repairs it there",
      failure,
      { base, fixes: [{ number: 9, signatures: ["leak"] }] },
      "pre-existing",
      "main fails the same way at 01234567. #9 repairs it there.",
    ],
    [
      "repaired already where ours is open onto the base",
      failure,
      { fixes: [{ number: 9, signatures: ["leak"] }] },
      "duplicate",
      "#9 repairs the same failure of the base.",
    ],
    [
      "nobody's when the job passed at another attempt",
      failure,
      { attempts: [{ attempt: 1, passed: ["test"] }] },
      "flaky",
      "Attempt 1 of the same run passed test on the same commit.",
    ],
    [
      "nobody's when the step passed at another attempt whose job failed later",
      failure,
      { attempts: [{ attempt: 2, passed: ["test\nRun npm test"] }] },
      "flaky",
      "Attempt 2 of the same run passed test on the same commit.",
    ],
    [
      "nobody's when a re-run turned it green before",
      failure,
      { flakedBefore: [{ sha: "fedcba9876", signatures: ["leak"] }], base },
      "flaky",
      "It has failed and passed on one commit before (fedcba98).",
    ],
    [
      "the project's when other pull requests show it",
      failure,
      { pullRequests: others },
      "on-other-pull-requests",
      "Pull requests #4, #7 fail the same way.",
    ],
    [
      "an old base's when the green base has changed the file since",
      placed,
      { greenBase, changed: ["src/bed.ts"] },
      "stale-base",
      "main is green at abcdef01 and has changed src/hose.ts since this branch left it: update the branch.",
    ],
  ])("is %s", (_name, own, seen, kind, why) => {
    expect(triage([own], { ...NOTHING_SEEN, ...seen })).toEqual([{ kind, why, failures: ["f1"] }]);
  });

  it("is the weather's before anything else, and what follows from it shares its reason", () => {
    const weather = aFailure({ id: "f1", category: "infra_transient", signature: "leak" });
    const follower = aFailure({ id: "f2", cascadeOf: "f1" });
    const own = aFailure({ id: "f3" });

    expect(triage([weather, follower, own], { ...NOTHING_SEEN, base })).toEqual([
      {
        kind: "weather",
        why: "Nothing in the repository caused it: run the failed jobs once more.",
        failures: ["f1", "f2"],
      },
    ]);
  });
});
