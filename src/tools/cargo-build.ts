import type { LogLine } from "../domain/ci-run.ts";
import { bareLines } from "./bare-lines.ts";
import { readCargoErrors } from "./cargo-errors.ts";
import { subcommandAt } from "./cargo-fmt.ts";
import { runs } from "./run-program.ts";
import { readRustcErrors } from "./rustc-errors.ts";
import type { Diagnostic, Tool } from "./tool.ts";

/** Whether a simple command is cargo with one of these subcommands. */
export function runsCargo(command: string, subcommands: readonly string[]): boolean {
  return subcommands.some((one) => subcommandAt(command, one) !== -1);
}

/** What keeps Rust code from being built, in the order of the log. */
export function readCargoBuild(lines: readonly LogLine[]): readonly Diagnostic[] {
  return [...readCargoErrors(lines), ...readRustcErrors(lines)].sort((a, b) => (a.lines[0] ?? 0) - (b.lines[0] ?? 0));
}

export const cargoBuild: Tool = {
  name: "cargo build",
  kind: "build",
  category: "type_checking",
  answersTo: (command) =>
    runs(command, ["rustc", "cross", "wasm-pack"]) ||
    runsCargo(command, [
      "build",
      "b",
      "check",
      "c",
      "run",
      "r",
      "install",
      "rustc",
      "publish",
      "package",
      "fetch",
      "update",
      "metadata",
      "hack",
      "bench",
      "build-wasm",
    ]),
  read: (step) => readCargoBuild(bareLines(step)),
};

export const cargoDoc: Tool = {
  name: "cargo doc",
  kind: "docs",
  category: "doc_docstring",
  answersTo: (command) => runs(command, ["rustdoc"]) || runsCargo(command, ["doc", "rustdoc"]),
  read: (step) => readCargoBuild(bareLines(step)),
};
