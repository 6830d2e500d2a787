import { bareLines } from "./bare-lines.ts";
import { repositoryPath } from "./repository-path.ts";
import { runs } from "./run-program.ts";
import type { Diagnostic, Tool } from "./tool.ts";

const SECTION =
  /^(Unused files|Unused (?:dev|optional peer)?[dD]ependencies|Referenced optional peerDependencies|Unlisted (?:dependencies|binaries)|Unresolved imports|Unused exports(?: in namespaces)?|Unused exported (?:types|enum members|class members)(?: in namespaces)?|Duplicate exports|Unused catalog entries) \((\d+)\)$/;
const PLACE = /^(.+\.\w{1,10}?)(?::(\d+):(\d+))?$/;
// Names and paths; what is longer is no line of its table.
const MAX_LINE = 500;
const DEPENDENCIES = /[dD]ependencies|binaries|imports/;

export const knip: Tool = {
  name: "knip",
  kind: "lint",
  category: "linting",
  answersTo: (command) => runs(command, ["knip", "knip-bun"]),
  /** One diagnostic an unused or missing thing; the first of a section quotes its title. */
  read: (step) => {
    const found: Diagnostic[] = [];
    let section: { readonly name: string; title: number[]; left: number } | null = null;
    for (const { number, text } of bareLines(step)) {
      const [, name, count] = SECTION.exec(text.trim()) ?? [];
      if (name !== undefined) {
        section = { name, title: [number], left: Number(count) };
        continue;
      }
      if (
        section === null ||
        section.left === 0 ||
        text.trim() === "" ||
        text.length > MAX_LINE ||
        text.startsWith("##[")
      )
        continue;
      const [, file, line, col] = PLACE.exec(text.trim().split(/\s+/).at(-1) ?? "") ?? [];
      found.push({
        message: `${section.name}: ${text.trim().replace(/\s{2,}/g, " ")}`,
        rule: section.name,
        lines: [...section.title, number],
        location:
          file === undefined
            ? null
            : { file: repositoryPath(file) ?? file, line: line ? Number(line) : null, col: col ? Number(col) : null },
        ...(DEPENDENCIES.test(section.name) ? { category: "dependency_issue" as const } : {}),
      });
      section.title = [];
      section.left--;
    }
    return found;
  },
};
