import { mkdtemp, writeFile } from "node:fs/promises";
import path from "node:path";
import type { SandboxCommand } from "../../ports/sandbox.ts";
import { shellCommand, shellForm } from "./shells.ts";

export interface Step {
  /** The folder that holds the script, to be removed afterwards. */
  readonly folder: string;
  readonly argv: readonly string[];
}

/**
 * Writes a command's script into `folder`, which nobody but us writes to, and returns the words that run it where
 * `seenAs` is the folder's name inside. Throws SandboxUnavailable for a shell we do not know.
 */
export async function writeStep(
  { shell, script }: Pick<SandboxCommand, "shell" | "script">,
  folder: string,
  seenAs: string,
): Promise<Step> {
  const form = shellForm(shell);
  const own = await mkdtemp(path.join(folder, "step-"));
  const name = `script${form.extension}`;
  await writeFile(path.join(own, name), form.wrap?.(script) ?? script);
  return { folder: own, argv: shellCommand(form, path.join(seenAs, path.basename(own), name)) };
}
