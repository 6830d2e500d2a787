import type { LogLine } from "../domain/ci-run.ts";
import { bareLines } from "./bare-lines.ts";
import { isNetworkTrouble } from "./network-trouble.ts";
import { runs } from "./run-program.ts";
import type { Diagnostic, Tool } from "./tool.ts";

const HEADS: readonly { readonly says: RegExp; readonly category: NonNullable<Diagnostic["category"]> }[] = [
  {
    says: /^\s*Your requirements could not be resolved to an installable set of packages\.$/,
    category: "dependency_issue",
  },
  { says: /^\s*Your lock file does not contain a compatible set of packages\./, category: "dependency_issue" },
  {
    says: /^(?:Warning: )?The lock file is not up to date with the latest changes in composer\.json/,
    category: "dependency_issue",
  },
  {
    says: /^\s*(?:- )?Required (?:\(in require-dev\) )?package ".+" is not present in the lock file\./,
    category: "dependency_issue",
  },
  { says: /^\s*Could not find (?:a matching version of )?package \S+/, category: "dependency_issue" },
  {
    says: /^\s*(?:".+" does not contain valid JSON|Parse error on line \d+:|\.?\/?composer\.json.*does not match the expected JSON schema)/,
    category: "syntax_error",
  },
  { says: /^\s*The ".+" file could not be downloaded/, category: "infra_transient" },
];
const PROBLEM = /^\s+Problem \d+$|^\s+- /;
const MAX_BODY = 14;

export const composer: Tool = {
  name: "composer",
  kind: "install",
  category: "dependency_issue",
  answersTo: (command) => runs(command, ["composer", "composer.phar"]),
  read: (step) => {
    const lines = bareLines(step);
    return lines.flatMap((line, at) => readError(line, lines, at));
  },
};

function readError(line: LogLine, lines: readonly LogLine[], at: number): Diagnostic[] {
  const head = HEADS.find(({ says }) => says.test(line.text));
  if (head === undefined) return [];
  const body: LogLine[] = [];
  for (const one of lines.slice(at + 1, at + 1 + MAX_BODY)) {
    if (PROBLEM.test(one.text)) body.push(one);
    else if (one.text.trim() !== "" && body.length > 0) break;
  }
  const reasons = body.filter(({ text }) => /^\s+- /.test(text)).map(({ text }) => text.trim().replace(/^- /, ""));
  const message = reasons.length > 0 ? reasons.join("\n") : line.text.trim();
  const file = head.category === "infra_transient" ? null : { file: "composer.json", line: null, col: null };
  const category = isNetworkTrouble(message) ? "infra_transient" : head.category;
  return [
    { message: message.slice(0, 1_000), lines: [line, ...body].map(({ number }) => number), location: file, category },
  ];
}
