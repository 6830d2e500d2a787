import { mkdirSync, rmSync } from "node:fs";
import path from "node:path";
import Database from "better-sqlite3";
import type { ExperienceRecord } from "../../domain/experience.ts";
import type { ExperienceFilter, KeptEpisode, StoreFinding } from "../../ports/experience-store.ts";
import { searchText } from "../../text/search-words.ts";
import type { SqliteDatabase } from "./database.ts";
import type { Tombstone } from "./experience-schema.ts";
import { type StoredVector, searchStatements } from "./search-statements.ts";

/** Everything here can be made anew from the lines; a file of another version is thrown away. */
const INDEX_VERSION = 2;
const TABLES = `
  CREATE TABLE file (path TEXT PRIMARY KEY, inode INTEGER NOT NULL, bytes INTEGER NOT NULL, lines INTEGER NOT NULL) STRICT;
  CREATE TABLE record (
    key INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, file TEXT NOT NULL, level TEXT NOT NULL, tenant TEXT NOT NULL, repo TEXT,
    workflow TEXT, status TEXT NOT NULL, last_seen_at TEXT NOT NULL, content_hash TEXT NOT NULL, content TEXT NOT NULL
  ) STRICT;
  CREATE INDEX record_scope ON record (tenant, repo, workflow, level);
  CREATE INDEX record_file ON record (file);
  CREATE VIRTUAL TABLE record_text USING fts5 (text, tokenize = 'unicode61 remove_diacritics 2');
  CREATE TABLE record_search (
    key INTEGER PRIMARY KEY, document TEXT NOT NULL, terms BLOB NOT NULL, episodes TEXT NOT NULL, commits TEXT NOT NULL
  ) STRICT;
  CREATE TABLE record_vector (
    embedder TEXT NOT NULL, key INTEGER NOT NULL, vector BLOB NOT NULL, PRIMARY KEY (embedder, key)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX record_vector_key ON record_vector (key);
  CREATE TABLE episode (
    id TEXT NOT NULL, file TEXT NOT NULL, tenant TEXT NOT NULL, repo TEXT NOT NULL, workflow TEXT, at TEXT NOT NULL,
    content TEXT NOT NULL, PRIMARY KEY (tenant, id)
  ) STRICT;
  CREATE TABLE tombstone (id TEXT PRIMARY KEY, file TEXT NOT NULL, tenant TEXT NOT NULL, content_hash TEXT NOT NULL) STRICT;
  CREATE INDEX tombstone_hash ON tombstone (tenant, content_hash);
  CREATE TABLE finding (file TEXT NOT NULL, line INTEGER NOT NULL, what TEXT NOT NULL) STRICT;`;

// Another process may hold the write lock for as long as it writes one episode.
const BUSY_TIMEOUT_MS = 30_000;

/** Opens the index, or makes an empty one where there is none that can be used. Its write lock guards the files too. */
export function openIndex(file: string): SqliteDatabase {
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  try {
    return openTables(file);
  } catch (error) {
    if (!isBroken(error)) throw error;
    for (const suffix of ["", "-wal", "-shm"]) rmSync(file + suffix, { force: true });
    return openTables(file);
  }
}

function openTables(file: string): SqliteDatabase {
  const database = new Database(file, { timeout: BUSY_TIMEOUT_MS });
  try {
    database.pragma("journal_mode = WAL");
    // After a power cut the index may lack its last rows: they are read from the files again.
    database.pragma("synchronous = NORMAL");
    // A rebuild is one transaction: what does not fit here is written twice.
    database.pragma("cache_size = -65536"); // KiB
    // What is forgotten must not stay in free pages.
    database.pragma("secure_delete = ON");
    database.transaction(() => makeTables(database)).exclusive();
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

function makeTables(database: SqliteDatabase): void {
  if (database.pragma("user_version", { simple: true }) === INDEX_VERSION) return;
  const names = database
    .prepare<[], { name: string }>(
      "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE 'record_text_%'",
    )
    .all();
  for (const { name } of names) database.exec(`DROP TABLE "${name}"`);
  database.exec(TABLES);
  database.exec("INSERT INTO record_text (record_text, rank) VALUES ('secure-delete', 1)");
  database.pragma(`user_version = ${INDEX_VERSION}`);
}

function isBroken(error: unknown): boolean {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return code.startsWith("SQLITE_CORRUPT") || code === "SQLITE_NOTADB";
}

export interface FileMark {
  readonly inode: number;
  readonly bytes: number;
  readonly lines: number;
}

/** The statements the store is made of. None of them opens a transaction. */
export function indexStatements(database: SqliteDatabase) {
  const run = (sql: string) => {
    const statement = database.prepare(sql);
    return (...values: unknown[]) => statement.run(...values).changes;
  };
  const all = <Row>(sql: string, ...values: unknown[]): Row[] => database.prepare<unknown[], Row>(sql).all(...values);
  const removeText = run("DELETE FROM record_text WHERE rowid = (SELECT key FROM record WHERE id = ?)");
  const removeRow = run("DELETE FROM record WHERE id = ?");
  const search = searchStatements(database);
  const addText = run("INSERT INTO record_text (rowid, text) VALUES (?, ?)");
  const insertRecord = database.prepare(
    `INSERT INTO record (id, file, level, tenant, repo, workflow, status, last_seen_at, content_hash, content)
     VALUES (@id, @file, @level, @tenant, @repo, @workflow, @status, @lastSeenAt, @contentHash, @content)`,
  );
  const one = database.prepare<[string], { content: string }>("SELECT content FROM record WHERE id = ?");
  let held: ReadonlyMap<string, readonly StoredVector[]> = new Map();
  const removeRecord = (id: string): boolean => {
    removeText(id);
    search.remove(id);
    return removeRow(id) > 0;
  };

  return {
    mark: (file: string): FileMark | null =>
      all<FileMark>("SELECT inode, bytes, lines FROM file WHERE path = ?", file)[0] ?? null,
    setMark: run("INSERT OR REPLACE INTO file (path, inode, bytes, lines) VALUES (?, ?, ?, ?)"),
    knownFiles: () => all<{ path: string }>("SELECT path FROM file ORDER BY path").map((row) => row.path),

    putRecord: (file: string, record: ExperienceRecord): void => {
      const { meta, level } = record;
      const isKnown = one.get(meta.id) !== undefined;
      const vectors = isKnown ? search.vectorsOf(meta.id) : (held.get(meta.id) ?? []);
      if (isKnown) removeRecord(meta.id);
      const { lastInsertRowid } = insertRecord.run({
        id: meta.id,
        file,
        level,
        ...meta.scope,
        status: meta.status,
        lastSeenAt: meta.lastSeenAt,
        contentHash: meta.contentHash,
        content: JSON.stringify(record),
      });
      addText(lastInsertRowid, searchText(record.body));
      search.put(lastInsertRowid, record, vectors);
    },
    removeRecord,
    record: (id: string): ExperienceRecord | null => readRow<ExperienceRecord>(one.get(id)),
    records: (filter: ExperienceFilter): ExperienceRecord[] => {
      const { where, values } = whereOf(filter);
      return rows<ExperienceRecord>(
        all(`SELECT content FROM record ${where} ORDER BY level, last_seen_at DESC, id`, ...values),
      );
    },
    search: (match: string, filter: ExperienceFilter, limit: number) => {
      const { where, values } = whereOf(filter, "record_text MATCH ?");
      return all<{ content: string; rank: number }>(
        `SELECT record.content, bm25(record_text) AS rank FROM record_text JOIN record ON record.key = record_text.rowid
         ${where} ORDER BY rank, record.id LIMIT ?`,
        match,
        ...values,
        limit,
      ).map(({ content, rank }) => ({ record: JSON.parse(content) as ExperienceRecord, score: -rank }));
    },

    putEpisode: (file: string, episode: KeptEpisode): void => {
      database
        .prepare(
          "INSERT OR REPLACE INTO episode (id, file, tenant, repo, workflow, at, content) VALUES (?, ?, ?, ?, ?, ?, ?)",
        )
        .run(episode.id, file, episode.tenant, episode.repo, episode.workflow, episode.at, JSON.stringify(episode));
    },
    hasEpisode: (tenant: string, id: string): boolean =>
      all("SELECT 1 FROM episode WHERE tenant = ? AND id = ?", tenant, id).length > 0,
    episodes: (filter: ExperienceFilter): KeptEpisode[] => {
      const { where, values } = whereOf(filter);
      return rows<KeptEpisode>(all(`SELECT content FROM episode ${where} ORDER BY at DESC, id`, ...values));
    },

    putTombstone: (file: string, { id, tenant, contentHash }: Tombstone): void => {
      database
        .prepare("INSERT OR REPLACE INTO tombstone (id, file, tenant, content_hash) VALUES (?, ?, ?, ?)")
        .run(id, file, tenant, contentHash);
    },
    isForgotten: (tenant: string, id: string, contentHash: string): boolean =>
      all("SELECT 1 FROM tombstone WHERE id = ? OR (tenant = ? AND content_hash = ?)", id, tenant, contentHash).length >
      0,
    tombstones: (): number => all("SELECT 1 FROM tombstone").length,

    addFinding: run("INSERT INTO finding (file, line, what) VALUES (?, ?, ?)"),
    findings: (): StoreFinding[] => all("SELECT file, line, what FROM finding ORDER BY file, line"),

    /** While a file is taken in anew, its records keep their vectors where their words stay the same. */
    holdingVectors: (file: string, work: () => void): void => {
      held = search.vectorsOfFile(file);
      try {
        work();
      } finally {
        held = new Map();
      }
    },
    /** All that came from one file. */
    dropFile: (file: string): void => {
      database.prepare("DELETE FROM record_text WHERE rowid IN (SELECT key FROM record WHERE file = ?)").run(file);
      search.dropFile(file);
      for (const table of ["record", "episode", "tombstone", "finding"]) {
        database.prepare(`DELETE FROM ${table} WHERE file = ?`).run(file);
      }
      database.prepare("DELETE FROM file WHERE path = ?").run(file);
    },
  };
}

export type IndexStatements = ReturnType<typeof indexStatements>;

interface ContentRow {
  readonly content: string;
}

// Rows are written by the statements above alone, from lines that were checked.
function readRow<T>(row: ContentRow | undefined): T | null {
  return row === undefined ? null : (JSON.parse(row.content) as T);
}

function rows<T>(found: readonly unknown[]): T[] {
  return found.map((row) => JSON.parse((row as ContentRow).content) as T);
}

function whereOf(
  filter: ExperienceFilter,
  ...also: readonly string[]
): { readonly where: string; readonly values: readonly unknown[] } {
  const asked = (["tenant", "repo", "workflow", "level", "status"] as const).filter(
    (column) => filter[column] !== undefined,
  );
  const conditions = [...also, ...asked.map((column) => `${column} IS ?`)];
  return {
    where: conditions.length === 0 ? "" : `WHERE ${conditions.join(" AND ")}`,
    values: asked.map((column) => filter[column]),
  };
}
