import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { composeSandbox, composeWorld, ensureWritable } from "../compose.ts";
import { type Config, readConfig } from "../config.ts";
import { EXIT } from "./exit.ts";
import type { Finding } from "./finding.ts";

// platform facts: Node 20.19 is the first that the pinned packages run on, git 2.36 the first with what we use.
const NODE_NEEDED = [20, 19] as const;
const GIT_NEEDED = [2, 36] as const;

/** `retrace doctor`: what is missing on this machine and how to mend it. Exit 3 when repairs cannot run. */
export async function doctor(options: { readonly server?: boolean } = {}): Promise<number> {
  const config = readConfig();
  const findings = [
    checkNode(),
    await checkGit(config),
    await checkSandbox(config),
    checkData(config),
    checkModel(config),
    ...(options.server === true ? await (await import("./doctor-server.ts")).checkServer(config) : []),
  ];
  for (const { what, wrong } of findings)
    process.stdout.write(`${wrong === null ? "ok     " : "missing"} ${what}${wrong === null ? "" : `: ${wrong}`}\n`);
  return findings.every(({ wrong }) => wrong === null) ? EXIT.done : EXIT.environment;
}

function checkNode(): Finding {
  const what = `Node ${process.versions.node}`;
  return { what, wrong: atLeast(process.versions.node, NODE_NEEDED) ? null : "20.19 or later is needed" };
}

async function checkGit({ searchPath }: Config): Promise<Finding> {
  try {
    const { stdout } = await promisify(execFile)("git", ["--version"], { env: { PATH: searchPath } });
    const version = /\d+(?:\.\d+)+/.exec(stdout)?.[0] ?? "0";
    return { what: `git ${version}`, wrong: atLeast(version, GIT_NEEDED) ? null : "2.36 or later is needed" };
  } catch {
    return { what: "git", wrong: "install it, e.g. apt-get install git" };
  }
}

async function checkSandbox(config: Config): Promise<Finding> {
  const what = `sandbox (${config.sandbox})`;
  try {
    return { what, wrong: await composeSandbox(config, composeWorld()).unavailable() };
  } catch (error) {
    return { what, wrong: error instanceof Error ? error.message : String(error) };
  }
}

function checkData({ dataDir }: Config): Finding {
  try {
    ensureWritable(dataDir);
    return { what: `data folder ${dataDir}`, wrong: null };
  } catch (error) {
    return { what: "data folder", wrong: error instanceof Error ? error.message : String(error) };
  }
}

/** Not having a model is all right: tools still mend what tools can. */
function checkModel({ model }: Config): Finding {
  if (model === null) return { what: "model: none configured, so only tools' own fixers repair", wrong: null };
  const price = model.price === null ? "no price set, so tokens bind instead of dollars" : "price set";
  return { what: `model ${model.name} (${price})`, wrong: null };
}

function atLeast(version: string, [major, minor]: readonly [number, number]): boolean {
  const [is = 0, isMinor = 0] = version.split(".").map(Number);
  return is > major || (is === major && isMinor >= minor);
}
