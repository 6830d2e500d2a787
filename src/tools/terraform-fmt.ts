import { bareLines } from "./bare-lines.ts";
import { changeArgs } from "./change-args.ts";
import { programOf } from "./run-program.ts";
import type { Diagnostic, Tool } from "./tool.ts";
import { changedPlaces, fileDiagnostic, isBarePath, mentions } from "./unformatted-files.ts";

const PROGRAMS = ["terraform", "tofu", "terragrunt"];

export const terraformFmt: Tool = {
  name: "terraform fmt",
  kind: "format",
  category: "code_formatting",
  answersTo: (command) => {
    const call = programOf(command);
    return call !== null && PROGRAMS.includes(call.program) && /^(?:fmt|hclfmt)$/.test(call.args[0]?.value ?? "");
  },
  /** `fmt -check` prints the names of the files alone. */
  read: (step) => {
    if (!mentions(step, /\b(?:terraform|tofu|terragrunt) (?:fmt|hclfmt)\b/)) return [];
    const lines = bareLines(step);
    const places = changedPlaces(lines.map((line) => ({ ...line, text: line.text.replace(/^--- old\//, "--- ") })));
    return lines.flatMap(({ number, text }): Diagnostic[] => {
      if (!isBarePath(text, ["tf", "tfvars", "hcl"])) return [];
      return [fileDiagnostic(text.trim(), [number], places.get(text.trim()) ?? null)];
    });
  },
  fix: {
    derive: (command) =>
      changeArgs(command, [
        {
          programs: PROGRAMS,
          subcommand: ["fmt"],
          drop: /^--?(?:check|diff|write=false|list=\w+)(?:=true)?$/,
          needsDrop: true,
        },
      ]),
    installs: false,
    mayTouch: (path) => /\.(?:tf|tfvars|hcl)$/.test(path),
    proven: "derivation-only",
  },
};
