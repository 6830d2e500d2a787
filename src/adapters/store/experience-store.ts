import path from "node:path";
import type { ExperienceRecord } from "../../domain/experience.ts";
import { refusalOf } from "../../domain/experience-hygiene.ts";
import type { Embedder } from "../../ports/embedder.ts";
import type {
  ExperienceStore,
  FoundExperience,
  KeptEpisode,
  StoreFinding,
  Written,
} from "../../ports/experience-store.ts";
import { searchQuestion } from "../../text/search-words.ts";
import { whoFollows, withoutParents } from "./experience-descent.ts";
import {
  appendLines,
  episodeFile,
  recordFile,
  removeFolder,
  repositoryFolder,
  syncFile,
  tenantFolder,
} from "./experience-files.ts";
import { indexStatements, openIndex } from "./experience-index.ts";
import { decodeLine, encodeLine, type StoreLine } from "./experience-lines.ts";
import { hasSecretName, redactRecord } from "./experience-redaction.ts";
import { StoredRecord } from "./experience-schema.ts";
import { experienceSync } from "./experience-sync.ts";
import { type NearId, nearestRecords } from "./nearest.ts";
import { searchStatements } from "./search-statements.ts";

/**
 * The experience store in `<dataDir>/experience`: JSON lines, and `index.db` beside them that can be made anew. Without an embedder
 * records are found by words.
 */
export function fileExperienceStore(dataDir: string, embedder: Embedder | null = null): ExperienceStore {
  const root = path.join(dataDir, "experience");
  const database = openIndex(path.join(root, "index.db"));
  const index = indexStatements(database);
  const sync = experienceSync(root, index);
  const near = nearestRecords(searchStatements(database), embedder);
  // One writer at a time, over all processes: whoever holds the index's write lock may touch the files.
  // Its lines are on the disk before the index is told for good.
  const locked = <T>(work: () => T): T =>
    database
      .transaction(() => {
        const result = work();
        for (const file of unsynced) syncFile(file);
        unsynced.clear();
        return result;
      })
      .immediate();
  const unsynced = new Set<string>();

  /** The index's write-ahead log still holds what was deleted. Another reader at this moment leaves it to the next one. */
  const emptyLog = (): void => void database.pragma("wal_checkpoint(TRUNCATE)");

  const write = (file: string, lines: readonly StoreLine[]): void => {
    if (lines.length === 0) return;
    appendLines(path.join(root, file), lines.map(encodeLine));
    unsynced.add(path.join(root, file));
    sync.catchUp(file);
  };

  const keep = (incoming: ExperienceRecord): Written => {
    const { id } = incoming.meta;
    const refused = (why: string): Written => ({ id, ended: "refused", why });
    const redacted = redactRecord(incoming).record;
    const parsed = StoredRecord.safeParse(redacted);
    if (!parsed.success) {
      const [issue] = parsed.error.issues;
      return refused(`${issue?.path.join(".") || "the record"}: ${issue?.message ?? "does not fit the schema"}`);
    }
    const record = parsed.data;
    if (hasSecretName(record.meta)) return refused("an id or the scope looks like a secret");
    const why = refusalOf(record);
    if (why !== null) return refused(why);
    const { scope, contentHash } = record.meta;
    if (index.isForgotten(scope.tenant, id, contentHash)) return { id, ended: "forgotten", why: "it was forgotten" };
    const known = index.record(id);
    if (known !== null && JSON.stringify(known) === JSON.stringify(record))
      return { id, ended: "unchanged", why: null };
    const file = recordFile(scope, record.level);
    if (known !== null && recordFile(known.meta.scope, known.level) !== file) {
      return refused("its id belongs to another scope");
    }
    write(file, [{ record }]);
    return { id, ended: "kept", why: null };
  };

  const forgetAll = (ids: ReadonlySet<string>, at: Date, asTombstones: boolean): readonly string[] => {
    const records = index.records({});
    const gone = whoFollows(records, ids);
    // What was made from others too is put right first, then what goes, children before parents: a kill in between
    // leaves what was asked for still there, to be asked for again.
    for (const trimmed of withoutParents(records, gone)) {
      write(recordFile(trimmed.meta.scope, trimmed.level), [{ record: trimmed }]);
    }
    const leaving = records.filter(({ meta }) => gone.has(meta.id)).reverse();
    const asked = leaving.filter(({ meta }) => ids.has(meta.id));
    const files = new Set<string>();
    for (const { meta, level } of [...leaving.filter(({ meta: { id } }) => !ids.has(id)), ...asked]) {
      const file = recordFile(meta.scope, level);
      files.add(file);
      if (!asTombstones) continue;
      write(file, [
        { forgotten: { id: meta.id, contentHash: meta.contentHash, tenant: meta.scope.tenant, at: at.toISOString() } },
      ]);
    }
    for (const file of files) sync.compact(file, gone);
    return leaving.map(({ meta }) => meta.id);
  };

  const findings: StoreFinding[] = locked(() => [...sync.catchUpAll(), ...index.findings()]);

  const importLine = (text: string, tenant: string): Written => {
    const line = decodeLine(text);
    if ("unreadable" in line) return { id: "", ended: "refused", why: line.unreadable };
    if ("forgotten" in line)
      return { id: line.forgotten.id, ended: "unchanged", why: "it says what was forgotten elsewhere" };
    if ("episode" in line) {
      const episode = { ...line.episode, tenant };
      const isNew = !index.hasEpisode(tenant, episode.id);
      if (isNew) write(episodeFile(episode), [{ episode }]);
      return { id: episode.id, ended: isNew ? "kept" : "unchanged", why: null };
    }
    const { record } = line;
    const known = index.record(record.meta.id);
    if (known !== null && known.meta.lastSeenAt >= record.meta.lastSeenAt) {
      return { id: record.meta.id, ended: "unchanged", why: null };
    }
    const { parents } = record.meta;
    const isOrphan = parents.length > 0 && parents.every((id) => index.record(id) === null);
    const meta = { ...record.meta, scope: { ...record.meta.scope, tenant } };
    // papers §13.4: a record without a live source is quarantined.
    return keep({ ...record, meta: isOrphan ? { ...meta, status: "quarantined" } : meta } as ExperienceRecord);
  };

  return {
    findings,
    append: async (records) =>
      locked(() => {
        sync.catchUpAll();
        return records.map(keep);
      }),
    change: async ({ tenant, repo }, decide) =>
      locked(() => {
        sync.catchUpAll();
        return decide(index.records({ tenant, repo })).map(keep);
      }),
    get: async (id) => {
      const found = index.record(id);
      return found === null ? null : reread(found);
    },
    list: async (filter = {}) => index.records(filter).map(reread),
    search: async (text, filter, limit) => {
      const question = searchQuestion(text);
      if (question === null) return [];
      return index.search(question, filter, limit).map(({ record, score }) => ({ record: reread(record), score }));
    },
    nearest: async (queries, scope, limit, now) => {
      const { answers, fellBack } = await near.ask(queries, scope, { limit, now });
      const found = (ids: readonly NearId[]): readonly FoundExperience[] =>
        ids.flatMap(({ id, score }) => {
          const record = index.record(id);
          return record === null ? [] : [{ record: reread(record), score }];
        });
      return { answers: answers.map(found), fellBack };
    },
    embedMissing: () => near.embedMissing(),
    keepEpisode: async (episode) =>
      locked(() => {
        sync.catchUpAll();
        if (index.hasEpisode(episode.tenant, episode.id)) return false;
        write(episodeFile(episode), [{ episode }]);
        return true;
      }),
    episodes: async (filter = {}): Promise<readonly KeptEpisode[]> => index.episodes(filter),
    forget: async (id, at) => {
      const gone = locked(() => {
        sync.catchUpAll();
        return index.record(id) === null ? [] : forgetAll(new Set([id]), at, true);
      });
      emptyLog();
      return gone;
    },
    forgetScope: async ({ tenant, repo }, at) => {
      const count = locked(() => {
        sync.catchUpAll();
        const own = index.records(repo === null ? { tenant } : { tenant, repo });
        const went = forgetAll(new Set(own.map(({ meta }) => meta.id)), at, false);
        removeFolder(path.join(root, repo === null ? tenantFolder(tenant) : repositoryFolder(tenant, repo)));
        sync.catchUpAll();
        return went.length;
      });
      emptyLog();
      return count;
    },
    exportLines: async (filter = {}) => {
      const { level, status, ...scope } = filter;
      const episodes = level === undefined && status === undefined ? index.episodes(scope) : [];
      const records = index.records(filter).map(reread);
      return [
        ...episodes.map((episode) => encodeLine({ episode })),
        ...records.map((record) => encodeLine({ record })),
      ];
    },
    importLines: async (text, tenant) =>
      locked(() => {
        sync.catchUpAll();
        return text
          .split(/\r?\n/)
          .flatMap((line, at) => (line.trim() === "" ? [] : [{ line: at + 1, ...importLine(line, tenant) }]));
      }),
    stats: async (filter = {}) => {
      const records = index.records(filter);
      const count = (test: (record: ExperienceRecord) => boolean): number => records.filter(test).length;
      const { level: _, status: __, ...scope } = filter;
      return {
        records: {
          L1: count(({ level }) => level === "L1"),
          L2: count(({ level }) => level === "L2"),
          L3: count(({ level }) => level === "L3"),
        },
        quarantined: count(({ meta }) => meta.status === "quarantined"),
        retired: count(({ meta }) => meta.status === "retired"),
        episodes: index.episodes(scope).length,
      };
    },
    check: async () => locked(() => sync.check()),
    rebuild: async () => locked(() => sync.rebuild()),
    close: async () => {
      database.close();
    },
  };
}

/** Formats of secrets that are known now and were not when it was written. */
function reread(record: ExperienceRecord): ExperienceRecord {
  return redactRecord(record).record;
}
