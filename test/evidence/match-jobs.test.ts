import { describe, expect, it } from "vitest";
import { matchJob, planJobs } from "../../src/evidence/match-jobs.ts";
import { readWorkflow } from "../../src/evidence/read-workflow.ts";

const WORKFLOW = `on: push
jobs:
  ship:
    needs: [test, lint]
    runs-on: x
    steps: [{ run: ls }]
  lint:
    runs-on: x
    steps: [{ run: ls }]
  test:
    needs: lint
    runs-on: x
    strategy: { matrix: { os: [ubuntu, windows], node: [20] } }
    steps: [{ run: ls }]
  named:
    name: "Unit / \${{ matrix.shard }}"
    runs-on: x
    strategy: { matrix: { shard: [1, 2] } }
    steps: [{ run: ls }]
  dynamic:
    name: "Build \${{ matrix.package }}"
    runs-on: x
    strategy: { matrix: "\${{ fromJSON(needs.lint.outputs.m) }}" }
    steps: [{ run: ls }]
  called:
    uses: ./.github/workflows/other.yml
`;

describe("matching job names", () => {
  it("plans every combination, jobs after those they need", async () => {
    const names = planJobs(await readWorkflow("ci.yml", WORKFLOW)).map(({ name }) => name);

    expect(names).toEqual([
      "lint",
      "test (ubuntu, 20)",
      "test (windows, 20)",
      "ship",
      "Unit / 1",
      "Unit / 2",
      "Build ${{ matrix.package }}",
      "called",
    ]);
  });

  it.each([
    ["lint", "lint", {}],
    ["test (windows, 20)", "test", { os: "windows", node: 20 }],
    ["Unit / 2", "named", { shard: 2 }],
    ["Unit  2", "named", { shard: 2 }],
    ["Build web", "dynamic", {}],
    ["called / inner (3)", "called", {}],
    ["caller / lint", "lint", {}],
  ])("%s is job %s", async (name, key, leg) => {
    const found = matchJob(name, planJobs(await readWorkflow("ci.yml", WORKFLOW)));

    expect({ key: found?.definition.key, leg: found?.leg }).toEqual({ key, leg });
  });

  it.each(["unknown", "test (macos, 20)", ""])("%j is none of them", async (name) => {
    expect(matchJob(name, planJobs(await readWorkflow("ci.yml", WORKFLOW)))).toBeNull();
  });
});
