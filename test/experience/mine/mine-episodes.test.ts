import { describe, expect, it } from "vitest";
import type { WorkflowRun } from "../../../src/domain/repository.ts";
import { mineEpisodes } from "../../../src/experience/mine/mine-episodes.ts";

/** `ci a red` is a run of ci.yml on commit a; in the order they were started. */
function runs(...told: readonly string[]): WorkflowRun[] {
  return told.map((one, index) => {
    const [workflow = "", sha = "", verdict = ""] = one.split(" ");
    return {
      id: index + 1,
      attempt: 1,
      name: workflow,
      path: workflow === "none" ? "" : `.github/workflows/${workflow}.yml`,
      event: "pull_request",
      status: "completed",
      conclusion: verdict === "red" ? "failure" : verdict === "green" ? "success" : verdict,
      headSha: sha,
      headBranch: "feature",
      headRepository: "acme/app",
      actor: "dev",
      createdAt: `2026-01-01T00:00:${String(index).padStart(2, "0")}Z`,
      htmlUrl: "",
    };
  });
}

const told = (...all: readonly string[]) => {
  const { episodes, flakes } = mineEpisodes(runs(...all).reverse());
  return {
    episodes: episodes.map(({ failed, passed, between }) => [
      failed.path.split("/").at(-1),
      failed.headSha,
      between.map(({ headSha }) => headSha),
      passed.headSha,
    ]),
    flakes: flakes.map(({ sha }) => sha),
  };
};

describe("mining episodes out of runs", () => {
  it.each([
    ["a streak that a green run ended", ["ci a red", "ci b red", "ci c green"], [["ci.yml", "a", ["b"], "c"]], []],
    [
      "each workflow for itself",
      ["ci a red", "lint a red", "ci b green", "lint b red", "lint c green"],
      [
        ["ci.yml", "a", [], "b"],
        ["lint.yml", "a", ["b"], "c"],
      ],
      [],
    ],
    ["the same commit red then green: a flake, and no repair", ["ci a red", "ci a green"], [], ["a"]],
    ["a flake that ends a streak", ["ci a red", "ci b red", "ci b green"], [["ci.yml", "a", [], "b"]], ["b"]],
    ["nothing while it is still red", ["ci a green", "ci b red"], [], []],
    [
      "two streaks",
      ["ci a red", "ci b green", "ci c red", "ci d green"],
      [
        ["ci.yml", "a", [], "b"],
        ["ci.yml", "c", [], "d"],
      ],
      [],
    ],
    ["cancelled runs say nothing", ["ci a red", "ci b cancelled", "ci c green"], [["ci.yml", "a", [], "c"]], []],
    ["runs of no workflow file", ["none a red", "none b green"], [], []],
  ])("tells %s", (_, given, episodes, flakes) => {
    expect(told(...given)).toEqual({ episodes, flakes });
  });
});
