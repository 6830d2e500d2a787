import type { Incident } from "../domain/incident.ts";

/**
 * Deliveries and incidents on disk. Every write is on disk when its promise resolves; a kill at any moment leaves the
 * state before or after a write, never between.
 */
export interface IncidentStore {
  /** Keeps a delivery. `duplicate` when its GUID was kept before (GitHub redelivers under the same GUID). */
  keepDelivery(delivery: Delivery): Promise<"new" | "duplicate">;
  delivery(guid: string): Promise<Delivery | null>;
  deliveryHandled(guid: string): Promise<void>;
  /** GUIDs of deliveries that were kept and never handled, oldest first: a kill came between. */
  unhandledDeliveries(): Promise<readonly string[]>;
  /** The incident of this key, made by `make` when there is none; of two callers at once, one makes it. */
  openIncident(key: string, make: () => Incident): Promise<{ readonly incident: Incident; readonly isNew: boolean }>;
  incident(id: string): Promise<Incident | null>;
  incidentByKey(key: string): Promise<Incident | null>;
  /** The incident whose publication pushed this commit in this repository. */
  incidentByCommit(repositoryId: number, commit: string): Promise<Incident | null>;
  /** The incident whose publication opened this pull request, or that repairs it. Newest first. */
  incidentsByPullRequest(repositoryId: number, number: number): Promise<readonly Incident[]>;
  incidentsByBranch(repositoryId: number, branch: string): Promise<readonly Incident[]>;
  /** Newest first. */
  recentIncidents(limit: number): Promise<readonly Incident[]>;
  /** Changes an incident by a pure function of its newest state, in one transaction; returns the new state. Rejects when it is not there. */
  updateIncident(id: string, change: (incident: Incident) => Incident): Promise<Incident>;
  close(): Promise<void>;
}

export interface Delivery {
  readonly guid: string;
  readonly event: string;
  /** The body as it was signed. */
  readonly payload: string;
  readonly receivedAt: string;
}
