import { type FileHandle, open, stat } from "node:fs/promises";
import type { LogSource } from "../../ports/log-source.ts";
import { UnreadableSource } from "../../ports/log-source.ts";
import { fileLogs } from "./file-logs.ts";
import { folderLogs } from "./folder-logs.ts";
import { isZip } from "./text-check.ts";
import { zipLogs } from "./zip-logs.ts";

/** The logs at `path`: one raw job log, a run archive (.zip) or the folder it was unpacked to. Nothing is opened before `files()`. */
export function openLogs(path: string): LogSource {
  return {
    files: async () => {
      const kind = await kindOf(path);
      const source = { folder: folderLogs, zip: zipLogs, file: fileLogs }[kind](path);
      return source.files();
    },
  };
}

async function kindOf(path: string): Promise<"folder" | "zip" | "file"> {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    throw new UnreadableSource(`cannot read ${path}: ${reason(error)}`);
  });
  if (found.isDirectory()) return "folder";
  if (!found.isFile()) throw new UnreadableSource(`cannot read ${path}: it is neither a file nor a folder`);
  return isZip(await firstBytes(path)) ? "zip" : "file";
}

async function firstBytes(path: string): Promise<Uint8Array> {
  let file: FileHandle | null = null;
  try {
    file = await open(path);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(4), 0, 4, 0);
    return buffer.subarray(0, bytesRead);
  } catch (error) {
    throw new UnreadableSource(`cannot read ${path}: ${reason(error as NodeJS.ErrnoException)}`);
  } finally {
    await file?.close();
  }
}

function reason(error: NodeJS.ErrnoException): string {
  if (error.code === "ENOENT" || error.code === "ENOTDIR") return "no such file or folder";
  if (error.code === "EACCES" || error.code === "EPERM") return "permission denied";
  return error.code ?? error.message;
}
