/** What a command ends with (design §5). */
export const EXIT = { done: 0, notDone: 1, usage: 2, environment: 3 } as const;

/** Stopped by a signal: the clone is as it was, everything of ours is taken away; exit 128 + the signal's number, as shells do. */
export class Interrupted extends Error {
  override readonly name = "Interrupted";

  constructor(readonly exitCode: number) {
    super("stopped; the clone is as it was");
  }
}

/** Bad usage or unreadable input: one line on stderr, exit 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** What is missing here before work can start: one line on stderr, exit 3. */
export class EnvironmentError extends Error {
  override readonly name = "EnvironmentError";
}
