import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Sandbox, type SandboxCommand, type SandboxRoom, SandboxUnavailable } from "../../src/ports/sandbox.ts";

/** A command with everything but the script left as usual. */
export function command(script: string, more: Partial<SandboxCommand> = {}): SandboxCommand {
  return { script, shell: null, cwd: "", env: {}, network: "off", timeoutMs: 20_000, ...more };
}

/** Folders of one test; `rooms` is where the sandbox keeps its own. */
export interface Ground {
  readonly root: string;
  readonly tree: string;
  readonly rooms: string;
}

export function makeGround(): Ground {
  const root = realpathSync(mkdtempSync(path.join(tmpdir(), "sandbox-test-")));
  const ground = { root, tree: path.join(root, "tree"), rooms: path.join(root, "rooms") };
  mkdirSync(ground.tree);
  return ground;
}

/** Command lines of this machine's processes that contain a text. */
export function processesWith(text: string): string[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(commandLine)
    .filter((line) => line.includes(text));
}

function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
  } catch {
    return "";
  }
}

/** Resolves when a process with that text in its command line runs; rejects when none does within ten seconds. */
export async function started(text: string): Promise<void> {
  for (let tries = 0; tries < 500; tries += 1) {
    if (processesWith(text).length > 0) return;
    await sleep(20);
  }
  throw new Error(`no process with ${text} was started`);
}

let sleepers = 0;
/** Seconds for `sleep` that no other process on this machine sleeps, so that it can be found by them. */
export function rareSeconds(): string {
  sleepers += 1;
  return `4${process.pid}.${sleepers}`;
}

/** What every sandbox promises, whatever it is made of. */
export function sandboxContract(make: (ground: Ground) => Sandbox): void {
  describe("as every sandbox", () => {
    let ground: Ground;
    let room: SandboxRoom;

    beforeEach(async () => {
      ground = makeGround();
      room = await make(ground).open(ground.tree);
    });

    afterEach(async () => {
      await room.close();
      rmSync(ground.root, { recursive: true, force: true });
    });

    it("says nothing is missing where it can be used", async () => {
      expect(await make(ground).unavailable()).toBeNull();
    });

    it("runs a script in the tree at the tree's own path", async () => {
      writeFileSync(path.join(ground.tree, "hello.txt"), "hello\n");

      const result = await room.run(command("pwd; cat hello.txt; echo made > new.txt"));

      expect(result).toEqual({
        exitCode: 0,
        timedOut: false,
        output: `${ground.tree}\nhello\n`,
        omittedBytes: 0,
        ms: expect.any(Number),
      });
      expect(room.treeInside).toBe(ground.tree);
      expect(readFileSync(path.join(ground.tree, "new.txt"), "utf8")).toBe("made\n");
    });

    it.each([0, 1, 7, 126, 127, 255])("gives back exit code %i", async (code) => {
      expect((await room.run(command(`exit ${code}`))).exitCode).toBe(code);
    });

    it("gives back standard output and error in the order they were written", async () => {
      const result = await room.run(
        command("for i in 1 2 3; do echo out $i; echo err $i >&2; done; echo end > /dev/stderr"),
      );

      expect(result.output).toBe("out 1\nerr 1\nout 2\nerr 2\nout 3\nerr 3\nend\n");
    });

    it("keeps the head and the tail of a long output and counts what it left out", async () => {
      const result = await room.run(command("echo first; head -c 5000000 /dev/zero | tr '\\0' x; echo; echo last"));

      expect(result.output.startsWith("first\nxxx")).toBe(true);
      expect(result.output.endsWith("xxx\nlast\n")).toBe(true);
      expect(result.output).toContain(`[… ${result.omittedBytes} bytes omitted …]`);
      expect(result.omittedBytes).toBe(5_000_000 + "first\n\nlast\n".length - 1024 * 1024);
    });

    it.each([
      { shell: null, script: "false | true; echo on; false; echo never", output: "on\n", exitCode: 1 },
      { shell: "bash", script: "echo on; false | true; echo never", output: "on\n", exitCode: 1 },
      { shell: "sh", script: "false | true; echo on; false; echo never", output: "on\n", exitCode: 1 },
      { shell: "bash {0}", script: "false; echo on", output: "on\n", exitCode: 0 },
      { shell: "bash -c 'source {0}'", script: "echo sourced", output: "sourced\n", exitCode: 0 },
      { shell: "node", script: "console.log(6 * 7); process.exit(3)", output: "42\n", exitCode: 3 },
      { shell: "python3 {0}", script: "import sys\nprint('py')\nsys.exit(4)", output: "py\n", exitCode: 4 },
    ])("runs a step whose shell is $shell as a runner does", async ({ shell, script, output, exitCode }) => {
      const result = await room.run(command(script, { shell }));

      expect({ output: result.output, exitCode: result.exitCode }).toEqual({ output, exitCode });
      expect(readdirSync(ground.tree)).toEqual([]);
    });

    it("refuses a shell it does not know", async () => {
      await expect(room.run(command("echo", { shell: "fish -x" }))).rejects.toThrow(SandboxUnavailable);
    });

    it("honours the working directory and the environment of a command", async () => {
      mkdirSync(path.join(ground.tree, "a/b"), { recursive: true });

      const result = await room.run(
        command('pwd; echo "$GREETING"', { cwd: "a/b", env: { GREETING: "two  words\n$HOME" } }),
      );

      expect(result.output).toBe(`${ground.tree}/a/b\ntwo  words\n$HOME\n`);
    });

    it("has the quiet environment of a CI machine and none of ours", async () => {
      process.env.SANDBOX_TEST_SECRET = "do-not-show";

      const { output } = await room.run(command("env"));

      const names = output.split("\n").map((line) => line.split("=")[0]);
      expect(names).toEqual(expect.arrayContaining(["CI", "LANG", "PAGER", "GIT_PAGER", "HOME", "TMPDIR", "PATH"]));
      expect(output).not.toContain("do-not-show");
      delete process.env.SANDBOX_TEST_SECRET;
    });

    it("keeps HOME and TMP from one command to the next, apart from the tree, and removes them at the end", async () => {
      await room.run(command("echo kept > ~/note; echo kept > $TMPDIR/note; mkdir -p ~/ro/in && chmod 555 ~/ro"));

      const result = await room.run(command("cat ~/note $TMPDIR/note"));
      await room.close();

      expect(result.output).toBe("kept\nkept\n");
      expect(readdirSync(ground.tree)).toEqual([]);
      expect(readdirSync(ground.rooms)).toEqual([]);
    });

    it("ends everything a command started when its time is over", async () => {
      const seconds = rareSeconds();

      const result = await room.run(command(`echo begun; sleep ${seconds} & sleep ${seconds}`, { timeoutMs: 500 }));

      expect(result).toMatchObject({ exitCode: null, timedOut: true, output: "begun\n" });
      expect(result.ms).toBeLessThan(3_000);
      expect(processesWith(seconds)).toEqual([]);
    });

    it("ends a command when it is aborted", async () => {
      const seconds = rareSeconds();
      const abort = new AbortController();

      const running = room.run(command(`sleep ${seconds}`, { signal: abort.signal }));
      await started(seconds);
      abort.abort();

      expect(await running).toMatchObject({ exitCode: null, timedOut: false });
      expect(processesWith(seconds)).toEqual([]);
    });

    it("does not wait for a process left in the background, which is dead when the room is closed", async () => {
      const seconds = rareSeconds();

      const result = await room.run(command(`sleep ${seconds} & disown; echo done`));
      await room.close();

      expect(result).toMatchObject({ exitCode: 0, output: "done\n" });
      expect(result.ms).toBeLessThan(5_000);
      expect(processesWith(seconds)).toEqual([]);
    });

    it("ends what still runs when the room is closed, and starts nothing after", async () => {
      const seconds = rareSeconds();
      const running = room.run(command(`sleep ${seconds}`));
      await started(seconds);

      await room.close();

      expect(await running).toMatchObject({ exitCode: null, timedOut: false });
      expect(processesWith(seconds)).toEqual([]);
      await expect(room.run(command("true"))).rejects.toThrow(SandboxUnavailable);
    });

    it.each(["no/such/folder", "/no/such/folder"])("refuses to open a room around %s", async (tree) => {
      await expect(make(ground).open(tree)).rejects.toThrow(SandboxUnavailable);
      expect(existsSync(ground.rooms) ? readdirSync(ground.rooms).length : 0).toBe(1);
    });
  });
}
