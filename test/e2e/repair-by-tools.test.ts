import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  applyToFreshClone,
  commitAll,
  fingerprint,
  git,
  makeClone,
  makePlace,
  recordLog,
  writeFiles,
} from "./clones.ts";
import { ensureBuilt, repairJson, retrace } from "./command-line.ts";
import { CASES, workflowOf } from "./shelves.ts";

const place = makePlace();
const env = { RETRACE_DATA_DIR: place.dataDir };
beforeAll(ensureBuilt);
afterAll(() => place.remove());

/** Writes the log of a red run of the clone and its workflow file; the arguments that name all three. */
function redRun(name: string, clone: string, steps: Parameters<typeof recordLog>[1]): string[] {
  const log = path.join(place.folder, `${name}.log`);
  const workflow = path.join(place.folder, `${name}.yml`);
  writeFileSync(log, recordLog(clone, steps));
  writeFileSync(workflow, workflowOf(steps));
  return ["--repo", clone, "--log", log, "--workflow", workflow];
}

describe("a red run that tools can mend, without a model", () => {
  it.each(CASES)(
    "$name is repaired, verified, and the clone stays as it was",
    async ({ name, files, steps, fixed }) => {
      const clone = makeClone(path.join(place.folder, name), files());
      const args = redRun(name, clone, steps);
      const before = fingerprint(clone);
      const patchFile = path.join(place.folder, `${name}.patch`);

      const { code, outcome } = await repairJson([...args, "--patch", patchFile], { env });

      expect(fingerprint(clone)).toEqual(before);
      expect({ code, why: outcome.why, ended: outcome.ended, verdict: outcome.verdict }).toEqual({
        code: 0,
        why: expect.any(String),
        ended: "repaired",
        verdict: "verified",
      });
      expect(outcome).toMatchObject({ provedBy: "local", reproduced: "yes", reason: null, files: Object.keys(fixed) });
      expect(outcome.usage).toMatchObject({ calls: 0, inputTokens: 0, outputTokens: 0 });
      expect(outcome.checks.at(-1)).toMatchObject({ exitBefore: 1, exitAfter: 0 });
      expect(readFileSync(patchFile, "utf8")).toBe(outcome.patch);
      const fresh = applyToFreshClone(clone, outcome.patch ?? "");
      for (const [file, holds] of Object.entries(fixed)) {
        expect(readFileSync(path.join(fresh, file), "utf8")).toContain(holds);
      }
    },
  );
});

describe("where the repair goes", () => {
  const [, generated] = CASES;
  const start = (name: string): { clone: string; args: string[] } => {
    const clone = makeClone(path.join(place.folder, name), generated?.files() ?? {});
    return { clone, args: redRun(name, clone, generated?.steps ?? []) };
  };

  it("--apply changes the work tree and nothing else", async () => {
    const { clone, args } = start("applied");
    const head = git(clone, "rev-parse", "HEAD");

    const { code } = await repairJson([...args, "--apply"], { env });

    expect(code).toBe(0);
    expect(git(clone, "status", "--porcelain")).toBe("M docs/index.md");
    expect(git(clone, "diff", "--cached", "--name-only")).toBe("");
    expect(git(clone, "rev-parse", "HEAD")).toBe(head);
  });

  it("--apply onto changes of the same lines keeps the patch elsewhere", async () => {
    const { clone, args } = start("in-the-way");
    writeFiles(clone, { "docs/index.md": "- Something else altogether\n" });

    const { code, stdout, stderr } = await retrace(["repair", ...args, "--apply", "--json"], { env });

    const kept = /; the patch is kept in (\S+)$/.exec(stderr.trimEnd())?.[1] ?? "";
    expect([code, stdout]).toEqual([2, ""]);
    expect(readFileSync(kept, "utf8")).toContain("+- Rope and Knots");
    expect(readFileSync(path.join(clone, "docs/index.md"), "utf8")).toBe("- Something else altogether\n");
  });

  it("--branch makes a commit on a new branch; HEAD and the work tree stay", async () => {
    const { clone, args } = start("branched");
    const head = git(clone, "rev-parse", "HEAD");

    const { code, outcome } = await repairJson([...args, "--branch", "mend/index"], { env });

    expect(code).toBe(0);
    expect(git(clone, "rev-parse", "mend/index")).toBe(outcome.problems[0]?.commit);
    expect(git(clone, "rev-parse", "mend/index^")).toBe(head);
    expect(git(clone, "diff", "--name-only", "main", "mend/index")).toBe("docs/index.md");
    expect([git(clone, "symbolic-ref", "HEAD"), git(clone, "status", "--porcelain")]).toEqual(["refs/heads/main", ""]);
  });

  it("--branch with a name that exists is bad usage", async () => {
    const { clone, args } = start("taken");
    git(clone, "branch", "taken");

    const ran = await retrace(["repair", ...args, "--branch", "taken", "--json"], { env });

    expect(ran).toEqual({ code: 2, stdout: "", stderr: "retrace: the branch taken exists already\n" });
  });

  it("--at starts from an older commit", async () => {
    const { clone, args } = start("older");
    const red = git(clone, "rev-parse", "HEAD");
    execFileSync("node", ["script/make-index.mjs"], { cwd: clone });
    commitAll(clone, "mended by hand");

    const now = await repairJson(args, { env });
    const then = await repairJson([...args, "--at", red], { env });

    expect([now.code, now.outcome.ended, now.outcome.patch]).toEqual([0, "already-fixed", null]);
    expect(now.outcome.problems[0]?.state).toBe("already_fixed");
    expect([then.code, then.outcome.ended]).toEqual([0, "repaired"]);
  });

  it("uncommitted changes are named on stderr and left out", async () => {
    const { clone, args } = start("half-done");
    writeFiles(clone, { "books/atlas.json": '{ "title": "Not committed" }\n', "notes.txt": "draft\n" });

    const { outcome, stderr } = await repairJson(args, { env });

    expect(stderr).toContain("uncommitted changes are left out: books/atlas.json, notes.txt\n");
    expect(outcome.files).toEqual(["docs/index.md"]);
    expect(outcome.patch).not.toContain("Not committed");
  });
});

it("a log with nothing wrong is nothing to repair", async () => {
  const clone = makeClone(path.join(place.folder, "green"), { "a.txt": "a\n" });
  const args = redRun("green", clone, [{ run: "npm test", printed: "all is well" }]);

  const { code, outcome } = await repairJson(args, { env });

  expect([code, outcome.ended, outcome.verdict, outcome.patch]).toEqual([0, "nothing-to-repair", "not-run", null]);
});
