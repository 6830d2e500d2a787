import type { FailureClass } from "../domain/category.ts";
import type { LogLine } from "../domain/ci-run.ts";
import { bareLines } from "./bare-lines.ts";
import { runs } from "./run-program.ts";
import { MAX_QUOTED } from "./test-report.ts";
import type { Diagnostic, Tool } from "./tool.ts";

// conda prints its errors as `Name: message` (conda/exceptions.py); mamba and micromamba log `error    libmamba …`.
const ERROR =
  /^(?:\s*)((?:PackagesNotFound|ResolvePackageNotFound|Unsatisfiable|LibMambaUnsatisfiable|SpecsConfigurationConflict|SpecNotFound|EnvironmentFileNotFound|EnvironmentLocationNotFound|CondaEnv|CondaValue|InvalidMatchSpec|InvalidVersionSpec|CondaHTTP|CondaSSL|ChecksumMismatch|CondaVerification|CorruptedEnvironment|Clobber|Link|NoWritableEnvsDir|Directory\w*|PackageNotInstalled)(?:Error)?): ?(.*)$/;
const MAMBA = /^(?:error|critical) +libmamba (.*)$/;
const FACT =
  /^\s*(?:The following packages are |- \S|[├└│]|package \S+ .*requires|nothing provides|Encountered problems while solving|.* does not exist)/;
const CATEGORIES: readonly (readonly [RegExp, FailureClass])[] = [
  [/HTTP|SSL/, "infra_transient"],
  [/File|Spec$|MatchSpec|VersionSpec|CondaValue|CondaEnv/, "configuration_error"],
  [/Location|Corrupted|Directory|NoWritable/, "environment_error"],
  [/Checksum|Verification|Clobber|Link/, "package_install_error"],
];
// The list of packages follows within a few lines, after it the channels that were asked.
const REACH = 3;

export const conda: Tool = {
  name: "conda",
  kind: "install",
  category: "dependency_issue",
  answersTo: (command) => runs(command, ["conda", "mamba", "micromamba", "conda-env", "conda-lock"]),
  /** One diagnostic an error, with the packages it lists. */
  read: (step) => {
    const lines = bareLines(step);
    const found = lines.flatMap((line, at) => readError(line, lines, at));
    // micromamba ends with its error once more, as `critical`, without the tree.
    return found.filter(
      ({ message }, at) => !found.slice(0, at).some((earlier) => earlier.message.startsWith(message)),
    );
  },
};

function readError({ number, text }: LogLine, lines: readonly LogLine[], at: number): Diagnostic[] {
  const [, name, words = ""] = ERROR.exec(text) ?? [];
  const mamba = name === undefined ? MAMBA.exec(text)?.[1] : undefined;
  if (name === undefined && mamba === undefined) return [];
  const facts = factsBelow(lines, at + 1);
  const message = mamba ?? (words === "" ? text.trim() : `${name}: ${words}`);
  return [
    {
      message: [message, ...facts.map((fact) => fact.text.trim())].join("\n").slice(0, 2_000),
      rule: name ?? "libmamba",
      lines: [number, ...facts.map((fact) => fact.number)].slice(0, MAX_QUOTED),
      location: null,
      category: CATEGORIES.find(([says]) => says.test(name ?? ""))?.[1] ?? "dependency_issue",
    },
  ];
}

/** Lists and trees under an error: they may begin after an empty line, and end at the next one. */
function factsBelow(lines: readonly LogLine[], from: number): LogLine[] {
  const gap = lines.slice(from, from + REACH).findIndex(({ text }) => FACT.test(text));
  if (gap === -1) return [];
  const window = lines.slice(from + gap, from + gap + MAX_QUOTED);
  const end = window.findIndex(({ text }) => !FACT.test(text));
  return window.slice(0, end === -1 ? window.length : end);
}
