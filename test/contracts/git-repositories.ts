import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { onTestFinished } from "vitest";

const ENV = {
  PATH: "/usr/local/bin:/usr/bin:/bin",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_AUTHOR_NAME: "Ada",
  GIT_AUTHOR_EMAIL: "ada@example.org",
  GIT_COMMITTER_NAME: "Ada",
  GIT_COMMITTER_EMAIL: "ada@example.org",
};

/** Plain git, as a person would call it. Throws when it fails. */
export function git(cwd: string, ...args: string[]): string {
  return execFileSync("git", args, { cwd, env: ENV, encoding: "utf8", stdio: ["pipe", "pipe", "pipe"] });
}

/** `git apply` with the patch on standard input. */
export function gitApply(cwd: string, patch: string): void {
  execFileSync("git", ["apply", "-"], { cwd, env: ENV, input: patch, stdio: ["pipe", "pipe", "pipe"] });
}

/** A folder that goes away after the test. */
export function tempFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), "retrace-test-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** What a file is to become: text, bytes, a link, an executable, or gone. */
export type FileSpec = string | Buffer | { readonly link: string } | { readonly script: string } | null;

/** Writes files below a folder; names may be bytes that are no UTF-8, given as latin1. */
export function write(root: string, files: Readonly<Record<string, FileSpec>>): void {
  for (const [name, spec] of Object.entries(files)) {
    const full = Buffer.concat([Buffer.from(`${root}/`), nameBytes(name)]);
    rmSync(full as unknown as string, { recursive: true, force: true });
    if (spec === null) continue;
    mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
    if (typeof spec === "string" || Buffer.isBuffer(spec)) writeFileSync(full, spec);
    else if ("link" in spec) symlinkSync(spec.link, full);
    else {
      writeFileSync(full, spec.script);
      chmodSync(full, 0o755);
    }
  }
}

function nameBytes(name: string): Buffer {
  return /[\x80-\xff]/.test(name) && !/[^\x00-\xff]/.test(name) ? Buffer.from(name, "latin1") : Buffer.from(name);
}

/** A repository with one commit of these files on `main`. */
export function repository(files: Readonly<Record<string, FileSpec>>): string {
  const root = path.join(tempFolder(), "clone");
  mkdirSync(root);
  git(root, "init", "-q", "-b", "main");
  commit(root, files);
  return root;
}

/** Writes and commits; returns the commit id. */
export function commit(root: string, files: Readonly<Record<string, FileSpec>>, message = "a change"): string {
  write(root, files);
  git(root, "add", "-A");
  git(root, "commit", "-q", "--allow-empty", "-m", message);
  return git(root, "rev-parse", "HEAD").trim();
}

/** Every entry below a folder: kind, mode, time and content. Two equal listings: not a byte was written in between. */
export function fingerprint(root: string): Record<string, string> {
  const found: Record<string, string> = {};
  const walk = (folder: string): void => {
    for (const name of readdirSync(folder).sort()) {
      const full = path.join(folder, name);
      const { mode, mtimeNs } = lstatSync(full, { bigint: true });
      found[path.relative(root, full)] = `${mode.toString(8)} ${mtimeNs} ${contentOf(full)}`;
      if (lstatSync(full).isDirectory()) walk(full);
    }
  };
  walk(root);
  return found;
}

/** The files below a folder by content, `.git` left out; names and content as latin1, one character for each byte. */
export function files(root: string): Record<string, string> {
  const found: Record<string, string> = {};
  const walk = (folder: string): void => {
    for (const entry of readdirSync(Buffer.from(`${root}/${folder}`, "latin1"), {
      withFileTypes: true,
      encoding: "buffer",
    })) {
      const name = folder + entry.name.toString("latin1");
      const full = Buffer.from(`${root}/${name}`, "latin1");
      if (entry.name.toString() === ".git") continue;
      if (entry.isDirectory()) walk(`${name}/`);
      else {
        const executable = entry.isFile() && (lstatSync(full).mode & 0o100) !== 0;
        found[name] = `${executable ? "x " : ""}${contentOf(full)}`;
      }
    }
  };
  walk("");
  return found;
}

function contentOf(full: string | Buffer): string {
  const found = lstatSync(full);
  if (found.isSymbolicLink()) return `-> ${readlinkSync(full)}`;
  if (!found.isFile()) return "";
  const bytes = readFileSync(full);
  return bytes.length < 200
    ? JSON.stringify(bytes.toString("latin1"))
    : createHash("sha256").update(bytes).digest("hex");
}
