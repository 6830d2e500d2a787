import { describe, expect, it } from "vitest";
import { runSetup, type SetupStep } from "../../src/validate/setup.ts";
import { files, tempFolder } from "../contracts/git-repositories.ts";
import { openRoom } from "./room.ts";
import { check } from "./validations.ts";

const step = (command: string, about: Partial<SetupStep> & { readonly notRun?: string } = {}): SetupStep => ({
  mayFail: false,
  timeoutMs: 10_000,
  ...about,
  check: check({ command, installs: true, notRun: about.notRun ?? null }),
});

describe("setting up", () => {
  it("does the steps in order and says what was left out or did not work without harm", async () => {
    const tree = tempFolder();
    const steps = [
      step("echo one > log"),
      step("npm ci", { notRun: "node_modules was lent from the clone" }),
      step("exit 3\n# more", { mayFail: true }),
      step("sleep 60", { mayFail: true, timeoutMs: 200 }),
      step("echo two >> log"),
    ];

    const result = await runSetup(await openRoom(tree), steps);

    expect(result).toEqual({
      ended: "ready",
      notes: [
        "setup: npm ci: not run, node_modules was lent from the clone",
        "setup: exit 3: exit code 3",
        "setup: sleep 60: did not end in time",
      ],
    });
    expect(files(tree)).toEqual({ log: JSON.stringify("one\ntwo\n") });
  });

  it("stops at a step that fails and must not, with the end of what it said", async () => {
    const tree = tempFolder();
    const steps = [step("seq 5000; echo no such package; exit 1"), step("touch never")];

    const result = await runSetup(await openRoom(tree), steps);

    expect(result).toEqual({
      ended: "failed",
      why: "setup: seq 5000; echo no such package; exit 1: exit code 1",
      outputTail: expect.stringMatching(/\n5000\nno such package\n$/),
      notes: [],
    });
    expect(files(tree)).toEqual({});
  });

  it("fails with the reason when a needed tool is missing", async () => {
    const result = await runSetup(await openRoom(tempFolder()), [step("no-such-manager install")]);

    expect(result).toMatchObject({
      ended: "failed",
      why: "setup: no-such-manager install: no-such-manager is not installed here",
    });
  });
});
