/** What a command ends with (design §5). */
export const EXIT = { done: 0, notDone: 1, usage: 2, environment: 3 } as const;

/** Bad usage or unreadable input: one line on stderr, exit 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** What is missing here before work can start: one line on stderr, exit 3. */
export class EnvironmentError extends Error {
  override readonly name = "EnvironmentError";
}
