import type { FailureClass } from "../domain/category.ts";
import type { LogLine } from "../domain/ci-run.ts";
import type { Location } from "../domain/evidence.ts";
import { bareLines } from "./bare-lines.ts";
import { npmLockfileFix } from "./npm-lockfile.ts";
import { runs } from "./run-program.ts";
import { MAX_QUOTED } from "./test-report.ts";
import type { Diagnostic, Tool } from "./tool.ts";

/** `npm error x` since npm 10, `npm ERR! x` before. */
const SPOKEN = /^npm (?:error|ERR!) ?(.*)$/;
const CODE = /^code (\S+)$/;

interface Kind {
  readonly category: FailureClass;
  /** The file that the error is about. */
  readonly file?: string;
}

const LOCK: Kind = { category: "dependency_issue", file: "package-lock.json" };
const MANIFEST: Kind = { category: "dependency_issue", file: "package.json" };
const WEATHER: Kind = { category: "infra_transient" };

// npm's own codes (docs.npmjs.com "Common errors" and lib/utils/error-message.js of npm/cli).
const KINDS: Readonly<Record<string, Kind>> = {
  EUSAGE: LOCK,
  EINTEGRITY: LOCK,
  ELOCKVERIFY: LOCK,
  ERESOLVE: MANIFEST,
  ETARGET: MANIFEST,
  E404: MANIFEST,
  ENOVERSIONS: MANIFEST,
  EINVALIDPACKAGENAME: MANIFEST,
  EUNSUPPORTEDPROTOCOL: MANIFEST,
  EDUPLICATEWORKSPACE: MANIFEST,
  EJSONPARSE: { category: "syntax_error", file: "package.json" },
  EBADENGINE: { category: "environment_error" },
  EBADPLATFORM: { category: "environment_error" },
  ENOSPC: WEATHER,
  ECONNRESET: WEATHER,
  ECONNREFUSED: WEATHER,
  ETIMEDOUT: WEATHER,
  ESOCKETTIMEDOUT: WEATHER,
  ERR_SOCKET_TIMEOUT: WEATHER,
  EAI_AGAIN: WEATHER,
  ENOTFOUND: WEATHER,
  E429: WEATHER,
  E500: WEATHER,
  E502: WEATHER,
  E503: WEATHER,
  E504: WEATHER,
  E401: { category: "secret_or_permission" },
  E403: { category: "secret_or_permission" },
  ENEEDAUTH: { category: "secret_or_permission" },
  ELIFECYCLE: { category: "package_install_error" },
  ENOENT: { category: "package_install_error", file: "package.json" },
};

// How to do it better, where the log lies, usage: none of it says what is wrong.
const ADVICE =
  /^(?:A complete log of this run|Fix the upstream dependency|this command with --force|to accept an incorrect|For a full report|See \S+|\S*[\\/]?_logs[\\/]|\S*eresolve-report|Options:|\[-|Run "npm help|Clean install a project|Usage:|npm |aliases?:|Did you mean|If you want|This is probably not a problem|In most cases|This is related to npm|This is a problem related to network|tarball, folder, http url|a package version that doesn't exist|Note that you can also install|To see a list of scripts|enoent This is related|code E?[A-Z]|errno |syscall |path |A reproducible|Failed at the|There is likely additional|Conflicting peer dependency)/;
const MISSING_SCRIPT = /^Missing script: "?([^"]+?)"?$/i;
const INSTALL_SCRIPT = /^Failed at the \S+ (?:(?:pre|post)?install|prepare) script/;
const ERESOLVE_FACT = /^(?:While resolving|Found|Could not resolve dependency|peer |peerOptional |ERESOLVE )/;
const LOCK_FACT =
  /^(?:`npm ci` can only install|Invalid: lock file|Missing: |cipm can only|The `npm ci` command can only install)/;

export const npm: Tool = {
  name: "npm",
  kind: "install",
  category: "package_install_error",
  answersTo: (command) => runs(command, ["npm"]),
  /** One diagnostic for each run of `npm error` lines; a script that failed is another tool's to tell. */
  read: (step) => speeches(bareLines(step)).flatMap(readSpeech),
  fix: npmLockfileFix,
};

/** Neighbouring `npm error` lines, the prefix taken off. */
function speeches(lines: readonly LogLine[]): LogLine[][] {
  const found: LogLine[][] = [];
  let previous = -1;
  for (const [index, { number, text }] of lines.entries()) {
    const said = SPOKEN.exec(text)?.[1];
    if (said === undefined) continue;
    const line = { number, text: said };
    const open = found.at(-1);
    // npm prints a second speech for the same run now and then (`A complete log …`): close ones belong together.
    if (open && index - previous <= 3 && !CODE.test(said)) open.push(line);
    else found.push([line]);
    previous = index;
  }
  return found;
}

function readSpeech(lines: readonly LogLine[]): Diagnostic[] {
  const code = lines.map(({ text }) => CODE.exec(text)?.[1]).find((found) => found !== undefined) ?? null;
  const script = lines.find(({ text }) => MISSING_SCRIPT.test(text));
  if (script) {
    const location = { file: "package.json", line: null, col: null };
    return [
      {
        message: script.text,
        rule: "missing-script",
        lines: [script.number],
        location,
        category: "configuration_error",
      },
    ];
  }
  // npm 6 says of every failing script that it failed; only an install's own scripts have nobody else to say why.
  if (code === "ELIFECYCLE" && !lines.some(({ text }) => INSTALL_SCRIPT.test(text))) return [];
  const facts = lines.filter(({ text }) => saysWhy(text, code));
  const first = facts.find(({ text }) => !CODE.test(text));
  // `Lifecycle script failed` and bare exit codes repeat what a tool above has said.
  if (!first || /^(?:Lifecycle script|Test failed|workspace |location |command failed$|command sh )/.test(first.text)) {
    return code === null || lines.every(({ text }) => !/^command failed/.test(text))
      ? []
      : [readInstallScript(lines, code)];
  }
  return [
    {
      message: messageOf(facts),
      rule: code,
      lines: facts.map(({ number }) => number).slice(0, MAX_QUOTED),
      location: locationOf(code),
      category: categoryOf(code, facts),
    },
  ];
}

function saysWhy(text: string, code: string | null): boolean {
  if (text.trim() === "") return false;
  if (CODE.test(text)) return true;
  const trimmed = text.trim();
  if (code === "ERESOLVE") return ERESOLVE_FACT.test(text);
  if (code === "EUSAGE" || LOCK_FACT.test(trimmed)) return LOCK_FACT.test(trimmed);
  // Each line of some errors carries their topic in front.
  const words = trimmed.replace(/^(?:notarget|network|enoent|audit|404)(?:\s+|$)/, "");
  return words !== "" && !ADVICE.test(words);
}

/** The words after the code; for a conflict the two sides of it, for a lock file the first difference too. */
function messageOf(facts: readonly LogLine[]): string {
  return facts
    .filter(({ text }) => !CODE.test(text))
    .slice(0, 6)
    .map(({ text }) => text.trim())
    .join("\n")
    .slice(0, 2_000);
}

function locationOf(code: string | null): Location | null {
  const file = code === null ? undefined : KINDS[code]?.file;
  return file === undefined ? null : { file, line: null, col: null };
}

function categoryOf(code: string | null, facts: readonly LogLine[]): FailureClass {
  const text = facts.map((fact) => fact.text).join("\n");
  if (
    /\b(?:429 Too Many|5\d\d (?:Bad Gateway|Service Unavailable|Internal))|socket hang up|network (?:request|timeout)/i.test(
      text,
    )
  ) {
    return "infra_transient";
  }
  if (LOCK_FACT.test(text)) return "dependency_issue";
  return (code === null ? undefined : KINDS[code]?.category) ?? "package_install_error";
}

/** `npm error command failed`: a package's own install script broke; its output follows. */
function readInstallScript(lines: readonly LogLine[], code: string): Diagnostic {
  const facts = lines.filter(({ text }) => text.trim() !== "" && !ADVICE.test(text.trim()));
  const error = facts.find(({ text }) => /\b(?:error|fatal|not found|cannot)\b/i.test(text) && !/^command /.test(text));
  const missing = /not found|No such file|Package .+ was not found in the pkg-config|fatal error: .+\.h:/.test(
    error?.text ?? "",
  );
  return {
    message: (error ?? facts[0])?.text.trim() ?? "an install script failed",
    rule: code,
    lines: [...new Set([...facts.slice(0, 4), ...(error ? [error] : [])].map(({ number }) => number))].sort(
      (a, b) => a - b,
    ),
    category: missing ? "environment_error" : "package_install_error",
  };
}
