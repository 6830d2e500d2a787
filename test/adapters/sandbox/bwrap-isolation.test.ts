import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { bwrapSandbox } from "../../../src/adapters/sandbox/bwrap.ts";
import type { SandboxRoom } from "../../../src/ports/sandbox.ts";
import { command, type Ground, makeGround, started } from "../../contracts/sandbox-contract.ts";
import { bwrapMissing, bwrapOptions, titled } from "./bwrap-options.ts";

const SECRET = "a-key-that-must-not-be-seen-5b1f";

describe.skipIf(bwrapMissing !== null)(titled("a room of bubblewrap keeps apart"), () => {
  let ground: Ground;
  let room: SandboxRoom;

  beforeEach(async () => {
    process.env.SANDBOX_TEST_KEY = SECRET;
    ground = makeGround();
    writeFileSync(path.join(ground.root, "secret.txt"), `${SECRET}\n`);
    room = await bwrapSandbox(bwrapOptions(ground.rooms)).open(ground.tree);
  });

  afterEach(async () => {
    delete process.env.SANDBOX_TEST_KEY;
    await room.close();
    rmSync(ground.root, { recursive: true, force: true });
  });

  it.each(["off", "setup"] as const)("our secrets from every process and file inside (network %s)", async (network) => {
    // The pattern is put together inside, so that the script itself does not hold it.
    const script = `
      pattern="must-not""-be-seen"
      seen=$(cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' '\\n')
      case "$seen" in *"$pattern"*) echo FOUND;; esac
      grep -rlsI -e "$pattern" --exclude-dir=proc --exclude-dir=usr --exclude-dir=dev / && echo FOUND
      ls /proc | grep -c '^[0-9]'`;

    const result = await room.run(command(script, { shell: "bash {0}", network, timeoutMs: 60_000 }));

    expect(result.output).not.toContain("FOUND");
    expect(Number(result.output.trim())).toBeLessThan(8);
  });

  it("the rest of the machine from writing", async () => {
    const places = [
      "/",
      "/etc",
      "/usr",
      "/usr/local/bin",
      "/dev",
      "/run",
      "/var",
      "/home",
      "/proc/sys/kernel/domainname",
    ];
    places.push(ground.root, path.dirname(ground.root) === "/tmp" ? "/opt" : path.dirname(ground.root));
    const tries = places.map((place) => `(echo x > ${place}/oops) 2>/dev/null && echo "wrote ${place}"`).join("\n");

    const { output } = await room.run(command(`${tries}\ntrue`, { shell: "bash {0}" }));

    expect(output).toBe("");
    expect(readdirSync(ground.root).sort()).toEqual(["rooms", "secret.txt", "tree"]);
  });

  it("every folder inside that can be written to: tree, HOME, TMP and shared memory are all of them", async () => {
    const script = `find / -xdev -type d -writable 2>/dev/null; find /dev /run /home /tmp /var /etc -type d -writable 2>/dev/null | sort -u`;
    writeFileSync(path.join(ground.tree, "file"), "");

    const { output } = await room.run(command(script, { shell: "bash {0}" }));

    const allowed = ["/home/runner", "/tmp", "/var/tmp", "/dev/shm", "/dev/pts", ground.tree];
    const beyond = output.split("\n").filter((line) => line !== "" && !allowed.some((each) => within(line, each)));
    expect(beyond).toEqual([]);
  });

  it("what lies beside the tree from reading, also through a link", async () => {
    symlinkSync("../secret.txt", path.join(ground.tree, "link"));

    const result = await room.run(command("cat link; cat ../secret.txt; ls ..", { shell: "bash {0}" }));

    expect(result.output).not.toContain(SECRET);
    expect(result.output).toContain("\ntree\n");
  });

  it("a later command's mounts from links put in their way", async () => {
    const victim = path.join(ground.root, "victim");
    const first = path.join("/tmp", path.relative("/tmp", ground.root).split("/")[0] ?? "");
    const script = `mv ${first} ${first}.away; rm -rf ${first}; ln -s /oldroot${victim} ${first}; rm -rf ~/work; ln -s / ~/work; true`;

    await room.run(command(script, { shell: "bash {0}" }));
    const result = await room.run(command("pwd; ls"));

    expect(result).toMatchObject({ exitCode: 0, output: `${ground.tree}\n` });
    expect(existsSync(victim)).toBe(false);
  });

  it("its privileges: no capability, no new ones, no namespace of its own", async () => {
    const script = `grep -E '^(CapEff|CapBnd|NoNewPrivs)' /proc/self/status; unshare -U true 2>/dev/null && echo nested; id -u`;

    const { output } = await room.run(command(script, { shell: "bash {0}" }));

    expect(output).toBe("CapEff:\t0000000000000000\nCapBnd:\t0000000000000000\nNoNewPrivs:\t1\n1000\n");
  });

  it("file descriptors that we never meant to hand on", async () => {
    const { output } = await room.run(command("ls /proc/$$/fd /proc/1/fd", { shell: "bash {0}" }));

    const numbers = output
      .split(/\s+/)
      .filter((word) => /^\d+$/.test(word))
      .map(Number);
    // 255 is bash's own copy of its script.
    expect(numbers.filter((number) => number > 10 && number !== 255)).toEqual([]);
  });

  it("two rooms from each other", async () => {
    const other = makeGround();
    const neighbour = await bwrapSandbox(bwrapOptions(other.rooms)).open(other.tree);
    await neighbour.run(command("echo theirs > ~/mine; echo theirs > /tmp/mine; echo theirs > mine"));
    const sleeping = neighbour.run(command("sleep 43210.1"));
    await started("43210.1");

    const script = `ls ~ /var/tmp; ls ${other.tree}; ls /tmp/mine; cat /proc/[0-9]*/cmdline | tr '\\0' ' ' | grep 43210[.]1`;
    const { output } = await room.run(command(script, { shell: "bash {0}" }));
    await neighbour.close();
    await sleeping;

    expect(output).not.toContain("theirs");
    expect(output).not.toMatch(/^mine$/m);
    expect(output).not.toContain("sleep 43210");
    rmSync(other.root, { recursive: true, force: true });
  });

  it("the host from what is written into the tree's .git: only files inside the tree change", async () => {
    mkdirSync(path.join(ground.tree, ".git/hooks"), { recursive: true });
    const before = readdirSync(ground.root).sort();

    await room.run(
      command(
        "printf '[core]\\n\\tfsmonitor = touch /tmp/ran\\n' > .git/config; echo 'touch ../ran' > .git/hooks/pre-commit",
      ),
    );

    expect(readdirSync(ground.root).sort()).toEqual(before);
    expect(readFileSync(path.join(ground.tree, ".git/config"), "utf8")).toContain("fsmonitor");
  });

  it("a working directory that leads out of the tree", async () => {
    symlinkSync("/", path.join(ground.tree, "out"));

    await expect(room.run(command("pwd", { cwd: "../.." }))).rejects.toThrow("is not in the tree");
    expect((await room.run(command("cat tmp/secret.txt", { cwd: "out" }))).output).not.toContain(SECRET);
  });

  it("a working directory that is not there is the command's failure, as on a runner", async () => {
    const result = await room.run(command("pwd", { cwd: "missing" }));

    expect(result).toMatchObject({
      exitCode: 1,
      output: expect.stringContaining("missing: No such file or directory"),
    });
  });
});

const within = (place: string, folder: string): boolean => place === folder || place.startsWith(`${folder}/`);
