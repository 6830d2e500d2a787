import type { Readers } from "../../src/evidence/read-step.ts";
import { NO_FACTS } from "../../src/tools/resolve-command.ts";
import type { Tool } from "../../src/tools/tool.ts";

const FINDING = /^(\S+):(\d+): (E\d+) (.*)$/;

/** A linter of our own: `file:line: E12 message`. */
export const lintcheck: Tool = {
  name: "lintcheck",
  kind: "lint",
  category: "linting",
  answersTo: (command) => /^lintcheck\b/.test(command),
  read: (log) =>
    log.lines.flatMap(({ number, text }) => {
      const match = FINDING.exec(text);
      if (!match) return [];
      const [, file = "", line, rule = "", message = ""] = match;
      return [{ message, rule, lines: [number], location: { file, line: Number(line), col: null } }];
    }),
};

/** The small linter, and a reader of last resort that takes lines saying ERROR, else the last line. */
export const SMALL_READERS: Readers = {
  tools: [lintcheck],
  readGeneric: (log) => {
    const said = log.lines.filter(({ text }) => text.includes("ERROR"));
    const lines = said.length > 0 ? said : log.lines.slice(-1);
    return lines.map(({ number, text }) => ({ message: text.replace(/^##\[error\]/, ""), lines: [number] }));
  },
  facts: NO_FACTS,
};
