/** Somewhere to look things up: what a library changed, what an error means. */
export interface References {
  /** At most 8,000 tokens in all, best first; empty when nothing is found. Never rejects. */
  find(query: ReferenceQuery): Promise<readonly Reference[]>;
}

/** What may be asked: words about libraries, versions and errors, and never code of the repository. */
export interface ReferenceQuery {
  readonly words: string;
  /** Names of dependencies that the failure speaks of. */
  readonly dependencies: readonly string[];
}

export interface Reference {
  /** By what name it is cited: a file in a dependency, a page. */
  readonly source: string;
  /** Untrusted text. */
  readonly text: string;
}
