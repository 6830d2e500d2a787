/** Where a run's logs come from: a file, an archive, a folder, GitHub. */
export interface LogSource {
  /**
   * The log files in the order of their jobs. Rejects with UnreadableSource, whose message is one clear line, when there
   * is no log to be had (missing, not a log, a bomb); an empty log is a log.
   */
  files(): Promise<readonly LogFile[]>;
}

export interface LogFile {
  /** Relative to the source, e.g. `0_test.txt` or `test/4_Run npm test.txt`; the file's own name for a single file. */
  readonly name: string;
  /** Bytes in order, read once; chunks need not end at line ends. A chunk is good until the next is asked for. */
  chunks(): AsyncIterable<Uint8Array>;
}

export class UnreadableSource extends Error {
  override readonly name = "UnreadableSource";
}
