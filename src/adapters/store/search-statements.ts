import { createHash } from "node:crypto";
import type { ExperienceRecord, Level } from "../../domain/experience.ts";
import { recordText } from "../../domain/record-text.ts";
import type { NearestScope } from "../../ports/experience-store.ts";
import { packTerms, type SearchTerms, searchTerms, unpackTerms } from "../../text/search-terms.ts";
import type { SqliteDatabase } from "./database.ts";

/** What of a record is ranked. */
export interface SearchRow {
  readonly key: number;
  readonly id: string;
  readonly lastSeenMs: number;
  readonly terms: SearchTerms;
  readonly episodes: readonly string[];
  readonly commits: readonly string[];
}

export interface StoredVector {
  readonly embedder: string;
  readonly vector: Uint8Array;
  readonly document: string;
}

/** A record whose vector is still to be made. */
export interface MissingVector {
  readonly key: number;
  /** Hash of the text the vector is made of. */
  readonly document: string;
  readonly text: string;
}

/**
 * What records are found by, beside the rows they belong to and gone with them: hashed terms, made as a record is put, and
 * vectors of each embedder, made when they are asked for. None of these statements opens a transaction, `putVectors` excepted.
 */
export function searchStatements(database: SqliteDatabase) {
  const keyOf = "(SELECT key FROM record WHERE id = ?)";
  const insert = database.prepare(
    "INSERT INTO record_search (key, document, terms, episodes, commits) VALUES (?, ?, ?, ?, ?)",
  );
  const removeTerms = database.prepare(`DELETE FROM record_search WHERE key = ${keyOf}`);
  const removeVectors = database.prepare(`DELETE FROM record_vector WHERE key = ${keyOf}`);
  const vectors = database.prepare<[string], StoredVector>(
    `SELECT embedder, vector, document FROM record_vector JOIN record_search USING (key) WHERE key = ${keyOf}`,
  );
  const vectorsInFile = database.prepare<[string], StoredVector & { readonly id: string }>(
    `SELECT id, embedder, vector, document FROM record_vector JOIN record_search USING (key) JOIN record USING (key)
     WHERE file = ?`,
  );
  // The record may have gone, or its key to another one, while its vector was made.
  const insertVector = database.prepare(
    `INSERT OR REPLACE INTO record_vector (embedder, key, vector)
     SELECT ?, key, ? FROM record_search WHERE key = ? AND document = ?`,
  );

  return {
    remove: (id: string): void => {
      removeVectors.run(id);
      removeTerms.run(id);
    },
    /** To be handed to `put`: a record that is seen again, in the same words, keeps its vectors. */
    vectorsOf: (id: string): readonly StoredVector[] => vectors.all(id),
    put: (key: number | bigint, record: ExperienceRecord, old: readonly StoredVector[]): void => {
      const text = recordText(record);
      const document = createHash("sha256").update(text).digest("hex").slice(0, 32);
      const { episodeIds, provenance } = record.meta;
      insert.run(key, document, packTerms(searchTerms(text)), episodeIds.join(" "), provenance.sourceShas.join(" "));
      for (const { embedder, vector, document: was } of old) {
        if (was === document) insertVector.run(embedder, vector, key, document);
      }
    },
    /** Of all records of a file, by id: what writing it anew must not lose. */
    vectorsOfFile: (file: string): ReadonlyMap<string, readonly StoredVector[]> => {
      const found = new Map<string, StoredVector[]>();
      for (const { id, ...vector } of vectorsInFile.all(file)) found.set(id, [...(found.get(id) ?? []), vector]);
      return found;
    },
    dropFile: (file: string): void => {
      for (const table of ["record_search", "record_vector"]) {
        database.prepare(`DELETE FROM ${table} WHERE key IN (SELECT key FROM record WHERE file = ?)`).run(file);
      }
    },

    /** Changes whenever anybody wrote to the index. */
    version: (): string => {
      const others = database.pragma("data_version", { simple: true });
      return `${others} ${database.prepare<[], number>("SELECT total_changes()").pluck().get()}`;
    },
    /** By id. */
    rows: (level: Level, scope: NearestScope): readonly SearchRow[] => {
      const { where, values } = scopeOf(level, scope);
      return database
        .prepare<unknown[], StoredRow>(
          `SELECT key, id, last_seen_at AS lastSeenAt, terms, episodes, commits
           FROM record JOIN record_search USING (key) WHERE ${where} ORDER BY id`,
        )
        .all(...values)
        .map((row) => ({
          key: row.key,
          id: row.id,
          lastSeenMs: Date.parse(row.lastSeenAt),
          terms: unpackTerms(row.terms),
          episodes: row.episodes === "" ? [] : row.episodes.split(" "),
          commits: row.commits === "" ? [] : row.commits.split(" "),
        }));
    },
    vectors: (embedder: string, level: Level, scope: NearestScope): ReadonlyMap<number, Float32Array> => {
      const { where, values } = scopeOf(level, scope);
      const found = database
        .prepare<unknown[], { key: number; vector: Uint8Array }>(
          `SELECT key, vector FROM record_vector JOIN record USING (key) WHERE embedder = ? AND ${where}`,
        )
        .all(embedder, ...values);
      return new Map(found.map(({ key, vector }) => [key, floatsOf(vector)]));
    },
    /** Active records without a vector of the embedder, of a level in a scope or all; at most `limit`. */
    missing: (
      embedder: string,
      limit: number,
      within: { readonly level: Level; readonly scope: NearestScope } | null,
    ): readonly MissingVector[] => {
      const { where, values } =
        within === null ? { where: "status = 'active'", values: [] } : scopeOf(within.level, within.scope);
      return database
        .prepare<unknown[], { key: number; document: string; content: string }>(
          `SELECT key, document, content FROM record JOIN record_search USING (key)
           WHERE ${where} AND key NOT IN (SELECT key FROM record_vector WHERE embedder = ?) ORDER BY key LIMIT ?`,
        )
        .all(...values, embedder, limit)
        .map(({ content, ...row }) => ({ ...row, text: recordText(JSON.parse(content) as ExperienceRecord) }));
    },
    /** One batch, on disk when it returns. */
    putVectors: (embedder: string, made: readonly (MissingVector & { readonly vector: Float32Array })[]): void =>
      database
        .transaction(() => {
          for (const { key, document, vector } of made) {
            insertVector.run(embedder, new Uint8Array(Float32Array.from(vector).buffer), key, document);
          }
        })
        .immediate(),
    /** Numbers in the vectors of an embedder; null when it has none. */
    dimensions: (embedder: string): number | null => {
      const bytes = database
        .prepare<[string], number>("SELECT length(vector) FROM record_vector WHERE embedder = ? LIMIT 1")
        .pluck()
        .get(embedder);
      return bytes === undefined ? null : bytes / Float32Array.BYTES_PER_ELEMENT;
    },
  };
}

export type SearchStatements = ReturnType<typeof searchStatements>;

interface StoredRow extends Pick<SearchRow, "key" | "id"> {
  readonly lastSeenAt: string;
  readonly terms: Uint8Array;
  readonly episodes: string;
  readonly commits: string;
}

function scopeOf(level: Level, { tenants, patternTenants, repo, workflow }: NearestScope) {
  const accounts = level === "L3" ? patternTenants : tenants;
  const parts: [string, ...unknown[]][] = [
    ["level = ?", level],
    ["status = 'active'"],
    [`tenant IN (${accounts.map(() => "?").join(", ")})`, ...accounts],
  ];
  // Names of repositories are the same in any case at GitHub.
  if (level !== "L3") parts.push(["repo = ? COLLATE NOCASE", repo]);
  if (level === "L1" && workflow !== null) parts.push(["(workflow = ? OR workflow IS NULL)", workflow]);
  return { where: parts.map(([sql]) => sql).join(" AND "), values: parts.flatMap(([, ...values]) => values) };
}

/** Numbers of four bytes must lie at a multiple of four. */
function floatsOf(bytes: Uint8Array): Float32Array {
  return new Float32Array(new Uint8Array(bytes).buffer);
}
