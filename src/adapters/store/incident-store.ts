import type { Incident } from "../../domain/incident.ts";
import type { Delivery, IncidentStore } from "../../ports/incident-store.ts";
import type { SqliteDatabase } from "./database.ts";

interface ContentRow {
  readonly content: string;
}

/** Deliveries and incidents in SQLite; the database is shared with the queue and closed by whoever closes first. */
export function sqliteIncidentStore(database: SqliteDatabase): IncidentStore {
  const byId = database.prepare<[string], ContentRow>("SELECT content FROM incident WHERE id = ?");
  const byKey = database.prepare<[string], ContentRow>("SELECT content FROM incident WHERE key = ?");
  const save = (incident: Incident): void => {
    database
      .prepare(
        `INSERT INTO incident (id, key, repository_id, pull_request, branch, opened_at, commit_sha, published_pull_request, content)
         VALUES (@id, @key, @repositoryId, @pullRequest, @branch, @openedAt, @commit, @published, @content)
         ON CONFLICT (id) DO UPDATE SET pull_request = @pullRequest, branch = @branch, commit_sha = @commit,
           published_pull_request = @published, content = @content`,
      )
      .run({
        id: incident.id,
        key: incident.key,
        repositoryId: incident.repository.id,
        pullRequest: incident.pullRequest,
        branch: incident.headBranch,
        openedAt: incident.openedAt,
        commit: incident.publication?.commit ?? null,
        published: incident.publication?.pullRequest ?? null,
        content: JSON.stringify(incident),
      });
  };
  const open = database.transaction((key: string, make: () => Incident) => {
    const found = read(byKey.get(key));
    if (found !== null) return { incident: found, isNew: false };
    const incident = make();
    save(incident);
    return { incident, isNew: true };
  });
  const update = database.transaction((id: string, change: (incident: Incident) => Incident) => {
    const found = read(byId.get(id));
    if (found === null) throw new Error(`there is no incident ${id}`);
    const changed = change(found);
    save(changed);
    return changed;
  });
  const all = (sql: string, ...values: unknown[]): readonly Incident[] =>
    database
      .prepare<unknown[], ContentRow>(sql)
      .all(...values)
      .flatMap((row) => read(row) ?? []);

  return {
    async keepDelivery({ guid, event, payload, receivedAt }) {
      const { changes } = database
        .prepare(
          `INSERT INTO delivery (guid, event, payload, received_at, position)
           VALUES (?, ?, ?, ?, (SELECT coalesce(max(position), 0) + 1 FROM delivery)) ON CONFLICT DO NOTHING`,
        )
        .run(guid, event, payload, receivedAt);
      return changes === 1 ? "new" : "duplicate";
    },
    async delivery(guid) {
      const row = database
        .prepare<[string], Delivery>(
          "SELECT guid, event, payload, received_at AS receivedAt FROM delivery WHERE guid = ?",
        )
        .get(guid);
      return row ?? null;
    },
    async deliveryHandled(guid) {
      database.prepare("UPDATE delivery SET handled = 1 WHERE guid = ?").run(guid);
    },
    async unhandledDeliveries() {
      const rows = database
        .prepare<[], { guid: string }>("SELECT guid FROM delivery WHERE handled = 0 ORDER BY position")
        .all();
      return rows.map((row) => row.guid);
    },
    openIncident: async (key, make) => open.immediate(key, make),
    incident: async (id) => read(byId.get(id)),
    incidentByKey: async (key) => read(byKey.get(key)),
    async incidentByCommit(repositoryId, commit) {
      return (
        all("SELECT content FROM incident WHERE repository_id = ? AND commit_sha = ?", repositoryId, commit)[0] ?? null
      );
    },
    async incidentsByPullRequest(repositoryId, number) {
      return all(
        `SELECT content FROM incident WHERE repository_id = @repositoryId AND (pull_request = @number OR published_pull_request = @number)
         ORDER BY opened_at DESC, id DESC`,
        { repositoryId, number },
      );
    },
    async incidentsByBranch(repositoryId, branch) {
      return all(
        "SELECT content FROM incident WHERE repository_id = ? AND branch = ? ORDER BY opened_at DESC, id DESC",
        repositoryId,
        branch,
      );
    },
    async recentIncidents(limit) {
      return all("SELECT content FROM incident ORDER BY opened_at DESC, id DESC LIMIT ?", limit);
    },
    updateIncident: async (id, change) => update.immediate(id, change),
    async close() {
      database.close();
    },
  };
}

// Rows are written by `save` alone, whose type is the domain's.
function read(row: ContentRow | undefined): Incident | null {
  return row === undefined ? null : (JSON.parse(row.content) as Incident);
}
