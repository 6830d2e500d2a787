import type { FailureClass } from "../domain/category.ts";
import type { LogLine } from "../domain/ci-run.ts";
import { bareLines } from "./bare-lines.ts";
import { mergeFindings } from "./merge-findings.ts";
import { isNetworkTrouble } from "./network-trouble.ts";
import { repositoryPath } from "./repository-path.ts";
import { programOf } from "./run-program.ts";
import type { Diagnostic, Tool } from "./tool.ts";

const BOXED = /^(?:.{0,80}?)│ Error: (.+)$/;
const PLAIN = /^Error: (.+)$/;
const PLACE = /^\s*on (\S.*?) line (\d+)(?:, in .+)?:$/;
const WITH = /^\s*with \S.*,$/;
const END = /^[^│]*╵/;
const MAX_BODY = 24;
const MAX_SAID = 6;

const CLASSES: readonly { readonly says: RegExp; readonly category: FailureClass }[] = [
  {
    says: /^(?:Invalid (?:expression|character|block definition|multi-line string|template|attribute name)|Argument or block definition required|Unclosed|Unsupported operator|Missing (?:newline|item separator|attribute separator|key\/value)|Unterminated|Extra characters)/,
    category: "syntax_error",
  },
  {
    says: /^(?:Failed to (?:install|query)|Inconsistent dependency lock file|Module not installed|Failed to download module|Unsupported Terraform Core version|Could not (?:load plugin|retrieve)|Incompatible provider|Required plugins are not installed|Missing required provider)/,
    category: "dependency_issue",
  },
  {
    says: /No valid credential|AccessDenied|UnauthorizedOperation|ExpiredToken|Error acquiring the state lock|could not find default credentials|error configuring .*: .*credential|\b40[13]\b|Unauthorized|Forbidden|Invalid (?:AWS|security) token/i,
    category: "secret_or_permission",
  },
];

export const terraform: Tool = {
  name: "terraform",
  kind: "deploy",
  category: "configuration_error",
  answersTo: (command) => {
    const call = programOf(command);
    if (call === null || !/^(?:terraform(?:-bin)?|tofu|terragrunt)$/.test(call.program)) return false;
    return !call.args.some(({ value }) => /^(?:fmt|hclfmt|version)$/.test(value));
  },
  /** The boxes it prints, and the same without a box (`-no-color`, older versions) where a place in a file follows. */
  read: (step) => {
    const lines = bareLines(step);
    return mergeFindings(lines.flatMap((line, at) => readError(line, lines, at)));
  },
};

function readError(line: LogLine, lines: readonly LogLine[], at: number): Diagnostic[] {
  const boxed = BOXED.exec(line.text)?.[1];
  const message = boxed ?? PLAIN.exec(line.text)?.[1];
  if (message === undefined) return [];
  const body = bodyBelow(lines, at, boxed !== undefined);
  const place = body.find(({ text }) => PLACE.test(text));
  if (boxed === undefined && place === undefined) return [];
  const [, path, row] = PLACE.exec(place?.text ?? "") ?? [];
  const source = place === undefined ? undefined : body[body.indexOf(place) + 1];
  const prose = body.filter((one) => one !== place && one !== source && !WITH.test(one.text)).slice(0, MAX_SAID);
  const quoted = body.filter((one) => one === place || one === source || prose.includes(one));
  const words = [message, ...prose.map(({ text }) => text.trim())].join("\n");
  return [
    {
      message: words.slice(0, 1_000),
      rule: null,
      lines: [line, ...quoted].map(({ number }) => number),
      location: path === undefined ? null : { file: repositoryPath(path) ?? path, line: Number(row), col: null },
      category: classOf(words),
    },
  ];
}

/** Without its frame: the words up to the end of the box, or up to the next error. */
function bodyBelow(lines: readonly LogLine[], at: number, boxed: boolean): readonly LogLine[] {
  const below = lines.slice(at + 1, at + 1 + MAX_BODY);
  const end = below.findIndex(({ text }) =>
    boxed ? END.test(text) || !text.includes("│") : PLAIN.test(text) || text.startsWith("##["),
  );
  return (end === -1 ? below : below.slice(0, end))
    .map(({ number, text }) => ({ number, text: boxed ? text.slice(text.indexOf("│") + 1).replace(/^ /, "") : text }))
    .filter(({ text }) => text.trim() !== "");
}

function classOf(words: string): FailureClass {
  if (isNetworkTrouble(words)) return "infra_transient";
  return CLASSES.find(({ says }) => says.test(words))?.category ?? "configuration_error";
}
