import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openLogs } from "../../../src/adapters/logs/open-logs.ts";
import { zipLogs } from "../../../src/adapters/logs/zip-logs.ts";
import type { LogSource } from "../../../src/ports/log-source.ts";
import { UnreadableSource } from "../../../src/ports/log-source.ts";

let folder: string;
const at = (name: string): string => path.join(folder, name);

beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), "logs-"));
  mkdirSync(at("run/test (20)"), { recursive: true });
  mkdirSync(at("run/.git"));
  mkdirSync(at("empty"));
  writeFileSync(at("job.log"), "one\ntwo\n");
  writeFileSync(at("nothing.log"), "");
  writeFileSync(at("nul.log"), `${"ordinary text\n".repeat(50)}\u0000\n`);
  writeFileSync(at("picture.png"), Buffer.concat([Buffer.from("89504e470d0a1a0a", "hex"), Buffer.alloc(64)]));
  writeFileSync(at("run/10_build.txt"), "build\n");
  writeFileSync(at("run/2_test (20).txt"), "test\n");
  writeFileSync(at("run/test (20)/10_Post.txt"), "post\n");
  writeFileSync(at("run/test (20)/2_Run npm test.txt"), "step\n");
  writeFileSync(at("run/.git/config.txt"), "no log\n");
  writeFileSync(at("run/notes.json"), "{}");
  symlinkSync("/etc/hostname", at("run/leads-away.txt"));
  execFileSync("zip", ["-qr", at("run.zip"), ".", "-x", ".git/*", "leads-away.txt"], { cwd: at("run") });
  writeFileSync(at("zeros.txt"), "0".repeat(3_000_000));
  execFileSync("zip", ["-q", at("bomb.zip"), "zeros.txt"], { cwd: folder });
  writeFileSync(at("broken.zip"), "PK\u0003\u0004 and then nothing");
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function contents(source: LogSource): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const file of await source.files()) {
    const chunks: Uint8Array[] = [];
    for await (const chunk of file.chunks()) chunks.push(Buffer.from(chunk));
    found[file.name] = Buffer.concat(chunks).toString("utf8");
  }
  return found;
}

const ARCHIVE = {
  "2_test (20).txt": "test\n",
  "10_build.txt": "build\n",
  "test (20)/2_Run npm test.txt": "step\n",
  "test (20)/10_Post.txt": "post\n",
};

describe("opening logs", () => {
  it.each([
    ["a single file under its own name", "job.log", { "job.log": "one\ntwo\n" }],
    ["an empty file as an empty log", "nothing.log", { "nothing.log": "" }],
    ["a log with a stray NUL", "nul.log", { "nul.log": `${"ordinary text\n".repeat(50)}\u0000\n` }],
    ["an archive's folder, logs only", "run", ARCHIVE],
    ["a run archive", "run.zip", ARCHIVE],
  ])("reads %s", async (_name, source, expected) => {
    expect(await contents(openLogs(at(source)))).toEqual(expected);
  });

  it.each(["run", "run.zip"])("gives the jobs of %s by number before their steps", async (source) => {
    const names = (await openLogs(at(source)).files()).map((file) => file.name);

    expect(names).toEqual(Object.keys(ARCHIVE));
  });

  it.each([
    ["missing.log", "no such file or folder"],
    ["job.log/inside", "no such file or folder"],
    ["empty", "no log (.txt or .log) in folder"],
    ["picture.png", "is not a log but a PNG image"],
    ["broken.zip", "is a broken archive"],
  ])("refuses %s in one clear line", async (source, message) => {
    const reading = contents(openLogs(at(source)));

    await expect(reading).rejects.toThrow(UnreadableSource);
    const error = await reading.catch((reason: Error) => reason);
    expect((error as Error).message).toContain(message);
    expect((error as Error).message).not.toContain("\n");
  });

  it.each([
    [
      "an entry that unpacks too far",
      "bomb.zip",
      { entries: 10, entryBytes: 1_000_000, totalBytes: 9_000_000 },
      "would unpack",
    ],
    [
      "entries that unpack too far together",
      "run.zip",
      { entries: 10, entryBytes: 100, totalBytes: 8 },
      "would unpack",
    ],
    ["too many entries", "run.zip", { entries: 2, entryBytes: 100, totalBytes: 100 }, "more than 2 entries"],
  ])("refuses an archive with %s", async (_name, file, limits, message) => {
    const error = await zipLogs(at(file), limits)
      .files()
      .then(
        () => null,
        (reason: Error) => reason,
      );

    expect(error).toBeInstanceOf(UnreadableSource);
    expect(error?.message).toContain(message);
  });
});
