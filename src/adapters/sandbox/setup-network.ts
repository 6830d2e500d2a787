import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { networkInterfaces } from "node:os";
import type { Duplex, Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { SandboxUnavailable } from "../../ports/sandbox.ts";
import { findProgram } from "./find-program.ts";
import { killGroup } from "./spawn.ts";

/** A network namespace of its own with a way out, from which the host's loopback cannot be reached. */
export interface SetupNetwork {
  /** Words in front of bwrap's: they make the namespace, wait for the way out, and become bwrap. */
  readonly prefix: readonly string[];
  /** Gives the namespace of the waiting process its way out, and lets it go on. Rejects with SandboxUnavailable. */
  connect(pid: number, control: Duplex): Promise<void>;
  close(): void;
}

const NEEDED = [
  { program: "unshare", package: "util-linux" },
  { program: "slirp4netns", package: "slirp4netns" },
  { program: "ip", package: "iproute2" },
] as const;

/** Null when a setup network can be made here, else what is missing. */
export async function setupNetworkMissing(searchPath: string): Promise<string | null> {
  for (const { program, package: name } of NEEDED) {
    if ((await findProgram(program, searchPath)) === null) {
      return `setup needs ${program}, which is not on PATH (apt-get install ${name})`;
    }
  }
  return null;
}

// slirp4netns is ready within 50 ms on an idle machine.
const READY_WITHIN_MS = 10_000;

// Reports that the namespace is there, waits for the way out, closes the roads that lead to the host itself, and goes on.
const WAIT = `
echo there >&3; read -r go <&3 || exit 125
ip=$1; shift
while [ "$1" != -- ]; do "$ip" route add blackhole "$1" || exit 125; shift; done; shift
exec "$@"
`;

// Machines in a cloud hand out their credentials at a link-local address.
const LINK_LOCAL = "169.254.0.0/16";

/** Rejects with SandboxUnavailable that names what is missing. */
export async function openSetupNetwork(searchPath: string): Promise<SetupNetwork> {
  const missing = await setupNetworkMissing(searchPath);
  if (missing !== null) throw new SandboxUnavailable(missing);
  const [unshare, slirp, ip] = await Promise.all(
    NEEDED.map(async ({ program }) => (await findProgram(program, searchPath)) ?? program),
  );
  if (unshare === undefined || slirp === undefined || ip === undefined)
    throw new SandboxUnavailable("no setup network");
  // Real root may make a network namespace as it is; anybody else must be root of a user namespace first.
  const asRoot = process.getuid?.() === 0 ? [] : ["--user", "--map-root-user"];
  let helper: ChildProcess | null = null;
  return {
    prefix: [unshare, ...asRoot, "--net", "/bin/sh", "-c", WAIT, "wait", ip, LINK_LOCAL, ...ownAddresses(), "--"],
    connect: async (pid, control) => {
      const there = once(control, "data");
      await Promise.race([there, once(control, "end").then(() => fail("no namespace")), overdue("the namespace")]);
      helper = startSlirp(slirp, pid);
      const complaint = collect(helper.stderr);
      await Promise.race([
        once(helper.stdio[3] as Readable, "data"),
        overdue("slirp4netns"),
        once(helper, "error").then(([error]) => fail(`slirp4netns: ${error}`)),
        once(helper, "close").then(() => fail(`slirp4netns: ${firstLine(complaint())}`)),
      ]);
      control.write("go\n");
    },
    close: () => {
      if (helper?.pid !== undefined) killGroup(helper.pid);
    },
  };
}

function startSlirp(slirp: string, pid: number): ChildProcess {
  // The exit pipe ends it when we die without a word.
  const words = ["--configure", "--mtu=65520", "--disable-host-loopback", "--ready-fd=3", "--exit-fd=4"];
  return spawn(slirp, [...words, String(pid), "tap0"], {
    env: {},
    cwd: "/",
    detached: true,
    stdio: ["ignore", "ignore", "pipe", "pipe", "pipe"],
  });
}

/** Addresses at which this machine's own services may listen, apart from loopback. */
function ownAddresses(): string[] {
  return Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .filter((address) => !address.internal && address.family === "IPv4" && !address.address.startsWith("169.254."))
    .map((address) => `${address.address}/32`);
}

async function overdue(what: string): Promise<never> {
  await sleep(READY_WITHIN_MS, undefined, { ref: false });
  return fail(`${what} was not ready in time`);
}

function collect(stream: Readable | null): () => string {
  let text = "";
  stream?.on("data", (chunk: Buffer) => {
    text += chunk.toString("utf8");
  });
  return () => text;
}

// The cause comes first ("/dev/net/tun: Permission denied"), then that its child failed.
const firstLine = (text: string): string => text.trim().split("\n")[0] || "ended without a word";

function fail(what: string): never {
  throw new SandboxUnavailable(`no network for setup: ${what}`);
}
