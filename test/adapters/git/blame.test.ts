import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { gitHistories } from "../../../src/adapters/git/history.ts";
import type { History } from "../../../src/ports/history.ts";
import { type WrittenCommit, type WrittenHistory, writeHistory } from "../../fakes/written-history.ts";

const cleanUp: (() => unknown)[] = [];
afterEach(async () => {
  for (const one of cleanUp.splice(0).reverse()) await one();
});

async function opened(commits: readonly WrittenCommit[]): Promise<{ written: WrittenHistory; history: History }> {
  const written = writeHistory(commits);
  const history = await gitHistories({}).open(written.dir);
  cleanUp.push(written.remove, () => history.close());
  return { written, history };
}

const PRICE = "export function price(net) {\n  const rate = 0.19;\n  return net + net * rate;\n}\n";

describe("blame", () => {
  it("names the commit and the file's name there, through a rename, past white space", async () => {
    const { written, history } = await opened([
      { files: { "price.js": PRICE } },
      { files: { "price.js": PRICE.replace("0.19", "0.16") } },
      { files: { "price.js": null, "src/price.js": PRICE.replace("0.19", "0.16") } },
      { files: { "src/price.js": PRICE.replace("0.19", "0.16").replaceAll("  ", "\t") } },
    ]);
    const [first, second, , last = ""] = written.shas;

    const lines = await history.blame(last, "src/price.js", [{ start: 2, end: 3 }], []);

    expect(lines).toEqual([
      { line: 2, from: 2, sha: second, path: "price.js", boundary: false },
      { line: 3, from: 3, sha: first, path: "price.js", boundary: false },
    ]);
  });

  it("looks past ignored commits, and over ids that are none", async () => {
    const { written, history } = await opened([
      { files: { "a.py": "x = 1\ny = 2\n" } },
      { files: { "a.py": "x = 1  # one\ny = 2\n" } },
    ]);
    const [first, second = ""] = written.shas;

    const lines = await history.blame(second, "a.py", [{ start: 1, end: 1 }], [second, "0".repeat(40), "not an id"]);

    expect(lines.map(({ sha }) => sha)).toEqual([first]);
  });

  it("leaves out lines that the file does not have", async () => {
    const { written, history } = await opened([{ files: { "a.py": "x = 1\n" } }]);
    const [only = ""] = written.shas;

    expect(await history.blame(only, "a.py", [{ start: 2, end: 9 }], [])).toEqual([]);
    expect(await history.blame(only, "a.py", [{ start: 1, end: 9 }], [])).toHaveLength(1);
  });

  it("says where a shallow clone ends, which a first commit is not", async () => {
    const { written } = await opened([
      { files: { "a.py": "x = 1\n" } },
      { files: { "a.py": "x = 1\ny = 2\n" } },
      { files: { "a.py": "x = 1\ny = 2\nz = 3\n" } },
    ]);
    const shallow = mkdtempSync(path.join(tmpdir(), "shallow-"));
    cleanUp.push(() => rmSync(shallow, { recursive: true, force: true }));
    execFileSync("git", ["clone", "-q", "--depth", "2", `file://${written.dir}`, shallow]);
    const history = await gitHistories({}).open(shallow);
    cleanUp.push(() => history.close());
    const whole = await gitHistories({}).open(written.dir);
    cleanUp.push(() => whole.close());
    const [first, second, third = ""] = written.shas;
    const all = [{ start: 1, end: 3 }];

    const seen = (lines: readonly { sha: string; boundary: boolean }[]) =>
      lines.map(({ sha, boundary }) => [sha, boundary]);
    expect(seen(await history.blame(third, "a.py", all, []))).toEqual([
      [second, true],
      [second, true],
      [third, false],
    ]);
    expect(seen(await whole.blame(third, "a.py", all, []))).toEqual([
      [first, false],
      [second, false],
      [third, false],
    ]);
  });
});

describe("the facts of a commit", () => {
  it("tells its parent, its words and its files, renames found", async () => {
    const { written, history } = await opened([
      { files: { "price.js": PRICE, "old.txt": "gone\n" } },
      { files: { "price.js": null, "src/price.js": PRICE, "old.txt": null, "new.txt": "n\n" }, subject: "move it" },
    ]);
    const [first = "", second = ""] = written.shas;

    const facts = await history.facts(second);

    expect({ ...facts, files: [...facts.files].sort((a, b) => `${a.newPath}`.localeCompare(`${b.newPath}`)) }).toEqual({
      sha: second,
      parent: first,
      date: expect.stringMatching(/^2023-11-14T/),
      message: "move it",
      files: [
        { oldPath: null, newPath: "new.txt" },
        { oldPath: "old.txt", newPath: null },
        { oldPath: "price.js", newPath: "src/price.js" },
      ],
      whitespaceOnly: false,
    });
    expect((await history.facts(first)).parent).toBeNull();
  });

  it.each([
    ["indentation and blank lines", PRICE.replaceAll("  ", "\t").replace("{\n", "{\n\n"), true],
    ["a word too", PRICE.replaceAll("  ", "\t").replace("rate;", "vat;"), false],
  ])("knows a change of %s", async (_, text, whitespaceOnly) => {
    const { written, history } = await opened([{ files: { "price.js": PRICE } }, { files: { "price.js": text } }]);

    expect((await history.facts(written.shas[1] ?? "")).whitespaceOnly).toBe(whitespaceOnly);
  });
});

describe("lines of work", () => {
  it("knows what one has that the other has not, and where they part", async () => {
    const { written, history } = await opened([
      { files: { a: "1\n" } },
      { files: { a: "2\n" }, parents: [0] },
      { files: { b: "3\n" }, parents: [0] },
      { files: { b: "4\n" }, parents: [2] },
      { files: { c: "5\n" }, parents: [] },
    ]);
    const [base, main = "", one, head = "", alone = ""] = written.shas;

    expect(await history.between(main, head)).toEqual(new Set([one, head]));
    expect(await history.mergeBase(main, head)).toBe(base);
    expect(await history.mergeBase(main, alone)).toBeNull();
  });
});
