import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

export type Files = Readonly<Record<string, string | Buffer>>;

export interface Place {
  /** For clones, logs and patches; gone after `remove`. */
  readonly folder: string;
  readonly dataDir: string;
  remove(): void;
}

export function makePlace(): Place {
  const folder = mkdtempSync(path.join(tmpdir(), "retrace-e2e-"));
  return {
    folder,
    dataDir: path.join(folder, "data"),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** A clone with one commit of these files. */
export function makeClone(dir: string, files: Files): string {
  writeFiles(dir, files);
  git(dir, "init", "--quiet", "--initial-branch=main");
  commitAll(dir, "first");
  return dir;
}

export function writeFiles(dir: string, files: Files): void {
  for (const [name, content] of Object.entries(files)) {
    const file = path.join(dir, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, content);
  }
}

export function commitAll(dir: string, message: string): string {
  git(dir, "add", "--all");
  git(dir, "commit", "--quiet", "--message", message);
  return git(dir, "rev-parse", "HEAD");
}

export function git(dir: string, ...args: string[]): string {
  const who = ["-c", "user.name=Maker", "-c", "user.email=maker@example.com"];
  return execFileSync("git", [...who, ...args], { cwd: dir, encoding: "utf8", stdio: "pipe" }).trim();
}

/** Everything below a folder, `.git` included: kind, mode, time of change and content of each entry. */
export function fingerprint(dir: string): Readonly<Record<string, string>> {
  const entries = readdirSync(dir, { recursive: true, withFileTypes: true });
  const seen = entries.map((entry): [string, string] => {
    const file = path.join(entry.parentPath, entry.name);
    const { mode, mtimeMs } = lstatSync(file);
    const content = entry.isFile() ? hash(readFileSync(file)) : entry.isSymbolicLink() ? readlinkSync(file) : "";
    return [path.relative(dir, file), `${mode} ${mtimeMs} ${content}`];
  });
  return Object.fromEntries(seen.sort(([a], [b]) => (a < b ? -1 : 1)));
}

function hash(content: Buffer): string {
  return createHash("sha256").update(content).digest("hex");
}

/** Whether a patch applies to a fresh clone with plain `git apply`; the clone with it in place. */
export function applyToFreshClone(from: string, patch: string): string {
  const fresh = mkdtempSync(path.join(path.dirname(from), "fresh-"));
  execFileSync("git", ["clone", "--quiet", from, fresh], { stdio: "pipe" });
  execFileSync("git", ["apply", "-"], { cwd: fresh, input: patch, stdio: "pipe" });
  return fresh;
}

export interface LogStep {
  readonly run: string;
  /** The folder it runs in, relative to the repository. */
  readonly in?: string;
  /** What it is said to have printed; without it the command is run and its own output taken. */
  readonly printed?: string;
  readonly exit?: number;
  /** Runs even after a failed step, as `if: always()` says. */
  readonly always?: boolean;
}

/** A raw job log as GitHub serves it: each step's command is really run, in a throw-away clone of `from`. */
export function recordLog(from: string, steps: readonly LogStep[], system = "Ubuntu"): string {
  const work = mkdtempSync(path.join(tmpdir(), "recorded-"));
  try {
    execFileSync("git", ["clone", "--quiet", from, work], { stdio: "pipe" });
    const lines = [...head(system)];
    let failed = false;
    for (const step of steps) {
      if (failed && step.always !== true) continue;
      const { exit, printed } = stepResult(step, work);
      lines.push(`##[group]Run ${step.run.split("\n")[0]}`);
      lines.push(...step.run.split("\n").map((line) => `\u001b[36;1m${line}\u001b[0m`));
      lines.push("shell: /usr/bin/bash -e {0}", "##[endgroup]");
      lines.push(...printed.replaceAll(work, "/home/runner/work/shelf/shelf").split("\n"));
      if (exit === 0) continue;
      lines.push(`##[error]Process completed with exit code ${exit}.`);
      failed = true;
    }
    lines.push("Post job cleanup.", "Cleaning up orphan processes");
    return stamp(lines);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

function stepResult(step: LogStep, work: string): { readonly exit: number; readonly printed: string } {
  if (step.printed !== undefined) return { exit: step.exit ?? 0, printed: step.printed };
  // A runner's own environment: no colours, and nothing of the test runner around us.
  const { PATH, HOME } = process.env;
  const ran = spawnSync("bash", ["-e", "-c", `${step.run.replaceAll("\r", "")}`], {
    cwd: path.join(work, step.in ?? ""),
    env: { PATH, HOME, CI: "true" },
    encoding: "utf8",
  });
  return { exit: ran.status ?? 1, printed: `${ran.stdout}${ran.stderr}`.trimEnd() };
}

function head(system: string): string[] {
  return [
    "Current runner version: '2.329.0'",
    "##[group]Operating System",
    system,
    "##[endgroup]",
    "Prepare workflow directory",
    "Complete job name: check",
    "##[group]Run actions/checkout@v4",
    "with:",
    "  repository: example/shelf",
    "##[endgroup]",
    "Syncing repository: example/shelf",
  ];
}

/** Lines with the times a runner puts before them. */
export function stamp(lines: readonly string[]): string {
  const start = Date.UTC(2026, 2, 2, 10, 0, 0);
  const stamped = lines.map((line, at) => `${new Date(start + at * 100).toISOString().slice(0, -1)}0000Z ${line}`);
  return `\uFEFF${stamped.join("\n")}\n`;
}
