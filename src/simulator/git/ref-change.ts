/** What git writes where there is no commit: before a ref is created and after it is deleted. */
export const NO_COMMIT = "0".repeat(40);

export interface RefChange {
  readonly ref: string;
  readonly before: string;
  readonly after: string;
}
