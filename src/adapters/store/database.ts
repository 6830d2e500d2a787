import { mkdirSync } from "node:fs";
import path from "node:path";
import Database from "better-sqlite3";

export type SqliteDatabase = Database.Database;

// Another process of ours (a command line beside the server) may hold the write lock for the length of one transaction.
const BUSY_TIMEOUT_MS = 10_000;

/** Opens `retrace.db` in the data folder, makes it if it is not there, and brings its tables up to date. */
export function openDatabase(dataDir: string): SqliteDatabase {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const database = new Database(path.join(dataDir, "retrace.db"), { timeout: BUSY_TIMEOUT_MS });
  database.pragma("journal_mode = WAL");
  // A delivery is answered once it is kept: that must hold through a power cut too.
  database.pragma("synchronous = FULL");
  database.pragma("foreign_keys = ON");
  migrate(database);
  return database;
}

/** Each entry brings the tables one version further; entries are only ever added. */
const MIGRATIONS: readonly string[] = [
  `CREATE TABLE delivery (
     guid TEXT PRIMARY KEY, event TEXT NOT NULL, payload TEXT NOT NULL, received_at TEXT NOT NULL,
     handled INTEGER NOT NULL DEFAULT 0, position INTEGER NOT NULL
   ) STRICT;
   CREATE INDEX delivery_unhandled ON delivery (position) WHERE handled = 0;
   CREATE TABLE incident (
     id TEXT PRIMARY KEY, key TEXT NOT NULL UNIQUE, repository_id INTEGER NOT NULL, pull_request INTEGER,
     branch TEXT NOT NULL, opened_at TEXT NOT NULL, commit_sha TEXT, published_pull_request INTEGER, content TEXT NOT NULL
   ) STRICT;
   CREATE INDEX incident_commit ON incident (repository_id, commit_sha);
   CREATE INDEX incident_pull_request ON incident (repository_id, pull_request);
   CREATE INDEX incident_published ON incident (repository_id, published_pull_request);
   CREATE INDEX incident_branch ON incident (repository_id, branch);
   CREATE TABLE job (
     id INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT NOT NULL, kind TEXT NOT NULL, job_group TEXT, run_at INTEGER NOT NULL,
     data TEXT NOT NULL, tries INTEGER NOT NULL DEFAULT 0, owner TEXT, leased_until INTEGER, why TEXT
   ) STRICT;
   CREATE UNIQUE INDEX job_waiting ON job (key) WHERE owner IS NULL;
   CREATE INDEX job_due ON job (run_at) WHERE owner IS NULL;
   CREATE INDEX job_group_busy ON job (job_group) WHERE owner IS NOT NULL;`,
  // How often in a row it failed, and how often whoever worked on it was gone.
  `ALTER TABLE job ADD COLUMN failures INTEGER NOT NULL DEFAULT 0;
   ALTER TABLE job ADD COLUMN deaths INTEGER NOT NULL DEFAULT 0;`,
];

function migrate(database: SqliteDatabase): void {
  const upgrade = database.transaction(() => {
    const version = Number(database.pragma("user_version", { simple: true }));
    for (const step of MIGRATIONS.slice(version)) database.exec(step);
    database.pragma(`user_version = ${MIGRATIONS.length}`);
  });
  upgrade.exclusive();
}
