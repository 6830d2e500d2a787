import type { FailureClass } from "../domain/category.ts";
import type { StepLog } from "../domain/ci-run.ts";
import type { Location, StackFrame, ValidationKind } from "../domain/evidence.ts";

/** A program that speaks in CI logs: how to know it, read it, re-run it, and let it mend its own findings. */
export interface Tool {
  /** Its own name, lower case: `eslint`, `go test`. */
  readonly name: string;
  readonly kind: ValidationKind;
  /** The class of its failures unless a diagnostic says otherwise (papers §8.8). */
  readonly category: FailureClass;
  /** Whether this simple command (package scripts already resolved) runs the tool. */
  answersTo(command: string): boolean;
  /** What it reported. Reads nothing that another tool printed; empty when it said nothing it can be quoted with. Never throws. */
  read(log: StepLog): readonly Diagnostic[];
  /** Its own way to mend what it found, for this simple command; null when it has none. */
  readonly fix?: FixRule;
  /** The command narrowed to what failed; null when it cannot be narrowed. */
  narrow?(command: string, diagnostics: readonly Diagnostic[]): string | null;
}

/** One thing a tool reported. */
export interface Diagnostic {
  readonly message: string;
  /** Line numbers (`LogLine.number`) that say so, ascending. */
  readonly lines: readonly number[];
  readonly rule?: string | null;
  readonly location?: Location | null;
  readonly testId?: string | null;
  readonly expected?: string | null;
  readonly actual?: string | null;
  readonly stack?: readonly StackFrame[];
  /** When it is not the tool's usual class. */
  readonly category?: FailureClass;
}

export interface FixRule {
  /** The fixing command for the failing simple command, or null when this form of it has none. */
  derive(command: string): string | null;
  /** It installs or resolves dependencies: it runs in the setup phase (design §9). */
  readonly installs: boolean;
  /** Files it is there to change, relative to the repository; without it any but manifests and lock files. */
  mayTouch?(path: string): boolean;
  /** Whether our tests ran it for real, or only the derivation is tested. */
  readonly proven: "executed" | "derivation-only";
}
