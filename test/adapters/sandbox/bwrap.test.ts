import { rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { bwrapSandbox } from "../../../src/adapters/sandbox/bwrap.ts";
import { SandboxUnavailable } from "../../../src/ports/sandbox.ts";
import { command, type Ground, makeGround, sandboxContract } from "../../contracts/sandbox-contract.ts";
import { bwrapMissing, bwrapOptions, titled } from "./bwrap-options.ts";

describe.skipIf(bwrapMissing !== null)(titled("a room of bubblewrap"), () => {
  sandboxContract(({ rooms }: Ground) => bwrapSandbox(bwrapOptions(rooms)));

  describe("without control groups", () => {
    sandboxContract(({ rooms }: Ground) => bwrapSandbox(bwrapOptions(rooms, { cgroups: "off" })));
  });
});

describe("bubblewrap that is not there", () => {
  let ground: Ground;

  beforeEach(() => {
    ground = makeGround();
  });

  afterEach(() => {
    rmSync(ground.root, { recursive: true, force: true });
  });

  it("says how to mend it, and opens no room", async () => {
    const { tree, rooms } = ground;
    const sandbox = bwrapSandbox(bwrapOptions(rooms, { searchPath: tree }));

    expect(await sandbox.unavailable()).toBe(
      "bwrap is not on PATH: install bubblewrap (apt-get install bubblewrap), or choose another sandbox with RETRACE_SANDBOX",
    );
    await expect(sandbox.open(tree)).rejects.toThrow(SandboxUnavailable);
  });

  it("says why a bwrap that is there cannot make a room", async () => {
    const { tree, rooms } = ground;
    writeProgram(tree, "bwrap", 'echo "bwrap: no permission to make a namespace" >&2; exit 1');
    const sandbox = bwrapSandbox(bwrapOptions(rooms, { searchPath: tree }));

    expect(await sandbox.unavailable()).toMatch(
      /^bwrap cannot make a room here \(bwrap: no permission .*RETRACE_SANDBOX$/,
    );
    await expect(sandbox.open(tree)).rejects.toThrow(SandboxUnavailable);
  });

  it.skipIf(bwrapMissing !== null)("is not taken for a failing command when a room cannot be made later", async () => {
    const { tree, rooms } = ground;
    const room = await bwrapSandbox(bwrapOptions(rooms)).open(tree);
    rmSync(tree, { recursive: true });

    await expect(room.run(command("true"))).rejects.toThrow(/^the room could not be made: bwrap: /);

    await room.close();
  });
});

function writeProgram(folder: string, name: string, script: string): void {
  writeFileSync(path.join(folder, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
}
