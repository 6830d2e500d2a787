import type { Episode, ExperienceRecord, ExperienceScope, Level } from "../domain/experience.ts";

/** Which records: a field that is left out does not narrow; `repo: null` means those of no repository. */
export interface ExperienceFilter {
  readonly tenant?: string;
  readonly repo?: string | null;
  readonly workflow?: string | null;
  readonly level?: Level;
  readonly status?: ExperienceRecord["meta"]["status"];
}

/** An episode that was learned from, with or without records. */
export interface KeptEpisode
  extends Pick<
    Episode,
    "id" | "repo" | "workflow" | "pr" | "failSha" | "passSha" | "completeness" | "fixedByBase" | "quality"
  > {
  readonly tenant: string;
  /** Some of its commits are a person's, so it may vote for a recurring pattern. */
  readonly byPerson: boolean;
  /** Some of its commits are ours. */
  readonly byRetrace: boolean;
  /** When it turned green, where that is known; else when it was learned. ISO 8601. */
  readonly at: string;
}

/** What became of one record that was to be written. */
export interface Written {
  readonly id: string;
  readonly ended: "kept" | "unchanged" | "refused" | "forgotten";
  /** Why it was not kept; null when it was. */
  readonly why: string | null;
}

/** What became of one line of an export. */
export interface Imported extends Written {
  /** 1-based. */
  readonly line: number;
}

export interface FoundExperience {
  readonly record: ExperienceRecord;
  /** Higher is nearer; only comparable within one answer. */
  readonly score: number;
}

/** Where the nearest records are taken from, before anything is ranked (papers §1.10 T4). */
export interface NearestScope {
  /** Accounts whose concrete repairs and strategies count. */
  readonly tenants: readonly string[];
  /** Accounts whose patterns count. */
  readonly patternTenants: readonly string[];
  readonly repo: string;
  /** Null where it is not known: then every workflow of the repository counts. */
  readonly workflow: string | null;
  /** Of the target itself: what was learned from it must not guide its own repair (design §10.8). */
  readonly ownCommits: readonly string[];
  readonly ownEpisodes: readonly string[];
}

export interface NearestQuery {
  readonly level: Level;
  readonly text: string;
}

export interface Nearest {
  /** One answer for each question, in order: best first, ties by id. */
  readonly answers: readonly (readonly FoundExperience[])[];
  /** Why the configured embedder was not used, the first time it was not; null otherwise. */
  readonly fellBack: string | null;
}

/** Something the store mended or could not read. */
export interface StoreFinding {
  /** Relative to the store's folder. */
  readonly file: string;
  /** 1-based; null when it concerns the whole file. */
  readonly line: number | null;
  readonly what: string;
}

export interface CheckReport {
  readonly files: number;
  readonly lines: number;
  readonly records: number;
  readonly episodes: number;
  readonly forgotten: number;
  /** Lines that cannot be read, hold what looks like a secret, or break a rule; records the index does not know as the files do. */
  readonly findings: readonly StoreFinding[];
}

export interface StoreStats {
  readonly records: Readonly<Record<Level, number>>;
  readonly quarantined: number;
  readonly retired: number;
  readonly episodes: number;
}

/**
 * Long memory (design §3, §10.8): JSON lines are the truth, everything else is an index over them. Several processes may use
 * one store at the same time.
 *
 * - What was written when a promise resolved is on disk, and survives a kill at any moment: a line is there whole or not at
 *   all. A torn last line is cut off when the store is next opened or written to, and is told as a finding.
 * - Every text is redacted before it is written, and again when it is read.
 * - A record that breaks a rule of hygiene (`poisonIn`) is refused, wherever it comes from.
 * - The newest version of a record is the one that counts. Same id and same content: nothing is written.
 * - A forgotten record stays forgotten: its text leaves the disk, neither its id nor its content is taken again.
 *
 * Rejects only when the disk does.
 */
export interface ExperienceStore {
  /** What was mended on opening, and lines that cannot be read. */
  readonly findings: readonly StoreFinding[];

  /** Writes records, in order; each is kept, found unchanged, or refused by itself. */
  append(records: readonly ExperienceRecord[]): Promise<readonly Written[]>;
  /**
   * Reads the records of a scope, decides, and writes, while nobody else can write. `decide` must be quick and pure; it
   * sees every record of the tenant and repository (of no repository for null), retired ones too.
   */
  change(
    scope: Pick<ExperienceScope, "tenant" | "repo">,
    decide: (existing: readonly ExperienceRecord[]) => readonly ExperienceRecord[],
  ): Promise<readonly Written[]>;
  get(id: string): Promise<ExperienceRecord | null>;
  /** By level, then newest first, then by id. */
  list(filter?: ExperienceFilter): Promise<readonly ExperienceRecord[]>;
  /** By words, best first; records that share no word are left out. Empty for a text without words. */
  search(text: string, filter: ExperienceFilter, limit: number): Promise<readonly FoundExperience[]>;

  /**
   * The records nearest to each question at its level, within the scope: L1 of the same workflow (or of none that is known)
   * of the repository, L2 of the repository, L3 of the accounts. Active records only. Exact, without a threshold: as many as there are, at most
   * `limit`. An L1 record is near by itself or by its whole episode; age counts against L1 and L2 (papers §13.4). Ranked by the embedder
   * the store was opened with; by words when that fails.
   */
  nearest(queries: readonly NearestQuery[], scope: NearestScope, limit: number, now: Date): Promise<Nearest>;
  /** Makes the vectors of the embedder that are still missing; how many. A kill in between loses one batch at most. Rejects with EmbedderFailed. */
  embedMissing(): Promise<number>;

  /** Keeps an episode once; true when it was new. */
  keepEpisode(episode: KeptEpisode): Promise<boolean>;
  /** Newest first, then by id. */
  episodes(filter?: Pick<ExperienceFilter, "tenant" | "repo" | "workflow">): Promise<readonly KeptEpisode[]>;

  /**
   * Forgets a record, and what was made from it and nothing else. Returns the ids, none when it is not known. What was made
   * from other records too stays, without it as a parent.
   */
  forget(id: string, at: Date): Promise<readonly string[]>;
  /**
   * Removes all of a tenant, or of one of its repositories, with its episodes, and what was made from that alone. Unlike
   * `forget` it may be learned again. Returns how many records went.
   */
  forgetScope(scope: { readonly tenant: string; readonly repo: string | null }, at: Date): Promise<number>;

  /** Records and episodes as the lines of the store, to be read by `importLines` elsewhere. */
  exportLines(filter?: ExperienceFilter): Promise<readonly string[]>;
  /**
   * Takes the lines of an export into a tenant's memory, under the same rules as `append`. A record that is here in the same or a
   * newer version is left as it is; one that was made from others of which none is here is kept in quarantine.
   */
  importLines(text: string, tenant: string): Promise<readonly Imported[]>;

  stats(filter?: ExperienceFilter): Promise<StoreStats>;
  /** Reads every line again and compares; mends nothing. */
  check(): Promise<CheckReport>;
  /** Makes the index anew from the lines, and takes out of the lines what by now is known to be a secret. */
  rebuild(): Promise<CheckReport>;
  close(): Promise<void>;
}
