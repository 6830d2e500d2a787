/** One line of what `doctor` looked at. */
export interface Finding {
  readonly what: string;
  /** Null when it is all right. */
  readonly wrong: string | null;
}
