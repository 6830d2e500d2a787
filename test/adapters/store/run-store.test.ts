import { mkdirSync, mkdtempSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { fileRunStore } from "../../../src/adapters/store/run-store.ts";

let dataDir: string;
beforeEach(() => {
  dataDir = path.join(mkdtempSync(path.join(tmpdir(), "run-store-")), "data");
});

const linesOf = (file: string): unknown[] =>
  readFileSync(file, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));

describe("a transcript on disk", () => {
  it("is a file of JSON lines for its owner only", async () => {
    const transcript = await fileRunStore(dataDir).openTranscript("repair_1", "p1-base-1");

    await transcript.append({ kind: "prompt", text: "two\nlines" });
    await transcript.append({ kind: "end" });

    expect(path.relative(dataDir, transcript.path)).toBe("transcripts/repair_1/p1-base-1.jsonl");
    expect(linesOf(transcript.path)).toEqual([{ kind: "prompt", text: "two\nlines" }, { kind: "end" }]);
    expect([statSync(transcript.path).mode & 0o777, statSync(path.dirname(transcript.path)).mode & 0o777]).toEqual([
      0o600, 0o700,
    ]);
  });

  it("keeps its entries whole and in order when they are written at once", async () => {
    const transcript = await fileRunStore(dataDir).openTranscript("repair_1", "many");
    const entries = Array.from({ length: 20 }, (_, at) => ({ at, text: "x".repeat(100_000) }));

    await Promise.all(entries.map((entry) => transcript.append(entry)));

    expect(linesOf(transcript.path)).toEqual(entries);
  });

  it("is continued when it is there, and closed to others from then on", async () => {
    const folder = path.join(dataDir, "transcripts", "repair_1");
    mkdirSync(folder, { recursive: true });
    writeFileSync(path.join(folder, "a.jsonl"), '{"kind":"before"}\n', { mode: 0o644 });

    const transcript = await fileRunStore(dataDir).openTranscript("repair_1", "a");
    await transcript.append({ kind: "after" });

    expect(linesOf(transcript.path)).toEqual([{ kind: "before" }, { kind: "after" }]);
    expect(statSync(transcript.path).mode & 0o777).toBe(0o600);
  });

  it.each([
    ["../../etc", "passwd", "transcripts/_..-..-etc/passwd.jsonl"],
    ["", ".", "transcripts/_/_..jsonl"],
    ["owner/name#1", "p 1", "transcripts/owner-name-1/p-1.jsonl"],
  ])("stays in the data folder for the ids %j and %j", async (repair, attempt, place) => {
    const transcript = await fileRunStore(dataDir).openTranscript(repair, attempt);

    expect(path.relative(dataDir, transcript.path)).toBe(place);
  });

  it("cannot be opened where the data folder cannot be made", async () => {
    mkdirSync(path.dirname(dataDir), { recursive: true });
    writeFileSync(dataDir, "a file");

    await expect(fileRunStore(dataDir).openTranscript("a", "b")).rejects.toThrow("ENOTDIR");
  });
});
