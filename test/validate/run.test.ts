import { describe, expect, it } from "vitest";
import {
  type SandboxCommand,
  type SandboxResult,
  type SandboxRoom,
  SandboxUnavailable,
} from "../../src/ports/sandbox.ts";
import {
  CHECK_TIMEOUT_MS,
  type ReadFailures,
  runCheck,
  runPrepared,
  SETUP_TIMEOUT_MS,
} from "../../src/validate/run.ts";
import { readRuntimes } from "../../src/validate/runtimes.ts";
import { files, tempFolder, write } from "../contracts/git-repositories.ts";
import { aFailure } from "../fakes/evidence.ts";
import { openRoom } from "./room.ts";
import { check } from "./validations.ts";

/** Every line that starts with "FAIL" is a failure. */
const readFails: ReadFailures = (_, { output }) =>
  output
    .split("\n")
    .filter((line) => line.startsWith("FAIL"))
    .map((signature) => aFailure({ id: "f1", signature }));

/** A room whose commands end as told; what it was asked is kept. */
function roomSaying(result: Partial<SandboxResult> | Error): SandboxRoom & { readonly asked: SandboxCommand[] } {
  const asked: SandboxCommand[] = [];
  return {
    asked,
    treeInside: "/tree",
    run: async (command) => {
      asked.push(command);
      if (result instanceof Error) throw result;
      return { exitCode: 1, timedOut: false, output: "", omittedBytes: 0, ms: 5, ...result };
    },
    close: async () => {},
  };
}

describe("running a check", () => {
  it("runs in its folder, shell and environment, and reads the failures, sorted and once", async () => {
    const tree = tempFolder();
    write(tree, { "web/here.txt": "1\n" });
    const one = check({
      command: 'ls; echo "FAIL $WHAT"; echo FAIL a; echo FAIL a; exit 3',
      cwd: "web",
      env: { WHAT: "b" },
    });

    const run = await runCheck(await openRoom(tree), one, readFails);

    expect(run).toEqual({
      check: one,
      exitCode: 3,
      timedOut: false,
      output: "here.txt\nFAIL b\nFAIL a\nFAIL a\n",
      signatures: ["FAIL a", "FAIL b"],
      failures: ["FAIL b", "FAIL a", "FAIL a"].map((signature) => aFailure({ id: "f1", signature })),
      ms: expect.any(Number),
    });
  });

  it("reads no failure out of a check that passes", async () => {
    const run = await runCheck(await openRoom(tempFolder()), check({ command: "echo FAIL expected" }), readFails);

    expect([run.exitCode, run.signatures, run.check.notRun]).toEqual([0, [], null]);
  });

  it.each([
    ["no-such-tool --check .", 127, "no-such-tool is not installed here"],
    ["sh -c 'no-such-tool .'", 127, "no-such-tool is not installed here"],
    ["echo 'FAIL a'; exit 1", 1, null],
    [
      "echo 'getaddrinfo EAI_AGAIN example.org'; exit 1",
      1,
      "it wants the network, which is off for checks (EAI_AGAIN)",
    ],
    ["echo 'Killed'; exit 137", 137, "it was killed (exit code 137), most likely by the room's limit of memory"],
    ["echo 'pyenv: black: command not found'; exit 127", 127, "black is not installed here"],
    ["kill -9 $$", null, "it was ended by a signal"],
  ])("tells the place from the code: %s", async (command, exitCode, notRun) => {
    const run = await runCheck(await openRoom(tempFolder()), check({ command }), readFails);

    expect([run.exitCode, run.check.notRun]).toEqual([exitCode, notRun]);
  });

  it.each([
    [
      "what the room stopped",
      { exitCode: null, output: "x\n[stopped: it wrote more than 4 GB]\n" },
      "it wrote more than 4 GB",
    ],
    ["a room that cannot start it", new SandboxUnavailable("bwrap is gone"), "bwrap is gone"],
    ["a check that did not end", { exitCode: null, timedOut: true }, null],
  ])("gives %s as a value", async (_, result, notRun) => {
    const run = await runCheck(roomSaying(result), check({}), readFails);

    expect([run.exitCode, run.check.notRun, run.timedOut]).toEqual([null, notRun, notRun === null]);
  });

  it("does not start a check that is not to be run", async () => {
    const room = roomSaying({});

    const run = await runCheck(room, check({ notRun: "it runs on windows" }), readFails);

    expect([room.asked, run.exitCode, run.check.notRun]).toEqual([[], null, "it runs on windows"]);
  });

  it.each([
    [false, "off", CHECK_TIMEOUT_MS],
    [true, "setup", SETUP_TIMEOUT_MS],
  ])("an installing check (%s) has network %s", async (installs, network, timeoutMs) => {
    const room = roomSaying({ output: "EAI_AGAIN" });

    const run = await runCheck(room, check({ installs }), readFails);

    expect(room.asked).toEqual([{ script: "npm test", shell: null, cwd: "", env: {}, network, timeoutMs }]);
    expect(run.check.notRun === null).toBe(installs);
  });
});

describe("running a check that uses a build", () => {
  it("builds first, each time", async () => {
    const tree = tempFolder();
    const room = await openRoom(tree);
    const [build, use] = [check({ command: "cp source built" }), check({ command: "cat built; exit 1" })];

    write(tree, { source: "FAIL old" });
    const before = await runPrepared(room, [build], use, readFails);
    write(tree, { source: "FAIL new" });
    const after = await runPrepared(room, [build], use, readFails);

    expect([before, after]).toMatchObject([
      { ended: "ran", run: { signatures: ["FAIL old"] } },
      { ended: "ran", run: { signatures: ["FAIL new"] } },
    ]);
  });

  it("does not judge what an older build left behind", async () => {
    const tree = tempFolder();
    const build = check({ command: "echo FAIL build; exit 2" });

    const result = await runPrepared(await openRoom(tree), [build], check({ command: "touch ran" }), readFails);

    expect(result).toMatchObject({
      ended: "not-prepared",
      build: { check: build, exitCode: 2, signatures: ["FAIL build"] },
    });
    expect(files(tree)).toEqual({});
  });
});

describe("asking for runtimes", () => {
  it("tells what is here, null for what is not, and leaves out what it cannot ask for", async () => {
    const found = await readRuntimes(await openRoom(tempFolder()), ["node", "deno", "zig"], {});

    expect(found).toEqual({ node: expect.stringMatching(/^v\d+\./), deno: null });
  });
});
