import { beforeEach, describe, expect, it } from "vitest";
import type { Publication } from "../../src/domain/incident.ts";
import type { Delivery, IncidentStore } from "../../src/ports/incident-store.ts";
import { anIncident } from "../fakes/incident.ts";

const delivery: Delivery = {
  guid: "g1",
  event: "workflow_run",
  payload: '{"a":1}',
  receivedAt: "2026-03-01T12:00:00.000Z",
};

const publication: Publication = {
  branch: "retrace/feature-aaaa",
  base: "feature",
  commit: "bbbb",
  tree: "cccc",
  copyFolder: "/nowhere",
  pushed: true,
  pullRequest: 9,
  nodeId: "PR_9",
  draft: true,
  needsPerson: [],
  openedAt: null,
  withdrawn: false,
  ci: { state: "waiting", runs: [], lastHeardAt: null, why: null },
};

/** What every incident store promises. `open` gives a fresh one. */
export function incidentStoreContract(name: string, open: () => Promise<IncidentStore>): void {
  describe(`the incident store: ${name}`, () => {
    let store: IncidentStore;
    beforeEach(async () => {
      store = await open();
      return () => store.close();
    });

    it("keeps a delivery once", async () => {
      expect(await store.keepDelivery(delivery)).toBe("new");
      expect(await store.keepDelivery({ ...delivery, payload: "{}" })).toBe("duplicate");
      expect(await store.delivery("g1")).toEqual(delivery);
      expect(await store.delivery("g2")).toBeNull();
    });

    it("knows which deliveries a kill left unhandled, in order", async () => {
      for (const guid of ["g3", "g1", "g2"]) await store.keepDelivery({ ...delivery, guid });
      await store.deliveryHandled("g1");

      expect(await store.unhandledDeliveries()).toEqual(["g3", "g2"]);
    });

    it("opens one incident a key", async () => {
      const first = await store.openIncident("7:aaaa", () => anIncident());
      const second = await store.openIncident("7:aaaa", () => anIncident({ id: "inc_2" }));

      expect(first).toEqual({ incident: anIncident(), isNew: true });
      expect(second).toEqual({ incident: anIncident(), isNew: false });
    });

    it("finds an incident by what it published and by what it is about", async () => {
      await store.openIncident("7:aaaa", () => anIncident());
      await store.updateIncident("inc_1", (incident) => ({ ...incident, publication }));
      const whole = anIncident({ publication });

      expect(await store.incident("inc_1")).toEqual(whole);
      expect(await store.incidentByKey("7:aaaa")).toEqual(whole);
      expect(await store.incidentByCommit(7, "bbbb")).toEqual(whole);
      expect(await store.incidentByCommit(8, "bbbb")).toBeNull();
      expect(await store.incidentsByPullRequest(7, 3)).toEqual([whole]);
      expect(await store.incidentsByPullRequest(7, 9)).toEqual([whole]);
      expect(await store.incidentsByBranch(7, "feature")).toEqual([whole]);
      expect(await store.incidentsByBranch(7, "main")).toEqual([]);
    });

    it("lists the newest incidents first", async () => {
      await store.openIncident("7:aaaa", () => anIncident());
      await store.openIncident("7:bbbb", () =>
        anIncident({ id: "inc_2", key: "7:bbbb", openedAt: "2026-03-02T12:00:00.000Z" }),
      );

      expect((await store.recentIncidents(5)).map((incident) => incident.id)).toEqual(["inc_2", "inc_1"]);
      expect(await store.recentIncidents(1)).toHaveLength(1);
    });

    it("does not change what is not there", async () => {
      await expect(store.updateIncident("inc_9", (incident) => incident)).rejects.toThrow("inc_9");
    });
  });
}
