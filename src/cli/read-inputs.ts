import { readFile } from "node:fs/promises";
import path from "node:path";
import { composeGit, composeLogSource, composeReaders } from "../compose-evidence.ts";
import type { Config } from "../config.ts";
import type { CiJob } from "../domain/ci-run.ts";
import type { Evidence } from "../domain/evidence.ts";
import { collectGuessing } from "../evidence/collect.ts";
import type { WorkflowFile } from "../evidence/guess-workflow.ts";
import { readJobsAnswer } from "../evidence/jobs-answer.ts";
import type { CommitFiles } from "../ports/git.ts";
import type { World } from "../ports/world.ts";
import { loadCommandFacts } from "../tools/command-facts.ts";
import { NO_FACTS } from "../tools/resolve-command.ts";
import { UsageError } from "./exit.ts";

export interface EvidenceInputs {
  readonly source: string;
  readonly workflow?: string;
  readonly runJson?: string;
  /** The files of the commit that failed; null without a clone. */
  readonly files: CommitFiles | null;
}

/** Reads what the command line names and organizes it. Rejects with UsageError or UnreadableSource, one line. */
export async function readEvidence(inputs: EvidenceInputs, tell: (line: string) => void): Promise<Evidence> {
  const { evidence } = await readEvidenceOf(inputs, tell);
  return evidence;
}

/** The same, with the workflow it was read with: as named, else the path of the one guessed; null without any. */
export async function readEvidenceOf(
  inputs: EvidenceInputs,
  tell: (line: string) => void,
): Promise<{ readonly evidence: Evidence; readonly workflow: string | null }> {
  const jobs = inputs.runJson === undefined ? null : await readJobs(inputs.runJson);
  const source = composeLogSource(inputs.source);
  const facts = inputs.files === null ? NO_FACTS : await loadCommandFacts(inputs.files);
  const workflow: WorkflowFile | null =
    inputs.workflow === undefined
      ? null
      : { path: inputs.workflow, text: await readNamed(inputs.workflow, "--workflow") };
  const candidates = inputs.files === null ? [] : await workflowFiles(inputs.files);
  const repoFiles = inputs.files?.paths ?? null;
  const { evidence, guessed } = await collectGuessing({
    source,
    workflow,
    candidates,
    jobs,
    readers: composeReaders(facts),
    repoFiles,
  });
  if (guessed !== null) tell(`workflow: ${guessed} (guessed: the only one whose steps are those of the log)`);
  return { evidence, workflow: workflow?.path ?? guessed };
}

/** The files of a clone at a revision. Rejects with UsageError when there is no such clone or commit. */
export async function openClone(
  dir: string,
  revision: string,
  config: Config,
  world: World,
): Promise<{ readonly commit: string; readonly files: CommitFiles }> {
  const git = composeGit(config, world);
  const commit = await usage(git.resolve(dir, revision));
  if (commit === null) throw new UsageError(`${dir} has no commit ${revision}`);
  return { commit, files: await usage(git.files(dir, commit)) };
}

/** Passes a value on; a GitFailed becomes a UsageError. */
export async function usage<T>(asked: Promise<T>): Promise<T> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof Error && error.name === "GitFailed") throw new UsageError(error.message);
    throw error;
  }
}

async function workflowFiles(files: CommitFiles): Promise<readonly WorkflowFile[]> {
  const found: WorkflowFile[] = [];
  for (const file of files.paths.filter((path) => /^\.github\/workflows\/[^/]+\.ya?ml$/.test(path))) {
    const text = await files.read(file);
    if (text !== null) found.push({ path: file, text });
  }
  return found;
}

async function readJobs(file: string): Promise<readonly CiJob[]> {
  const text = await readNamed(file, "--run-json");
  try {
    return readJobsAnswer(text);
  } catch (error) {
    if (error instanceof Error && error.name === "BadJobsAnswer") throw new UsageError(`${file}: ${error.message}`);
    throw error;
  }
}

async function readNamed(file: string, flag: string): Promise<string> {
  try {
    return await readFile(path.resolve(file), "utf8");
  } catch {
    throw new UsageError(`${flag}: ${file} cannot be read`);
  }
}
