import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import type { TreeId } from "../../ports/git.ts";
import { repositoryConfig } from "./foreign-repository.ts";
import { writeAttributes } from "./our-attributes.ts";
import { decodeText } from "./path-bytes.ts";
import { gitOutput, type RunGit } from "./run-git.ts";

/** In our git directory: a second one, on the same objects, to which every file is binary. */
const BINARY_VIEW = "binary-view";

/** Makes the second view; `gitDir` is our git directory. */
export async function makeBinaryView(gitDir: string, objectFormat: string): Promise<void> {
  const view = path.join(gitDir, BINARY_VIEW);
  for (const folder of ["refs", "info", "objects/info"]) await mkdir(path.join(view, folder), { recursive: true });
  await writeFile(path.join(view, "HEAD"), "ref: refs/heads/none\n");
  await writeFile(path.join(view, "config"), `${repositoryConfig(objectFormat)}\n`);
  await writeFile(path.join(view, "objects/info/alternates"), `${path.join(gitDir, "objects")}\n`);
  await writeAttributes(view, "* -diff\n");
}

/**
 * The difference between two trees as a patch that is valid Unicode. A file whose content is no UTF-8 text (Latin-1, say)
 * would be text to git: its bytes would not survive being a string, so it is given in git's binary form.
 */
export async function diffTrees(run: RunGit, gitDir: string, from: TreeId, to: TreeId): Promise<string> {
  const patch = await diffBytes(run, gitDir, from, to);
  const whole = asText(patch);
  if (whole !== null) return whole;
  const binary = splitFiles(await diffBytes(run, path.join(gitDir, BINARY_VIEW), from, to));
  return splitFiles(patch)
    .map((file, index) => asText(file) ?? binary[index]?.toString("utf8") ?? "")
    .join("");
}

/** NUL is valid Unicode, but no program that takes patches as text expects it. */
function asText(patch: Buffer): string | null {
  return patch.includes(0) ? null : decodeText(patch);
}

/** The parts of a patch, one a file: no line of a hunk and none of a binary part starts as a header does. */
function splitFiles(patch: Buffer): Buffer[] {
  const parts = patch.toString("latin1").split(/^(?=diff --git )/m);
  return parts.map((part) => Buffer.from(part, "latin1"));
}

const DIFF = ["diff-tree", "-r", "-p", "--binary", "--full-index", "--no-renames", "--no-ext-diff", "--no-textconv"];

async function diffBytes(run: RunGit, gitDir: string, from: TreeId, to: TreeId): Promise<Buffer> {
  return gitOutput(run, { args: [...DIFF, "--no-color", from, to], cwd: gitDir, gitDir });
}
