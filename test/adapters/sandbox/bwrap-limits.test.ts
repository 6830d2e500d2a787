import { readdirSync, rmSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { bwrapSandbox } from "../../../src/adapters/sandbox/bwrap.ts";
import type { Limits } from "../../../src/adapters/sandbox/limits.ts";
import type { SandboxRoom } from "../../../src/ports/sandbox.ts";
import { command, type Ground, makeGround, processesWith, rareSeconds } from "../../contracts/sandbox-contract.ts";
import { bwrapMissing, bwrapOptions, titled } from "./bwrap-options.ts";

const MIB = 1024 * 1024;

// Small, so that the tests neither fill nor heat the machine; the kernel does the same work for larger ones.
const SMALL: Partial<Limits> = {
  memoryBytes: 256 * MIB,
  processes: 64,
  fileBytes: 64 * MIB,
  diskBytes: 256 * MIB,
  cpuSeconds: 2,
};

describe.skipIf(bwrapMissing !== null)(titled("a room of bubblewrap ends"), () => {
  describe.each(["on", "off"] as const)("with control groups %s", (cgroups) => {
    let ground: Ground;
    let room: SandboxRoom;

    beforeEach(async () => {
      ground = makeGround();
      room = await bwrapSandbox(bwrapOptions(ground.rooms, { limits: SMALL, cgroups })).open(ground.tree);
    });

    afterEach(async () => {
      await room.close();
      rmSync(ground.root, { recursive: true, force: true });
    });

    it("a fork bomb, within ten seconds", async () => {
      const seconds = rareSeconds();
      const script = `bomb() { sleep ${seconds} & bomb & bomb & wait; }; bomb`;

      const result = await room.run(command(script, { shell: "bash {0}", timeoutMs: 5_000 }));

      expect(result.ms).toBeLessThan(10_000);
      expect(processesWith(seconds)).toEqual([]);
    });

    it("ten gigabytes written to one file, at the size of a file", async () => {
      const result = await room.run(command("head -c 10G /dev/zero > big", { timeoutMs: 60_000 }));

      expect(result.exitCode).not.toBe(0);
      expect(result.timedOut).toBe(false);
      expect(result.ms).toBeLessThan(20_000);
    });

    it("ten gigabytes written to many files, at the size of the room", async () => {
      const script = "for i in $(seq 1 320); do head -c 32M /dev/zero > ~/part$i; sleep 0.02; done";

      const result = await room.run(command(script, { timeoutMs: 60_000 }));

      expect(result).toMatchObject({ exitCode: null, timedOut: false });
      expect(result.output).toContain("[stopped: the files of this room grew by more than 268435456 bytes]");
      expect(result.ms).toBeLessThan(30_000);
    });

    it("a spinning process, at its share of the processor", async () => {
      const result = await room.run(command("while :; do :; done", { timeoutMs: 30_000 }));

      expect(result).toMatchObject({ timedOut: false });
      expect(result.exitCode).not.toBe(0);
      expect(result.ms).toBeLessThan(20_000);
    });

    it("a process that takes all memory, and only that", async () => {
      const script = `node -e 'const kept = []; for (;;) kept.push(Buffer.alloc(16 * 1024 * 1024, 1))' >/dev/null 2>&1; echo "ended $?"`;

      const result = await room.run(command(script, { shell: "bash {0}", timeoutMs: 30_000 }));

      expect(result.output).toMatch(/^ended (?!0)\d+\n$/m);
    });

    it("shared memory that fills up", async () => {
      const result = await room.run(command("head -c 10G /dev/zero > /dev/shm/big", { shell: "bash {0}" }));

      expect(result.exitCode).not.toBe(0);
      expect(readdirSync(ground.tree)).toEqual([]);
    });
  });
});
