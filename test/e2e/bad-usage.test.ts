import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fingerprint, makeClone, makePlace, recordLog } from "./clones.ts";
import { ensureBuilt, retrace } from "./command-line.ts";
import { wrongSum } from "./shelves.ts";
import { leftovers } from "./traces.ts";

const place = makePlace();
const clone = path.join(place.folder, "shelf");
const log = path.join(place.folder, "ci.log");
const env = { RETRACE_DATA_DIR: place.dataDir };

beforeAll(async () => {
  await ensureBuilt();
  makeClone(clone, wrongSum());
  writeFileSync(log, recordLog(clone, [{ run: "npm test" }]));
  writeFileSync(path.join(place.folder, "not.json"), "{ not json\n");
  writeFileSync(path.join(place.folder, "other.json"), '{ "total": 1 }\n');
  mkdirSync(path.join(place.folder, "no-clone"));
});
afterAll(() => place.remove());

const REPAIR = ["repair", "--repo", "shelf", "--log", "ci.log"];

/** Run in the place's folder; what stderr must say in its one line. */
const MISTAKES: readonly (readonly [string, readonly string[], RegExp])[] = [
  ["an unknown command", ["mend"], /unknown command 'mend'/],
  ["an unknown option", [...REPAIR, "--colour"], /unknown option '--colour'/],
  ["a missing option", ["repair", "--log", "ci.log"], /'--repo <dir>' not specified/],
  ["an unknown engine", [...REPAIR, "--engine", "magic"], /'magic' is invalid/],
  ["a price that is none", [...REPAIR, "--max-usd", "much"], /--max-usd/],
  ["--patch with --apply", [...REPAIR, "--patch", "a.patch", "--apply"], /--patch and --apply do not go together/],
  ["a log that is not there", ["repair", "--repo", "shelf", "--log", "gone.log"], /gone\.log/],
  ["a log that is not there, explained", ["explain", "gone.log"], /gone\.log/],
  ["a workflow that is not there", [...REPAIR, "--workflow", "gone.yml"], /--workflow: gone\.yml cannot be read/],
  ["a run answer that is no JSON", [...REPAIR, "--run-json", "not.json"], /not\.json/],
  ["a run answer of another shape", [...REPAIR, "--run-json", "other.json"], /other\.json/],
  ["a run answer that is not there", [...REPAIR, "--run-json", "gone.json"], /--run-json: gone\.json cannot be read/],
  ["a folder that is no clone", ["repair", "--repo", "no-clone", "--log", "ci.log"], /no-clone/],
  ["a clone that is not there", ["repair", "--repo", "gone", "--log", "ci.log"], /gone/],
  ["a commit that is not there", [...REPAIR, "--at", "deadbeef"], /no commit deadbeef/],
  ["a branch name git does not take", [...REPAIR, "--branch", "a..b"], /a\.\.b/],
  [
    "labelled lines without labels",
    [...REPAIR, "--localization", "line"],
    /--localization line takes the places from --locations/,
  ],
  [
    "labels beside what CI says",
    [...REPAIR, "--locations", "other.json"],
    /--locations goes with --localization line or method/,
  ],
  [
    "labels of another shape",
    [...REPAIR, "--localization", "method", "--locations", "other.json"],
    /--locations: other\.json is no array of/,
  ],
  [
    "a patch into a folder that is not there",
    [...REPAIR, "--patch", "gone/a.patch"],
    /gone\/a\.patch cannot be written/,
  ],
];

describe("bad usage", () => {
  it.each(MISTAKES)("%s ends with 2, one line on stderr and nothing on stdout", async (_what, args, says) => {
    const json = args[0] === "mend" ? args : [...args, "--json"];

    const { code, stdout, stderr } = await retrace(json, { env, cwd: place.folder });

    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(/^retrace: [^\n]+\n$/);
    expect(stderr).toMatch(says);
  });
});

describe("something missing here", () => {
  const model = { OPENAI_BASE_URL: "http://127.0.0.1:9/v1" };
  const before = (): Readonly<Record<string, string>> => fingerprint(clone);

  it.each([
    ["an engine that needs a model, without one", [...REPAIR, "--engine", "base"], {}, /the engine base needs a model/],
    [
      "a coding agent without its command",
      [...REPAIR, "--engine", "external"],
      {},
      /the engine external needs the command of a coding agent: set RETRACE_EXTERNAL_COMMAND/,
    ],
    ["a model without its name", REPAIR, model, /RETRACE_MODEL is not set/],
    ["a data folder that cannot be written", REPAIR, { RETRACE_DATA_DIR: "/dev/null/data" }, /RETRACE_DATA_DIR/],
    ["a sandbox that is not part of this version", REPAIR, { RETRACE_SANDBOX: "podman" }, /RETRACE_SANDBOX=podman/],
    ["an unknown sandbox", REPAIR, { RETRACE_SANDBOX: "hope" }, /RETRACE_SANDBOX is "hope"/],
  ] as const)("%s ends with 3 and one line", async (_what, args, more, says) => {
    const clean = before();

    const { code, stdout, stderr } = await retrace([...args, "--json"], {
      env: { ...env, ...more },
      cwd: place.folder,
    });

    expect([code, stdout, fingerprint(clone)]).toEqual([3, "", clean]);
    expect(stderr).toMatch(/^retrace: [^\n]+\n$/);
    expect(stderr).toMatch(says);
  });

  it("a machine without bwrap runs nothing of the repository", async () => {
    const bin = path.join(place.folder, "bin");
    mkdirSync(bin);
    for (const [program, at] of [
      ["git", "/usr/bin/git"],
      ["node", process.execPath],
      ["bash", "/bin/bash"],
    ] as const) {
      symlinkSync(at, path.join(bin, program));
    }

    const { code, stdout, stderr } = await retrace([...REPAIR, "--json"], {
      env: { ...env, PATH: bin },
      cwd: place.folder,
    });

    expect([code, stdout]).toEqual([3, ""]);
    expect(stderr.trimEnd().split("\n").at(-1)).toMatch(/^retrace: bwrap is not on PATH: install bubblewrap/);
    expect(stderr).not.toContain("reproducing");
    expect(leftovers(place.dataDir)).toEqual([]);
  });
});
