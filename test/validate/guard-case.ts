import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { load } from "js-yaml";
import { z } from "zod";
import type { GuardVerdict } from "../../src/domain/patch.ts";
import { DEFAULT_POLICY } from "../../src/domain/policy.ts";
import { guardPatch } from "../../src/validate/guard.ts";

const Content = z.string().nullable().default(null);

/** One patch as the files it changes. `path` with `before` and `after` is short for one entry of `files`. */
const GuardCase = z.strictObject({
  name: z.string(),
  path: z.string().optional(),
  before: Content,
  after: Content,
  files: z.record(z.string(), z.strictObject({ before: Content, after: Content })).default({}),
  /** The rule that must refuse it. */
  rule: z.string().optional(),
  /** The guard does not see it; kept so that the published miss rate is true. */
  knownMiss: z.boolean().default(false),
  /** The guard refuses it although it is honest; kept for the same reason. */
  knownFalseRefusal: z.boolean().default(false),
  /** Whether a person must look at it. */
  person: z.boolean().optional(),
  engine: z.enum(["autofix", "base"]).default("base"),
  protectedPaths: z.array(z.string()).default([]),
  lockfileIsTheCheck: z.boolean().default(false),
  /** Places of the repository that hold the same suppression. */
  habit: z.number().default(0),
});
export type GuardCase = z.infer<typeof GuardCase>;

export function loadCases(file: string): readonly GuardCase[] {
  const text = readFileSync(path.join(import.meta.dirname, "../cases/guard", file), "utf8");
  return z.array(GuardCase).parse(load(text));
}

/** Makes the patch with git itself and lets the guard judge it. */
export function judge(each: GuardCase): GuardVerdict {
  const files =
    each.path === undefined ? each.files : { ...each.files, [each.path]: { before: each.before, after: each.after } };
  return guardPatch({
    patch: patchOf(files),
    before: (name) => files[name]?.before ?? null,
    after: (name) => files[name]?.after ?? null,
    policy: { limits: DEFAULT_POLICY.limits, protectedPaths: each.protectedPaths },
    category: "unknown",
    tool: null,
    engine: each.engine,
    failingCommand: null,
    lockfileIsTheCheck: each.lockfileIsTheCheck,
    occurrences: () => each.habit,
  });
}

type Files = Readonly<Record<string, { readonly before: string | null; readonly after: string | null }>>;

export function patchOf(files: Files): string {
  const folder = mkdtempSync(path.join(tmpdir(), "guard-"));
  try {
    for (const side of ["before", "after"] as const) {
      const root = path.join(folder, side === "before" ? "a" : "b");
      mkdirSync(root);
      for (const [name, file] of Object.entries(files)) {
        const content = file[side];
        if (content === null) continue;
        mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
        writeFileSync(path.join(root, name), content);
      }
    }
    return diffFolders(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** `git diff --no-index` exits with 1 when there is a difference. */
function diffFolders(cwd: string): string {
  const args = ["diff", "--no-index", "--binary", "--no-color", "-M", "--no-prefix", "a", "b"];
  try {
    return execFileSync("git", args, { cwd, encoding: "utf8", stdio: "pipe" });
  } catch (error) {
    if (error instanceof Error && "status" in error && error.status === 1 && "stdout" in error)
      return String(error.stdout);
    throw error;
  }
}
