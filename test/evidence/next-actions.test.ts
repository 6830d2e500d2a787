import { describe, expect, it } from "vitest";
import { nextActions } from "../../src/evidence/next-actions.ts";
import { NO_FACTS } from "../../src/tools/resolve-command.ts";
import type { Tool } from "../../src/tools/tool.ts";
import { aFailure, aValidation, evidenceOf } from "../fakes/evidence.ts";

const sweeper: Tool = {
  name: "sweeper",
  kind: "format",
  category: "code_formatting",
  answersTo: (command) => command.startsWith("sweeper"),
  read: () => [],
  fix: { derive: (command) => command.replace("--check", "--write"), installs: false, proven: "derivation-only" },
};
const prober: Tool = {
  name: "prober",
  kind: "test",
  category: "test_failure",
  answersTo: (command) => command.startsWith("prober"),
  read: () => [],
  narrow: (command, diagnostics) => `${command} --only ${diagnostics.map(({ testId }) => testId).join(",")}`,
};
const script = "npm ci\ncd beds\nsweeper --check .\nprober";

describe("what to do", () => {
  it.each([
    [
      "is the tool's own fixer where it has one, in the command's folder",
      { tool: "sweeper", category: "code_formatting" as const },
      { fix: "sweeper --write .", rerun: "sweeper --check .", cwd: "beds" },
    ],
    [
      "names the narrowest command that shows it",
      { tool: "prober", category: "test_failure" as const, testId: "hose leaks" },
      { fix: null, rerun: "prober --only hose leaks", cwd: "beds" },
    ],
    [
      "does not guess which command of a script failed",
      { tool: null, category: "unknown" as const },
      { fix: null, rerun: null, cwd: "" },
    ],
    [
      "is no command where the weather did it",
      { tool: "prober", category: "infra_transient" as const },
      { fix: null, rerun: null, cwd: "" },
    ],
  ])("%s", (_name, told, expected) => {
    const evidence = evidenceOf([aFailure({ id: "f1", ...told })], [aValidation({ id: "v1", command: script })]);

    const actions = nextActions(evidence, [sweeper, prober], NO_FACTS);

    expect(actions).toEqual([{ failures: ["f1"], words: expect.stringMatching(/\.$/), ...expected }]);
  });

  it("is said once for failures that need the same, and not for what only follows", () => {
    const evidence = evidenceOf(
      [
        aFailure({ id: "f1", tool: "sweeper", category: "code_formatting" }),
        aFailure({ id: "f2", tool: "sweeper", category: "code_formatting" }),
        aFailure({ id: "f3", tool: "sweeper", category: "code_formatting", validation: "v2" }),
        aFailure({ id: "f4", tool: "prober", cascadeOf: "f1" }),
      ],
      [aValidation({ id: "v1", command: script }), aValidation({ id: "v2", command: script })],
    );

    expect(nextActions(evidence, [sweeper, prober], NO_FACTS).map(({ failures }) => failures)).toEqual([
      ["f1", "f2", "f3"],
    ]);
  });
});
