/** A change to the tree as `git diff --binary` text against the tree it was made on. */
export interface Patch {
  readonly text: string;
  readonly files: readonly string[];
}

/** Why the guard refuses a patch or wants a person to look at it. */
export interface GuardFinding {
  readonly rule: string;
  readonly file: string;
  readonly line: number | null;
  readonly message: string;
}

export interface GuardVerdict {
  /** Any refusal: the patch is never pushed. */
  readonly refusals: readonly GuardFinding[];
  /** It touches a test, snapshot or CI file: never marked ready by us. */
  readonly needsPerson: readonly GuardFinding[];
}
