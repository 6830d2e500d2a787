import type { LogLine } from "../domain/ci-run.ts";
import { bareLines } from "./bare-lines.ts";
import { repositoryPath } from "./repository-path.ts";
import { runs } from "./run-program.ts";
import type { Diagnostic, Tool } from "./tool.ts";
import { readBuildErrors } from "./vite.ts";

const DEAD = /^\(!\) (Found dead link (\S+) in file (\S+))$/;
const COUNT = /^(?:Error: )?\[?(?:vitepress\] )?\d+ dead link\(s\) found\.$/;

export const vitepress: Tool = {
  name: "vitepress",
  kind: "docs",
  category: "doc_docstring",
  answersTo: (command) => runs(command, ["vitepress"]),
  /** One diagnostic a dead link; else the build error. */
  read: (step) => {
    const lines = bareLines(step);
    if (!lines.some(({ text }) => /\bvitepress\b/i.test(text) || DEAD.test(text))) return [];
    const dead = lines.flatMap(readDeadLink);
    const errors = readBuildErrors(lines).filter(({ message }) => dead.length === 0 || !COUNT.test(message));
    return [...dead, ...errors.map((error) => ({ ...error, category: "doc_docstring" as const }))];
  },
};

function readDeadLink({ number, text }: LogLine): Diagnostic[] {
  const [, message, , file] = DEAD.exec(text) ?? [];
  if (message === undefined || file === undefined) return [];
  return [
    {
      message,
      rule: "dead-link",
      lines: [number],
      location: { file: repositoryPath(file) ?? file, line: null, col: null },
    },
  ];
}
