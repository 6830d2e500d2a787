/** What a repair leaves behind: its transcripts. Rejects only when the data folder cannot be written. */
export interface RunStore {
  /** A transcript of one attempt; entries are on disk when `append` resolves. */
  openTranscript(repair: string, attempt: string): Promise<TranscriptFile>;
}

export interface TranscriptFile {
  /** Where a person finds it. */
  readonly path: string;
  /** One JSON line. The caller has redacted it. */
  append(entry: Readonly<Record<string, unknown>>): Promise<void>;
}
