import type { FailureClass } from "../domain/category.ts";
import type { LogLine } from "../domain/ci-run.ts";
import type { Location } from "../domain/evidence.ts";
import { isNetworkTrouble } from "./network-trouble.ts";
import { relativePath } from "./repository-path.ts";
import type { Diagnostic } from "./tool.ts";

interface Saying {
  readonly says: RegExp;
  readonly category: FailureClass;
  readonly file: "Cargo.toml" | "Cargo.lock" | null;
}

// In cargo's own words; the first that fits decides.
const SAYINGS: readonly Saying[] = [
  {
    says: /^the lock file \S+ needs to be updated|^cannot (?:update|create) the lock file|^checksum for `.+` (?:changed|could not be calculated)|^failed to parse lock file|^lock file version/,
    category: "dependency_issue",
    file: "Cargo.lock",
  },
  {
    says: /^failed to select a version for|^no matching package (?:named|found)|^no matching version|^failed to get `.+` as a dependency|^failed to (?:resolve patches|load source for|download|fetch|update|query replaced source|verify the checksum)|^unable to (?:get packages|update)|^cyclic package dependency|^package `.+` (?:depends on|does not have)|^the package `.+` depends on `.+`, with features/,
    category: "dependency_issue",
    file: "Cargo.toml",
  },
  {
    says: /requires rustc [\d.]+|^rustc [\d.]+\S* is not supported|^package `.+` (?:cannot be built because it )?requires rustc|requires the Cargo feature|^toolchain '.+' is not installed|^the '.+' binary|^the option `Z` is only accepted|^no such (?:command|subcommand)|^feature `.+` is required/,
    category: "environment_error",
    file: null,
  },
  {
    says: /^failed to parse manifest|^invalid (?:table header|type|unquoted|string|basic)|^could not (?:find|parse|load|read) `?(?:Cargo\.toml|.+\.toml)|^failed to (?:load manifest|read|parse) `?.*Cargo\.toml|^unclosed table|^duplicate key|^(?:the )?package `?.+`? (?:does not contain|is not a member|ID specification)|^package ID specification|^no (?:bin|example|test|bench|library|lib) target|^unknown field|^no targets? specified|^virtual manifest|^profile `|^manifest path/,
    category: "configuration_error",
    file: "Cargo.toml",
  },
  { says: /^failed to run custom build command for/, category: "environment_error", file: null },
  { says: /^(?:network failure|spurious network)/, category: "infra_transient", file: null },
];

const ERROR = /^error: (\S.*)$/;
const PLACE = /^\s*--> (\S*\.toml):(\d+):(\d+)$/;
const IN_MANIFEST = /\b(?:manifest|lock file)(?: at)? `?(\S+?\.(?:toml|lock))`?(?:$|[\s,:])/;
// How the resolver goes on in lines of its own.
const OWN_WORDS =
  /^(?:\.\.\. |required by|location searched|candidate versions|versions that meet|perhaps you meant|all possible versions|the package `)/;
const CAUSE = /^Caused by:$/;
const STDERR = /^\s+--- stderr$/;
const SCRIPT_NOISE = /^\s*(?:cargo:|running: |\w+ = (?:Some|None)|stack backtrace|note: run with|\d+: |at )/;
// A build script's stderr may be a compiler's whole output: its last words say why.
const MAX_STDERR = 8;
const MAX_BLOCK = 200;
const MAX_DETAIL = 6;

/** What cargo says of itself: manifests, lock files, dependencies, toolchains and build scripts. */
export function readCargoErrors(lines: readonly LogLine[]): readonly Diagnostic[] {
  return lines.flatMap((line, at) => {
    const message = ERROR.exec(line.text)?.[1];
    if (message === undefined) return [];
    const below = lines.slice(at + 1, at + MAX_BLOCK);
    const place = below.slice(0, 2).find(({ text }) => PLACE.test(text));
    const saying = SAYINGS.find(({ says }) => says.test(message));
    if (saying === undefined && place === undefined) return [];
    return [toDiagnostic(line, message, below, saying ?? null, place ?? null)];
  });
}

function toDiagnostic(
  line: LogLine,
  message: string,
  below: readonly LogLine[],
  saying: Saying | null,
  place: LogLine | null,
): Diagnostic {
  const script = message.startsWith("failed to run custom build command");
  const detail = script ? scriptOutput(below) : detailOf(below);
  const quoted = place === null ? detail : [place];
  const why = script ? scriptReason(detail) : place === null ? causeOf(detail) : null;
  const text = [message, ...detail.map((one) => one.text)].join("\n");
  const away = isNetworkTrouble(text);
  return {
    message: why === null ? message : `${message.replace(/:$/, "")}: ${why}`,
    rule: null,
    lines: [line, ...quoted].map(({ number }) => number),
    location: away ? null : placeOf(place, text, saying),
    category: away ? "infra_transient" : (saying?.category ?? "configuration_error"),
  };
}

/** What follows until the error is over: its own words, and the chain of causes. */
function detailOf(below: readonly LogLine[]): readonly LogLine[] {
  const detail: LogLine[] = [];
  let causes = false;
  for (const line of below) {
    if (line.text.trim() === "") continue;
    if (CAUSE.test(line.text)) causes = true;
    else if (/^\s/.test(line.text) || (!causes && OWN_WORDS.test(line.text))) detail.push(line);
    else break;
    if (detail.length >= MAX_DETAIL) break;
  }
  return detail;
}

/** The last cause in the chain is the reason. */
function causeOf(detail: readonly LogLine[]): string | null {
  const last = detail.findLast(({ text }) => /^ {2}\S/.test(text));
  return last?.text.trim() ?? null;
}

function scriptOutput(below: readonly LogLine[]): readonly LogLine[] {
  const end = below.findIndex(
    ({ text }) => text !== "" && !/^\s/.test(text) && !CAUSE.test(text) && !/^note: /.test(text),
  );
  const block = end === -1 ? below : below.slice(0, end);
  const exit = block.filter(({ text }) => text.includes("process didn't exit successfully")).slice(0, 1);
  const from = block.findIndex(({ text }) => STDERR.test(text));
  const said =
    from === -1 ? [] : block.slice(from + 1).filter(({ text }) => text.trim() !== "" && !SCRIPT_NOISE.test(text));
  return [...exit, ...said.slice(-MAX_STDERR)];
}

function scriptReason(detail: readonly LogLine[]): string | null {
  const panic = detail.findIndex(({ text }) => /panicked at /.test(text));
  const said = detail[panic + 1] ?? detail.at(-1);
  return panic === -1 ? (detail.at(-1)?.text.trim() ?? null) : (said?.text.trim() ?? null);
}

function placeOf(place: LogLine | null, text: string, saying: Saying | null): Location | null {
  const [, path = "", line, col] = PLACE.exec(place?.text ?? "") ?? [];
  if (path !== "") return { file: relativePath(path) ?? path, line: Number(line), col: Number(col) };
  const named = IN_MANIFEST.exec(text)?.[1];
  const file = (named === undefined ? null : relativePath(named)) ?? saying?.file ?? null;
  return file === null ? null : { file, line: null, col: null };
}
