import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";

/** The files through which a step talks to its runner: GITHUB_ENV, GITHUB_OUTPUT, GITHUB_PATH, GITHUB_STEP_SUMMARY. */
export interface StepFiles {
  readonly env: Readonly<Record<string, string>>;
  read(): Promise<Said>;
}

export interface Said {
  readonly env: Record<string, string>;
  readonly outputs: Record<string, string>;
  readonly paths: string[];
}

/** Makes the empty files of one step in the job's temporary folder. */
export async function openStepFiles(temp: string, stepNumber: number): Promise<StepFiles> {
  const place = (name: string) => path.join(temp, `${name}_${stepNumber}`);
  const files = {
    env: place("set_env"),
    outputs: place("set_output"),
    paths: place("add_path"),
    summary: place("step_summary"),
  };
  for (const file of Object.values(files)) await writeFile(file, "");
  return {
    env: {
      GITHUB_ENV: files.env,
      GITHUB_OUTPUT: files.outputs,
      GITHUB_PATH: files.paths,
      GITHUB_STEP_SUMMARY: files.summary,
    },
    async read() {
      const text = async (file: string) => readFile(file, "utf8").catch(() => "");
      return {
        env: readPairs(await text(files.env)),
        outputs: readPairs(await text(files.outputs)),
        paths: (await text(files.paths)).split("\n").filter((line) => line.trim() !== ""),
      };
    },
  };
}

/** `NAME=value` lines and `NAME<<END … END` blocks. */
export function readPairs(text: string): Record<string, string> {
  const pairs: Record<string, string> = {};
  const lines = text.split("\n");
  for (let at = 0; at < lines.length; at += 1) {
    const [, name, sign, rest = ""] = /^([^=<]+?)(=|<<)(.*)$/.exec(lines[at] ?? "") ?? [];
    if (name === undefined) continue;
    if (sign === "=") {
      pairs[name] = rest;
      continue;
    }
    const end = lines.indexOf(rest, at + 1);
    if (end < 0) break;
    pairs[name] = lines.slice(at + 1, end).join("\n");
    at = end;
  }
  return pairs;
}
