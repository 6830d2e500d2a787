import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { networkInterfaces } from "node:os";
import path from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { bwrapSandbox } from "../../../src/adapters/sandbox/bwrap.ts";
import { findProgram } from "../../../src/adapters/sandbox/find-program.ts";
import { setupNetworkMissing } from "../../../src/adapters/sandbox/setup-network.ts";
import { type SandboxRoom, SandboxUnavailable } from "../../../src/ports/sandbox.ts";
import { command, type Ground, makeGround } from "../../contracts/sandbox-contract.ts";
import { bwrapMissing, bwrapOptions, titled } from "./bwrap-options.ts";

const setupMissing = process.env.CI === undefined ? await setupNetworkMissing(bwrapOptions("").searchPath) : null;
const registry = await unreachable("https://registry.npmjs.org/is-number/latest");

// Tries to talk to a server and says how that ended.
const KNOCK = `
const [host, port] = process.argv.slice(1);
const socket = require("net").connect({ host, port, timeout: 3000 });
const say = (text) => { console.log(text); process.exit(); };
socket.on("data", (data) => say("reached: " + data));
socket.on("error", (error) => say("no: " + error.code));
socket.on("timeout", () => say("no: time-out"));
`;
const knock = (host: string, port: number): string => `node -e '${KNOCK}' ${host} ${port}`;

describe.skipIf(bwrapMissing !== null)(titled("the network of a room of bubblewrap"), () => {
  let server: Server;
  let port: number;
  let ground: Ground;
  let room: SandboxRoom;

  beforeAll(async () => {
    server = createServer((socket) => socket.end("the host")).listen(0, "0.0.0.0");
    await new Promise((resolve) => server.once("listening", resolve));
    const address = server.address();
    port = typeof address === "object" && address !== null ? address.port : 0;
  });

  afterAll(() => {
    server.close();
  });

  beforeEach(async () => {
    ground = makeGround();
    room = await bwrapSandbox(bwrapOptions(ground.rooms)).open(ground.tree);
  });

  afterEach(async () => {
    await room.close();
    rmSync(ground.root, { recursive: true, force: true });
  });

  it("is only the room's own loopback when it is off, and localhost has a name", async () => {
    const listen = `require("net").createServer((s) => s.end("the room")).listen(4000, "localhost")`;
    const script = `node -e '${listen}' & sleep 0.5; ${knock("localhost", 4000)}; ${knock("127.0.0.1", port)}; ${knock("192.0.2.1", 80)}; ${knock("example.org", 80)}; ls /sys/class/net 2>/dev/null; cut -d: -f1 /proc/net/dev | tail -n +3`;

    const { output } = await room.run(command(script, { shell: "bash {0}" }));

    expect(output.split("\n").map((line) => line.trim())).toEqual([
      "reached: the room",
      "no: ECONNREFUSED",
      "no: ENETUNREACH",
      "no: EAI_AGAIN",
      "lo",
      "",
    ]);
  });

  const own = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  const outer = own.find((each) => !each.internal && each.family === "IPv4")?.address;
  const hosts = ["127.0.0.1", "localhost", "10.0.2.2", "10.0.2.3", "0.0.0.0", "169.254.169.254"];

  it.skipIf(setupMissing !== null).each(outer === undefined ? hosts : [...hosts, outer])(
    "does not lead to the host's own services at %s during setup",
    async (host) => {
      const { output } = await room.run(command(knock(host, port), { network: "setup" }));

      expect(output).toMatch(/^no: /);
    },
  );

  it.skipIf(setupMissing !== null)("has the room's own localhost during setup, too", async () => {
    const listen = `require("net").createServer((s) => s.end("the room")).listen(4000, "localhost")`;
    const script = `node -e '${listen}' & sleep 0.5; ${knock("localhost", 4000)}`;

    expect((await room.run(command(script, { network: "setup" }))).output).toBe("reached: the room\n");
  });

  it.skipIf(setupMissing !== null)("gives the setup variables to setup only", async () => {
    const file = path.join(ground.root, "authority.pem");
    writeFileSync(file, "a certificate\n");
    const options = bwrapOptions(ground.rooms, { setupEnv: { SSL_CERT_FILE: file } });
    const own = await bwrapSandbox(options).open(ground.tree);
    const script =
      'echo "${SSL_CERT_FILE:-unset}"; cat "$SSL_CERT_FILE"; (echo x > "$SSL_CERT_FILE") 2>/dev/null || echo closed';

    const setup = await own.run(command(script, { shell: "bash {0}", network: "setup" }));
    const later = await own.run(command('echo "${SSL_CERT_FILE:-unset}"'));
    await own.close();

    expect(setup.output).toBe(`${file}\na certificate\nclosed\n`);
    expect(later.output).toBe("unset\n");
  });

  it.skipIf(setupMissing !== null || registry !== null)(
    `reaches a registry during setup${registry === null ? "" : ` (${registry})`}`,
    async () => {
      // Not a view of a package: that may be answered from a cache.
      const reach = "npm ping --fetch-retries=0";

      const setup = await room.run(command(reach, { network: "setup", timeoutMs: 60_000 }));
      const off = await room.run(command(reach, { timeoutMs: 60_000 }));

      expect(setup).toMatchObject({ exitCode: 0, output: expect.stringContaining("PONG") });
      expect(off.exitCode).not.toBe(0);
    },
  );

  it("is refused for setup, never replaced by something weaker, when it is switched off", async () => {
    const own = await bwrapSandbox(bwrapOptions(ground.rooms, { setupNetwork: "off" })).open(ground.tree);

    await expect(own.run(command("true", { network: "setup" }))).rejects.toThrow(SandboxUnavailable);
    expect((await own.run(command("echo on"))).output).toBe("on\n");
    await own.close();
  });

  it("is refused for setup with the name of what is missing", async () => {
    const bin = path.join(ground.root, "bin");
    mkdirSync(bin);
    for (const program of ["bwrap", "prlimit", "unshare", "ip"]) {
      symlinkSync((await findProgram(program, bwrapOptions("").searchPath)) ?? program, path.join(bin, program));
    }
    const own = await bwrapSandbox(bwrapOptions(ground.rooms, { searchPath: bin })).open(ground.tree);

    const running = own.run(command("true", { network: "setup" }));

    await expect(running).rejects.toThrow(
      "setup needs slirp4netns, which is not on PATH (apt-get install slirp4netns)",
    );
    await own.close();
  });

  it("is refused for setup when the way out does not come up", async () => {
    const bin = path.join(ground.root, "bin");
    mkdirSync(bin);
    writeFileSync(path.join(bin, "slirp4netns"), "#!/bin/sh\necho no tap device >&2\nexit 1\n", { mode: 0o755 });
    const searchPath = `${bin}:${bwrapOptions("").searchPath}`;
    const own = await bwrapSandbox(bwrapOptions(ground.rooms, { searchPath })).open(ground.tree);

    const running = own.run(command("touch ran", { network: "setup" }));

    await expect(running).rejects.toThrow("no network for setup: slirp4netns: no tap device");
    await own.close();
  });
});

/** Null when an address answers, else why it is not used. */
async function unreachable(url: string): Promise<string | null> {
  try {
    return (await fetch(url, { signal: AbortSignal.timeout(5_000) })).ok ? null : "no registry answers here";
  } catch {
    return "no registry can be reached from here";
  }
}
