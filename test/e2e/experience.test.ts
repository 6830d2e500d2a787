import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { commitAll, git, makeClone, makePlace, recordLog, writeFiles } from "./clones.ts";
import { ensureBuilt, retrace } from "./command-line.ts";
import { wrongSum } from "./shelves.ts";

const place = makePlace();
const clone = path.join(place.folder, "shelf");
const log = path.join(place.folder, "ci.log");
const env = { RETRACE_DATA_DIR: place.dataDir };
const run = (...args: string[]) => retrace(args, { env, cwd: place.folder });
const memory = (...args: string[]) => run("experience", ...args);
let learn: readonly string[];

beforeAll(async () => {
  await ensureBuilt();
  makeClone(clone, wrongSum());
  writeFileSync(log, recordLog(clone, [{ run: "npm test" }]));
  const fail = git(clone, "rev-parse", "HEAD");
  writeFiles(clone, { "src/shelf.js": "export const left = (shelf) => shelf.room - shelf.used;\n" });
  const pass = commitAll(clone, "Take off what is used");
  learn = ["learn", "--repo", "shelf", "--fail", fail, "--pass", pass, "--log", "ci.log", "--as", "acme/shelf"];
});
afterAll(() => place.remove());

describe("the memory on the command line", () => {
  it("is empty before anything was learned, and says how to fill it", async () => {
    expect(await memory("list")).toEqual({
      code: 0,
      stdout: "Nothing has been learned yet: `retrace learn` reads a repository's past repairs.\n",
      stderr: "",
    });
  });

  it("holds what was learned once, shows it, finds it, takes it along, and forgets it for good", {
    timeout: 120_000,
  }, async () => {
    const first = await run(...learn);
    const again = await run(...learn);
    expect([first.code, again.code]).toEqual([0, 0]);
    expect(first.stderr).toMatch(/kept in memory: exp_l1_[0-9a-f]{16}, exp_l2_[0-9a-f]{16}/);
    expect(again.stderr).toContain("in memory already");

    const listed = JSON.parse((await memory("list", "--json", "--as", "acme/shelf")).stdout);
    expect(listed.records.map((record: { level: string }) => record.level)).toEqual(["L1", "L2"]);
    expect(listed.stats).toEqual({ records: { L1: 1, L2: 1, L3: 0 }, quarantined: 0, retired: 0, episodes: 1 });
    const id: string = listed.records[0].meta.id;

    const shown = await memory("show", id.slice(0, 15));
    expect(shown.stdout).toContain("src/shelf.js");
    expect(shown.stdout).toMatch(/checked\s+npm test \(failed → successful\)/);
    expect((await memory("list")).stdout).toContain(`  ${id}  `);
    expect((await memory("search", "shelf.js", "left")).stdout).toContain(id);
    expect(JSON.parse((await memory("recurrence", "--json")).stdout)).toMatchObject({
      paper: { structural: 0.436, lexical: 0.811 },
      repositories: [{ repo: "acme/shelf", episodes: 1, structural: null, lexical: null }],
      patterns: [],
    });
    expect((await memory("recurrence")).stdout).toContain("0.436");

    const exported = await memory("export");
    const file = path.join(place.folder, "memory.jsonl");
    writeFileSync(file, exported.stdout);
    const elsewhere = { RETRACE_DATA_DIR: path.join(place.folder, "other") };
    const taken = await retrace(["experience", "import", file], { env: elsewhere });
    expect(taken).toMatchObject({ code: 0, stdout: expect.stringContaining("3 lines taken over") });
    expect((await retrace(["experience", "export"], { env: elsewhere })).stdout).toBe(exported.stdout);

    const before = await memory("list", "--json");
    expect((await memory("rebuild")).code).toBe(0);
    expect(await memory("list", "--json")).toEqual(before);
    expect(await memory("check")).toMatchObject({ code: 0, stdout: expect.stringContaining("Nothing is wrong.") });

    const forgot = await memory("forget", id);
    expect(forgot.stdout).toContain(`Forgot ${id}`);
    expect(forgot.stdout).toContain(listed.records[1].meta.id);
    expect((await run(...learn)).stderr).toContain("was not kept: it was forgotten");
    expect(JSON.parse((await memory("list", "--json")).stdout).records).toEqual([]);
  });

  it("is told to be wrong where it is, with exit 1", async () => {
    const broken = path.join(place.folder, "other/experience/local/acme+shelf");
    const [workflow = ""] = readdirSync(broken);
    const file = path.join(broken, workflow, "l1.jsonl");
    writeFileSync(file, `${readFileSync(file, "utf8")}{"half":\n`);

    const checked = await retrace(["experience", "check"], {
      env: { RETRACE_DATA_DIR: path.join(place.folder, "other") },
    });

    expect(checked).toMatchObject({ code: 1, stdout: expect.stringContaining(`${workflow}/l1.jsonl:2: is not JSON`) });
  });

  it.each<readonly [string, readonly string[], number, RegExp]>([
    ["an unknown id", ["show", "exp_nothing"], 2, /there is no record exp_nothing/],
    ["an unknown id to forget", ["forget", "exp_nothing"], 2, /there is no record exp_nothing/],
    ["an unknown command", ["recall"], 2, /unknown command 'recall'/],
    ["a scope that is none", ["list", "--as", "shelf"], 2, /write OWNER\/NAME/],
    ["a level that is none", ["list", "--level", "L4"], 2, /L1, L2, L3/],
    ["a file that is not there", ["import", "nowhere.jsonl"], 2, /nowhere\.jsonl cannot be read \(ENOENT\)/],
    ["a file that is no export", ["import", "ci.log"], 2, /nothing in ci\.log can be taken over: line 1: is not JSON/],
  ])("takes %s with one line", async (_, args, code, says) => {
    const ran = await memory(...args);

    expect([ran.code, ran.stdout, ran.stderr.trimEnd().split("\n").length]).toEqual([code, "", 1]);
    expect(ran.stderr).toMatch(says);
  });

  it("cannot work where nothing can be written", async () => {
    const file = path.join(place.folder, "ci.log");

    expect(await retrace(["experience", "list"], { env: { RETRACE_DATA_DIR: path.join(file, "data") } })).toMatchObject(
      {
        code: 3,
        stdout: "",
        stderr: expect.stringMatching(/^retrace: RETRACE_DATA_DIR: .* cannot be written\n$/),
      },
    );
  });
});
