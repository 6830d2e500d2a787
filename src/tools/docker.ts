import type { FailureClass } from "../domain/category.ts";
import type { LogLine } from "../domain/ci-run.ts";
import type { Location } from "../domain/evidence.ts";
import { bareLines } from "./bare-lines.ts";
import { guessCategory } from "./guess-category.ts";
import { mergeFindings } from "./merge-findings.ts";
import { isNetworkTrouble } from "./network-trouble.ts";
import { relativePath } from "./repository-path.ts";
import { programOf } from "./run-program.ts";
import type { Diagnostic, Tool } from "./tool.ts";

const SOLVE =
  /^(?:Error: |error: )?(?:buildx (?:call )?failed with: )?(?:ERROR: )?(?:failed to build: )?failed to solve: (.+)$/;
const LEGACY = /^The command '.+' returned a non-zero code: \d+$/;
const PREPARE =
  /^(?:ERROR: |error: )?(unable to prepare context: .+|failed to read dockerfile: .+|.*dockerfile parse error .+)$/i;
const STEP = /^ > (\[.+\] ?.*|.+):$/;
const RULE = /^-{6,}$/;
const PLACE = /^(\S*[Dd]ockerfile\S*|\S+\.[Dd]ockerfile):(\d+)$/;
const POINTED = /^\s*\d+ \| >>> /;
const CLOCK = /^(?:#\d+ )?\d+\.\d+ /;
const MAX_BLOCK = 40;
const MAX_SAID = 10;

export const docker: Tool = {
  name: "docker build",
  kind: "build",
  category: "environment_error",
  answersTo: (command) => {
    const call = programOf(command);
    if (call === null || !/^(?:docker|podman|buildah|docker-compose|nerdctl|depot)$/.test(call.program)) return false;
    return (
      call.args.some(({ value }) => /^(?:build|buildx|bake|compose|up)$/.test(value)) ||
      call.program === "docker-compose"
    );
  },
  /** The step of a Dockerfile that failed: its own last words, its place, and what BuildKit says of it. */
  read: (step) => {
    const lines = bareLines(step);
    const solved = lines.flatMap((line, at) => readSolve(line, lines, at));
    return mergeFindings(solved);
  },
};

function readSolve(line: LogLine, lines: readonly LogLine[], at: number): Diagnostic[] {
  const said = SOLVE.exec(line.text)?.[1] ?? PREPARE.exec(line.text)?.[1] ?? LEGACY.exec(line.text)?.[0];
  if (said === undefined) return [];
  const above = lines.slice(Math.max(0, at - MAX_BLOCK), at);
  const place = above.findLast(({ text }) => PLACE.test(text));
  const pointed = above.filter(({ text }) => POINTED.test(text)).slice(0, 3);
  const block = blockAbove(above);
  const words = block.said.map(({ text }) => text.replace(CLOCK, ""));
  const inner = words.findLast((text) => /error|fail|not found|cannot|unable|no such/i.test(text)) ?? words.at(-1);
  const quoted = [...block.head, ...block.said, ...(place ? [place] : []), ...pointed, line];
  return [
    {
      message: (inner === undefined ? said : `${said}\n${inner.trim()}`).slice(0, 1_000),
      lines: [...new Set(quoted.map(({ number }) => number))].sort((a, b) => a - b),
      location: placeOf(place, said),
      category: classOf(said, words.join("\n")),
    },
  ];
}

/** Between two rules BuildKit repeats the failing step and the end of its output. */
function blockAbove(above: readonly LogLine[]): {
  readonly head: readonly LogLine[];
  readonly said: readonly LogLine[];
} {
  const at = above.findLastIndex(({ text }) => STEP.test(text));
  const head = above[at];
  if (head === undefined || !RULE.test(above[at - 1]?.text ?? "")) return { head: [], said: [] };
  const below = above.slice(at + 1);
  const end = below.findIndex(({ text }) => RULE.test(text));
  const said = (end === -1 ? below : below.slice(0, end)).filter(({ text }) => text.replace(CLOCK, "").trim() !== "");
  return { head: [head], said: said.slice(-MAX_SAID) };
}

function placeOf(place: LogLine | undefined, said: string): Location | null {
  const [, path, row] = PLACE.exec(place?.text ?? "") ?? [];
  const file = path === undefined ? null : relativePath(path);
  if (file !== null) return { file, line: Number(row), col: null };
  const parse = /dockerfile parse error (?:on )?line (\d+)/i.exec(said)?.[1];
  return parse === undefined ? null : { file: "Dockerfile", line: Number(parse), col: null };
}

function classOf(said: string, inner: string): FailureClass {
  if (isNetworkTrouble(said)) return "infra_transient";
  if (/parse error|unknown instruction/i.test(said)) return "syntax_error";
  if (
    /failed to compute cache key|failed to calculate checksum|failed to read dockerfile|unable to prepare context|target stage .+ could not be found/i.test(
      said,
    )
  )
    return "configuration_error";
  if (/\b40[13]\b|unauthorized|denied|insufficient_scope/i.test(said)) return "secret_or_permission";
  if (/: not found$/.test(said)) return "configuration_error";
  const guess = inner === "" ? "unknown" : guessCategory(inner);
  return guess === "unknown" ? "environment_error" : guess;
}
