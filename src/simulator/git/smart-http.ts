import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import type { ServerResponse } from "node:http";
import path from "node:path";
import type { RefChange } from "./ref-change.ts";
import { gitEnvironment } from "./run-git.ts";

/** One request of git's smart HTTP protocol, read whole. */
export interface GitRequest {
  readonly folder: string;
  readonly toolPath: string;
  readonly method: string;
  /** Below the repository: `/info/refs`, `/git-upload-pack`, `/git-receive-pack`. */
  readonly pathInfo: string;
  readonly query: string;
  readonly contentType: string;
  readonly protocol: string;
  readonly body: Buffer;
}

/** Lets `git http-backend` answer, as a web server would through CGI. */
export function serveGit(request: GitRequest, response: ServerResponse): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn("git", ["http-backend"], {
      env: {
        ...gitEnvironment(request.toolPath),
        GIT_PROJECT_ROOT: request.folder,
        GIT_HTTP_EXPORT_ALL: "1",
        PATH_INFO: request.pathInfo,
        REQUEST_METHOD: request.method,
        QUERY_STRING: request.query,
        CONTENT_TYPE: request.contentType,
        CONTENT_LENGTH: String(request.body.length),
        REMOTE_USER: "simulated",
        GIT_PROTOCOL: request.protocol,
      },
      stdio: ["pipe", "pipe", "ignore"],
    });
    let head: Buffer | null = Buffer.alloc(0);
    let status = 200;
    child.stdout.on("data", (chunk: Buffer) => {
      if (head === null) return void response.write(chunk);
      head = Buffer.concat([head, chunk]);
      const end = head.indexOf("\r\n\r\n");
      if (end < 0) return;
      const headers = head.subarray(0, end).toString("latin1").split("\r\n").map(headerOf);
      status = Number(headers.find(([name]) => name === "status")?.[1].slice(0, 3) ?? 200);
      response.writeHead(status, Object.fromEntries(headers.filter(([name]) => name !== "status")));
      response.write(head.subarray(end + 4));
      head = null;
    });
    child.stdin.on("error", () => {}); // the backend may answer before it has read everything
    child.on("error", reject);
    child.on("close", () => {
      if (head !== null) response.writeHead(500);
      response.end();
      resolve(head === null ? status : 500);
    });
    child.stdin.end(request.body);
  });
}

function headerOf(line: string): [string, string] {
  const colon = line.indexOf(":");
  return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
}

export interface PushOrder {
  readonly changes: readonly RefChange[];
  readonly capabilities: readonly string[];
  readonly pack: Buffer;
}

/** Reads what a push asks for from the body of `git-receive-pack`. */
export function readPush(body: Buffer): PushOrder {
  const changes: RefChange[] = [];
  let capabilities: string[] = [];
  let at = 0;
  for (;;) {
    const length = Number.parseInt(body.toString("latin1", at, at + 4), 16);
    if (!(length >= 4)) break;
    const [command = "", offered] = body
      .toString("utf8", at + 4, at + length)
      .replace(/\n$/, "")
      .split("\0");
    const [before = "", after = "", ref = ""] = command.split(" ");
    if (offered !== undefined) capabilities = offered.trim().split(" ");
    // A push out of a shallow clone begins with where its history ends.
    if (before !== "shallow") changes.push({ before, after, ref });
    at += length;
  }
  return { changes, capabilities, pack: body.subarray(at + 4) };
}

/** Answers a push with a refusal of every ref, in the words that git then prints after `[remote rejected]`. */
export function refusePush({ changes, capabilities }: PushOrder, reason: string, response: ServerResponse): void {
  const report = [pkt("unpack ok\n"), ...changes.map(({ ref }) => pkt(`ng ${ref} ${reason}\n`)), FLUSH].join("");
  const isBanded = capabilities.includes("side-band-64k");
  response.writeHead(200, {
    "content-type": "application/x-git-receive-pack-result",
    "cache-control": "no-cache",
  });
  response.end(isBanded ? pkt(`\u0001${report}`) + FLUSH : report);
}

const FLUSH = "0000";

function pkt(text: string): string {
  return (Buffer.byteLength(text) + 4).toString(16).padStart(4, "0") + text;
}

/**
 * Makes the objects of a pack readable beside the repository's own, without letting them in, while `look` works. The
 * environment it is given is for git commands in that repository.
 */
export async function withQuarantine<T>(
  { folder, toolPath, scratch }: { folder: string; toolPath: string; scratch: string },
  pack: Buffer,
  look: (env: Readonly<Record<string, string>>) => Promise<T>,
): Promise<T> {
  const objects = await mkdtemp(path.join(scratch, "quarantine-"));
  const env = { GIT_OBJECT_DIRECTORY: objects, GIT_ALTERNATE_OBJECT_DIRECTORIES: path.join(folder, "objects") };
  try {
    if (pack.length > 0) await unpack(folder, toolPath, pack, env);
    return await look(env);
  } finally {
    await rm(objects, { recursive: true, force: true });
  }
}

function unpack(folder: string, toolPath: string, pack: Buffer, env: Readonly<Record<string, string>>): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn("git", ["unpack-objects", "-q"], {
      cwd: folder,
      env: { ...gitEnvironment(toolPath), ...env },
      stdio: ["pipe", "ignore", "ignore"],
    });
    child.stdin.on("error", () => {});
    child.on("error", reject);
    // A pack that cannot be read is git-receive-pack's to refuse, not ours.
    child.on("close", () => resolve());
    child.stdin.end(pack);
  });
}
