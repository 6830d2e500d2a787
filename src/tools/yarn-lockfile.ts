import type { FailureClass } from "../domain/category.ts";
import type { LogLine } from "../domain/ci-run.ts";
import { bareLines } from "./bare-lines.ts";
import { programCall, withArgs } from "./program-call.ts";
import type { Diagnostic, Tool } from "./tool.ts";

const CLASSIC = /^error (\S.*)$/;
// `➤ YN0028: │ The lockfile would have been modified…`; ┌ and └ only frame a phase.
const BERRY = /^➤ (YN\d{4}): (?:[│┃] )?(.*)$/;
const BERRY_ERRORS: ReadonlyMap<string, FailureClass> = new Map([
  ["YN0028", "dependency_issue"], // frozen lock file
  ["YN0018", "dependency_issue"], // checksum mismatch
  ["YN0016", "dependency_issue"], // tag not found
  ["YN0027", "dependency_issue"], // unresolved descriptor
  ["YN0082", "dependency_issue"], // no candidates
  ["YN0035", "dependency_issue"], // not found on the registry
  ["YN0041", "secret_or_permission"],
  ["YN0009", "package_install_error"], // a package's build failed
  ["YN0001", "package_install_error"], // exception
]);
const CLASSIC_KINDS: readonly (readonly [RegExp, FailureClass])[] = [
  [/lockfile needs to be updated|frozen-lockfile|Integrity check failed|integrity/i, "dependency_issue"],
  [/Couldn't find (?:any versions|package)|doesn't exist on|Received invalid/, "dependency_issue"],
  [/The engine "|Found incompatible module/, "environment_error"],
  [/network connection|ESOCKETTIMEDOUT|ECONNRESET|ETIMEDOUT|getaddrinfo|5\d\d Server|503|502/, "infra_transient"],
  [/Command "\S+" not found|Couldn't find a script/, "configuration_error"],
  [/\.tgz: |postinstall|preinstall/, "package_install_error"],
];
// A lock file can differ in thousands of lines.
const MAX_QUOTED = 20;
const NOT_OURS = /^(?:Command failed(?: with exit code)?|An unexpected error occurred: "?Command failed|TS\d)/;

export const yarn: Tool = {
  name: "yarn",
  kind: "install",
  category: "package_install_error",
  answersTo: (command) => programCall(command)?.program === "yarn",
  read: (step) => {
    const lines = bareLines(step);
    return [...readBerry(lines), ...lines.flatMap(readClassic)];
  },
  fix: {
    derive: fixedYarn,
    installs: true,
    mayTouch: (path) => /(?:^|\/)yarn\.lock$/.test(path),
    proven: "executed", // with Yarn 1; for later versions only the derivation is tested
  },
};

/** One diagnostic a code: Yarn shows what would change line by line, then says what is wrong with it. */
function readBerry(lines: readonly LogLine[]): Diagnostic[] {
  return [...BERRY_ERRORS].flatMap(([code, category]) => {
    const said = lines.flatMap(({ number, text }) => {
      const [, found, message = ""] = BERRY.exec(text) ?? [];
      return found === code && message.trim() !== "" ? [{ number, message }] : [];
    });
    const first = said.find(({ message }) => !/^[-+ ]/.test(message)) ?? said[0];
    if (first === undefined) return [];
    const numbers = said.slice(0, MAX_QUOTED).map(({ number }) => number);
    return [{ ...diagnostic(first.message, first.number, code, category), lines: numbers }];
  });
}

function readClassic({ number, text }: LogLine): Diagnostic[] {
  const message = CLASSIC.exec(text)?.[1];
  const kind = CLASSIC_KINDS.find(([pattern]) => pattern.test(message ?? ""))?.[1];
  if (message === undefined || kind === undefined || NOT_OURS.test(message)) return [];
  return [diagnostic(message, number, null, kind)];
}

function diagnostic(message: string, line: number, rule: string | null, category: FailureClass): Diagnostic {
  const lock = /lockfile|integrity|checksum/i.test(message);
  return {
    message: message.trim(),
    rule,
    lines: [line],
    location: lock ? { file: "yarn.lock", line: null, col: null } : null,
    category,
  };
}

const BERRY_INSTALL = "install --mode=update-lockfile --no-immutable";
// Yarn 1 cannot write the lock file alone: it installs, into a folder that is no part of a patch.
const CLASSIC_INSTALL = "install --ignore-scripts --non-interactive --no-progress";

/**
 * `yarn install --immutable` is Yarn 2 or later; `--frozen-lockfile` and the bare command may be either, so the command
 * asks. An install of named packages is no check and has none.
 */
function fixedYarn(command: string): string | null {
  const call = programCall(command);
  if (call?.program !== "yarn") return null;
  const { place, rest } = takePlace(call.args.map(({ value }) => value));
  const [verb, ...options] = rest;
  const installs = verb === undefined || verb === "install" || verb.startsWith("-");
  if (!installs || options.some((option) => !option.startsWith("-"))) return null;
  const classic = withArgs(call, [...place, CLASSIC_INSTALL]);
  const berry = withArgs(call, [...place, BERRY_INSTALL]);
  if (rest.some((option) => /^--(?:immutable|check-cache|check-resolutions|mode)/.test(option))) return berry;
  const version = withArgs(call, [...place, "--version"]);
  return `case "$(${version})" in [01].*) ${classic} ;; *) ${berry} ;; esac`;
}

/** `--cwd dir` says where, whichever the version. */
function takePlace(args: readonly string[]): { readonly place: readonly string[]; readonly rest: readonly string[] } {
  const at = args.findIndex((arg) => /^--cwd(?:=|$)/.test(arg));
  if (at === -1) return { place: [], rest: args };
  const width = args[at]?.includes("=") === true ? 1 : 2;
  return { place: args.slice(at, at + width), rest: [...args.slice(0, at), ...args.slice(at + width)] };
}
