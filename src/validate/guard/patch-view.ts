import type { EngineName } from "../../domain/attempt.ts";
import type { FailureClass } from "../../domain/category.ts";
import type { GuardFinding } from "../../domain/patch.ts";
import type { Policy } from "../../domain/policy.ts";
import type { FileDiff } from "../../text/diff.ts";
import { parseDiff, pathOf } from "../../text/diff.ts";
import { type FileKind, kindOf } from "./file-kind.ts";
import { isFormatOnly } from "./format-only.ts";
import { type MaskedCode, maskCode } from "./mask-code.ts";

export interface GuardInput {
  /** `git diff --binary` text. */
  readonly patch: string;
  /** Content of a file before and after the patch; null when it is not there or not text. */
  before(path: string): string | null;
  after(path: string): string | null;
  readonly policy: Pick<Policy, "protectedPaths" | "limits">;
  readonly category: FailureClass;
  readonly tool: string | null;
  /** `autofix` is not bound by the limits of files and lines. */
  readonly engine: EngineName;
  /** The check that failed, as it can be read in the log. */
  readonly failingCommand: string | null;
  /** The failing check says that the lockfile does not fit: then it may change alone. */
  readonly lockfileIsTheCheck: boolean;
  /** How many places of the repository, before the patch, hold this text: a suppression is a habit from three on. */
  occurrences(text: string): number;
}

/** One changed file with everything the rules ask about it. */
export interface ChangedFile {
  readonly path: string;
  readonly oldPath: string | null;
  readonly kind: FileKind;
  readonly oldKind: FileKind;
  readonly diff: FileDiff;
  /** "" where the side does not exist or is not text. */
  readonly before: string;
  readonly after: string;
  readonly maskedBefore: MaskedCode;
  readonly maskedAfter: MaskedCode;
  readonly formatOnly: boolean;
}

export interface PatchView extends Omit<GuardInput, "before" | "after"> {
  readonly files: readonly ChangedFile[];
  /** Those in which more than the format changed. */
  readonly changed: readonly ChangedFile[];
}

/** One way in which a patch can be wrong. */
export interface GuardRule {
  readonly name: string;
  /** What it looks at, for people. */
  readonly looksAt: string;
  find(patch: PatchView): readonly Omit<GuardFinding, "rule">[];
}

/** Throws BadDiff for a patch that is not well-formed. */
export function viewPatch(input: GuardInput): PatchView {
  const files = parseDiff(input.patch).map((diff) => viewFile(diff, input));
  return { ...input, files, changed: files.filter((file) => !file.formatOnly) };
}

function viewFile(diff: FileDiff, input: GuardInput): ChangedFile {
  const path = pathOf(diff);
  const oldPath = diff.status === "copied" ? null : diff.oldPath;
  const before = oldPath === null ? "" : (input.before(oldPath) ?? "");
  const after = diff.newPath === null ? "" : (input.after(diff.newPath) ?? "");
  return {
    path,
    oldPath,
    kind: kindOf(path),
    oldKind: kindOf(oldPath ?? path),
    diff,
    before,
    after,
    maskedBefore: maskCode(oldPath ?? path, before),
    maskedAfter: maskCode(path, after),
    formatOnly:
      diff.status === "modified" && !diff.binary && diff.hunks.length > 0 && isFormatOnly(path, before, after),
  };
}

export function isTestFile(file: ChangedFile): boolean {
  return isTestKind(file.kind) || isTestKind(file.oldKind);
}

function isTestKind(kind: FileKind): boolean {
  return kind === "test" || kind === "test-setup";
}
