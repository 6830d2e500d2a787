import { z } from "zod";
import type { CommitFiles } from "../ports/git.ts";
import type { CommandFacts } from "./resolve-command.ts";

const Manifest = z.object({ scripts: z.record(z.string(), z.string()) });

// A monorepo's packages, not its fixtures: enough for any workspace seen, bounded for a repository that means harm.
const MAX_FILES = 500;

/** Reads every package.json and Makefile of a commit once; what cannot be parsed says nothing. */
export async function loadCommandFacts(files: CommitFiles): Promise<CommandFacts> {
  const scripts = new Map<string, Readonly<Record<string, string>>>();
  const targets = new Map<string, ReadonlyMap<string, readonly string[]>>();
  const wanted = files.paths.filter((path) => /(?:^|\/)(?:package\.json|GNUmakefile|[Mm]akefile)$/.test(path));
  for (const path of wanted.filter((path) => !/(?:^|\/)node_modules\//.test(path)).slice(0, MAX_FILES)) {
    const text = await files.read(path);
    if (text === null) continue;
    const folder = path.includes("/") ? path.slice(0, path.lastIndexOf("/")) : "";
    if (path.endsWith("package.json")) {
      const manifest = Manifest.safeParse(parseJson(text));
      if (manifest.success) scripts.set(folder, manifest.data.scripts);
    } else if (!targets.has(folder)) {
      targets.set(folder, readMakefile(text));
    }
  }
  return {
    packageScripts: (folder) => scripts.get(folder) ?? null,
    makeTarget: (folder, target) => targets.get(folder)?.get(target) ?? null,
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Recipe lines by target, `@`, `-` and `+` in front removed; variables stay as they are written. */
function readMakefile(text: string): ReadonlyMap<string, readonly string[]> {
  const recipes = new Map<string, string[]>();
  let current: string[] = [];
  for (const line of text.split(/\r?\n/)) {
    const rule = /^([A-Za-z0-9_.-]+)\s*:(?![=:])/.exec(line);
    if (rule?.[1] !== undefined) {
      current = [];
      recipes.set(rule[1], current);
    } else if (line.startsWith("\t")) {
      current.push(line.slice(1).replace(/^[@+-]+/, ""));
    } else if (line.trim() !== "" && !line.startsWith("#")) {
      current = [];
    }
  }
  return recipes;
}
