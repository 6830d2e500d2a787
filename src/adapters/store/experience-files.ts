import {
  closeSync,
  existsSync,
  fdatasyncSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import path from "node:path";
import type { ExperienceScope, Level } from "../../domain/experience.ts";

// Records quote code of private repositories: for the account that runs us, nobody else.
const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;

/** Where a record lies, relative to the store: `<tenant>/<repo>/<workflow>/l1.jsonl`; patterns at `<tenant>/l3.jsonl`. */
export function recordFile({ tenant, repo, workflow }: ExperienceScope, level: Level): string {
  const name = `${level.toLowerCase()}.jsonl`;
  return repo === null ? path.join(asFolder(tenant), name) : path.join(workflowFolder(tenant, repo, workflow), name);
}

export function episodeFile({ tenant, repo, workflow }: ExperienceScope & { readonly repo: string }): string {
  return path.join(workflowFolder(tenant, repo, workflow), "episodes.jsonl");
}

export function repositoryFolder(tenant: string, repo: string): string {
  return path.join(asFolder(tenant), asFolder(repo));
}

export function tenantFolder(tenant: string): string {
  return asFolder(tenant);
}

function workflowFolder(tenant: string, repo: string, workflow: string | null): string {
  const name = workflow?.replace(/^\.github\/workflows\//, "") ?? "no workflow";
  return path.join(repositoryFolder(tenant, repo), asFolder(name));
}

// File systems take 255 bytes for a name.
const NAME_CHARACTERS = 120;

/** A name as one folder: readable, nothing that leads elsewhere, never hidden. The record itself says what it belongs to. */
function asFolder(name: string): string {
  const safe = name.replaceAll("/", "+").replace(/[^\w.+-]/g, (char) => `%${char.codePointAt(0)?.toString(16)}`);
  return (safe.startsWith(".") ? `%2e${safe.slice(1)}` : safe).slice(0, NAME_CHARACTERS);
}

/** Every file of records, sorted, relative to the store. */
export function storeFiles(root: string): readonly string[] {
  if (!existsSync(root)) return [];
  return readdirSync(root, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".jsonl"))
    .sort();
}

/** Null when it is not there. The inode tells a file that was written anew from one that only grew. */
export function fileState(file: string): { readonly inode: number; readonly bytes: number } | null {
  const found = statSync(file, { throwIfNoEntry: false });
  return found === undefined ? null : { inode: found.ino, bytes: found.size };
}

/** Appends whole lines. They are on disk once `syncFile` has returned. */
export function appendLines(file: string, lines: readonly string[]): void {
  const isNew = !existsSync(file);
  if (isNew) mkdirSync(path.dirname(file), { recursive: true, mode: FOLDER_MODE });
  const handle = openSync(file, "a", FILE_MODE);
  try {
    writeAll(handle, Buffer.from(lines.map((line) => `${line}\n`).join("")));
  } finally {
    closeSync(handle);
  }
  if (isNew) syncFolder(path.dirname(file));
}

/** What was appended to a file is on disk when it returns; a file that is gone by now needs nothing. */
export function syncFile(file: string): void {
  if (!existsSync(file)) return;
  const handle = openSync(file, "r+");
  try {
    fdatasyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

export interface ReadLines {
  readonly lines: readonly string[];
  /** Bytes of an unfinished last line; 0 when there is none. */
  readonly torn: number;
  /** Where the last whole line ends. */
  readonly end: number;
}

const CHUNK_BYTES = 1 << 20;

/** The whole lines from a byte on. */
export function readLinesFrom(file: string, from: number): ReadLines {
  const handle = openSync(file, "r");
  try {
    const { size } = fstatSync(handle);
    const chunks: Buffer[] = [];
    for (let at = from; ; ) {
      const chunk = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, Math.max(1, size - at)));
      const read = readSync(handle, chunk, 0, chunk.length, at);
      if (read === 0) break;
      chunks.push(chunk.subarray(0, read));
      at += read;
    }
    const bytes = Buffer.concat(chunks);
    const end = bytes.lastIndexOf(0x0a) + 1;
    const text = bytes.subarray(0, end).toString("utf8");
    return { lines: text === "" ? [] : text.slice(0, -1).split("\n"), torn: bytes.length - end, end: from + end };
  } finally {
    closeSync(handle);
  }
}

/** Cuts a file off after `bytes`. */
export function cutFile(file: string, bytes: number): void {
  const handle = openSync(file, "r+");
  try {
    ftruncateSync(handle, bytes);
    fdatasyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/** Puts other lines in the place of a file's, all or nothing; without lines the file goes. */
export function replaceLines(file: string, lines: readonly string[]): void {
  if (lines.length === 0) {
    rmSync(file, { force: true });
    syncFolder(path.dirname(file));
    return;
  }
  const young = `${file}.new`;
  const handle = openSync(young, "w", FILE_MODE);
  try {
    writeAll(handle, Buffer.from(lines.map((line) => `${line}\n`).join("")));
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
  renameSync(young, file);
  syncFolder(path.dirname(file));
}

/** Removes a folder of the store with everything in it. */
export function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
  if (existsSync(path.dirname(folder))) syncFolder(path.dirname(folder));
}

function writeAll(handle: number, bytes: Buffer): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(handle, bytes, at);
}

function syncFolder(folder: string): void {
  const handle = openSync(folder, "r");
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
