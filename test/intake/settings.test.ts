import { describe, expect, it } from "vitest";
import { DEFAULT_POLICY } from "../../src/domain/policy.ts";
import { readSettings } from "../../src/intake/settings.ts";

describe("a repository's settings", () => {
  it.each([null, "", "# nothing yet\n"])("are the defaults when nothing is set: %j", (text) => {
    expect(readSettings(text)).toEqual({ policy: DEFAULT_POLICY, mistake: null });
  });

  it("change what they name and leave the rest", () => {
    const { policy, mistake } = readSettings(
      "mode: comment\nlimits: { usd-per-repair: 1, files: 5 }\nauthors:\n  deny: [stranger]\ncommit:\n  sign-off: true\n",
    );

    expect(mistake).toBeNull();
    expect(policy).toEqual({
      ...DEFAULT_POLICY,
      mode: "comment",
      limits: { ...DEFAULT_POLICY.limits, usdPerRepair: 1, files: 5 },
      authors: { allow: ["*"], deny: ["stranger"] },
      commit: { prefix: "fix(ci): ", signOff: true },
    });
  });

  it("can set everything the documentation names", () => {
    const text = `enabled: true
mode: pull-request
workflows: ["*"]
branches: ["*"]
authors: { allow: ["*"], deny: [] }
limits: { usd-per-repair: 3, usd-per-day: 30, tokens-per-repair: 2000000, ci-minutes-per-day: 120, repairs-per-day: 20,
          open-pull-requests: 3, attempts-per-failure: 2, files: 30, lines: 600 }
protected-paths: [".github/workflows/**", "**/CODEOWNERS"]
rerun-flaky: true
validate: { setup: [], commands: [] }
commit: { prefix: "fix(ci): ", sign-off: false }
labels: ["retrace"]
skip-label: retrace-skip
welcome: false
experience: { learn: true, share: false, auto-off: true }
engines: { order: auto }
`;

    expect(readSettings(text)).toEqual({ policy: DEFAULT_POLICY, mistake: null });
  });

  it.each([
    ["enabled: yes please\n", 1, "`enabled`"],
    ["mode: comment\nlimits:\n  usd-per-repair: lots\n", 3, "`limits.usd-per-repair`"],
    ["mode: comment\n\nenbled: false\n", 3, "`enbled`: there is no such setting"],
    ["labels:\n  - ok\n  - 3\n", 3, "`labels.1`"],
    ["limits:\n  files: 3\n  bytes: 9\n", 3, "`limits.bytes`: there is no such setting"],
    ["a: [1\nb: 2\n", 2, "not valid YAML"],
    ["- a\n- b\n", null, ""],
  ])("are the defaults, with line and mistake named, when the file is malformed: %j", (text, line, message) => {
    const { policy, mistake } = readSettings(text);

    expect(policy).toEqual(DEFAULT_POLICY);
    expect(mistake?.line).toBe(line);
    expect(mistake?.message).toContain(message);
  });
});
