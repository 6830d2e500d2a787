import { describe, expect, it } from "vitest";
import type { ExplainedFailure, Incident, Publication } from "../../src/domain/incident.ts";
import type { Outcome } from "../../src/domain/outcome.ts";
import { livingComment, patchSection, pullRequestBody, pullRequestTitle } from "../../src/publish/message.ts";
import { anIncident } from "../fakes/incident.ts";

const failure: ExplainedFailure = {
  id: "f1",
  tool: "prettier",
  category: "code_formatting",
  message: "Code style issues found",
  location: { file: "src/a.js", line: 3, col: null },
  job: "check",
  step: "Formatting",
  command: "npm run format:check",
  excerpt: "[warn] src/a.js",
  lines: [40, 41, 44],
  url: "http://host/acme/app/actions/runs/11/job/12",
  cascadeOf: null,
};

const outcome: Outcome = {
  ended: "repaired",
  verdict: "verified",
  provedBy: "local",
  reproduced: "yes",
  reason: null,
  problems: [
    {
      id: "p1",
      title: "prettier: src/a.js",
      category: "code_formatting",
      failures: ["f1"],
      state: "repaired",
      commit: null,
    },
  ],
  attempts: [
    {
      problem: "p1",
      engine: "autofix",
      exit: "done",
      why: "ran prettier --write .",
      steps: 1,
      usage: { calls: 0, inputTokens: 0, cachedTokens: 0, outputTokens: 0, usd: 0, ms: 900 },
    },
  ],
  guidance: [],
  checks: [
    { problem: "p1", command: "npm run format:check", cwd: "", exitBefore: 1, exitAfter: 0, note: null },
    {
      problem: null,
      command: "npm test",
      cwd: "",
      exitBefore: null,
      exitAfter: null,
      note: "needs services: postgres",
    },
  ],
  patch: "diff --git a/src/a.js b/src/a.js\n",
  files: ["src/a.js"],
  usage: { calls: 0, inputTokens: 0, cachedTokens: 0, outputTokens: 0, usd: 0, ms: 1900 },
  why: "1 of 1 problems repaired",
};

const publication: Publication = {
  branch: "retrace/feature-aaaa",
  base: "feature",
  commit: "bbbb",
  tree: "cccc",
  copyFolder: "/nowhere",
  pushed: true,
  pullRequest: 9,
  nodeId: null,
  draft: true,
  needsPerson: [],
  openedAt: null,
  withdrawn: false,
  ci: { state: "waiting", runs: [], lastHeardAt: null, why: null },
};

const published: Incident = anIncident({
  state: "awaiting_ci",
  outcome,
  publication,
  explanation: {
    failures: [failure],
    unreached: [{ job: "check", command: "npm test", because: "an earlier step failed" }],
  },
});

describe("what we write on a pull request", () => {
  it("names the one problem in the title", () => {
    expect(pullRequestTitle(outcome, "fix(ci): ")).toBe("fix(ci): prettier: src/a.js");
  });

  it("shows cause, quoted lines with their link, change, checks with exit codes, what was not checked, and cost", () => {
    const body = pullRequestBody(published, outcome);

    expect(body).toContain("Repairs the red run of #3 at aaaa. **Verified locally**; CI has not judged it yet.");
    expect(body).toContain("```text\n[warn] src/a.js\n```");
    expect(body).toContain("[check › Formatting](http://host/acme/app/actions/runs/11/job/12), lines 40–41, 44");
    expect(body).toContain("| `npm run format:check` | `.` | 1 | 0 |  |");
    expect(body).toContain("- `npm test`: needs services: postgres");
    expect(body).toContain("No model call; 2 s.");
    expect(body).toContain("/retrace stop");
  });

  it("shows what the failing test did at run time, of the repair that was kept alone", () => {
    const [first] = outcome.attempts;
    if (first === undefined) throw new Error("no attempt");
    const kept = { ...first, exit: "done", trace: "L6 total = 2   (should be 3)\n```" } as const;
    const lost = { ...first, exit: "checks", trace: "L9 of another" } as const;
    const body = pullRequestBody(published, { ...outcome, attempts: [lost, kept] });

    expect(body).toContain("What the failing test showed at run time");
    expect(body).toContain("````text\nL6 total = 2   (should be 3)\n```\n````");
    expect(body).not.toContain("L9 of another");
    expect(pullRequestBody(published, outcome)).not.toContain("at run time");
  });

  it.each([
    ["waiting", "Verified locally", "Proved by CI"],
    ["green", "Proved by CI", "Verified locally"],
    ["red", "CI is red on it", "Proved by CI"],
    ["none_seen", "Not proved by CI", "**Proved by CI"],
    ["blocked", "CI waits for a person", "**Proved by CI"],
  ] as const)("says of a candidate that is %s no more than that", (state, said, unsaid) => {
    const body = pullRequestBody(
      { ...published, publication: { ...publication, ci: { ...publication.ci, state } } },
      outcome,
    );

    expect(body).toContain(said);
    expect(body).not.toContain(unsaid);
  });

  it("cannot be broken out of by what a log says", () => {
    const hostile = { ...failure, message: "`</details> @maintainer\n# hi", excerpt: "```\n# I am a heading\n````" };
    const body = livingComment({ ...published, explanation: { failures: [hostile], unreached: [] } });

    expect(body.replace(/`{5}text[\s\S]*?\n`{5}\n/, "")).not.toMatch(/^# /m);
    expect(body).toContain("`````text");
    expect(body).toContain("`ˋ</details> @maintainer # hi`");
  });

  it("takes neither markup nor mentions from a reason", () => {
    const why = "# big\n<details>@maintainer [click](http://evil) ![x](http://evil)";
    const body = livingComment({ ...published, state: "gave_up", why, publication: null });

    expect(body).toContain(
      "**Not repaired: \\# big &lt;details>@\u200bmaintainer \\[click](http://evil) !\\[x](http://evil)**",
    );
    expect(body).not.toMatch(/^# big/m);
  });

  it("stays within what the host takes, steering included", () => {
    const long = { ...failure, excerpt: "x".repeat(50_000), message: "y".repeat(5_000) };
    const many = Array.from({ length: 50 }, (_, index) => ({ ...long, id: `f${index}` }));
    const comment = livingComment({ ...published, explanation: { failures: many, unreached: [] } });

    expect(comment.length).toBeLessThan(40_000);
    expect(comment).toContain("/retrace help");
    expect(comment).toContain("… and 42 more");
  });

  it("tells what broke and what never ran before there is any repair", () => {
    const comment = livingComment({ ...published, state: "repairing", outcome: null, publication: null });

    expect(comment).toContain("**The failure is explained and being repaired**");
    expect(comment).toContain("- `npm test` in check: an earlier step failed");
    expect(comment).not.toContain("Verified");
  });

  it("gives a patch as one fenced block", () => {
    expect(patchSection("diff --git a/x b/x\n+```\n")).toContain("````diff\ndiff --git a/x b/x\n+```\n````");
  });
});
