import { beforeEach, describe, expect, it } from "vitest";
import type { NewJob, Queue } from "../../src/ports/queue.ts";

const NOON = new Date("2026-03-01T12:00:00Z");
const later = (ms: number): Date => new Date(NOON.getTime() + ms);
const LEASE_MS = 1000;

function job(key: string, told: Partial<NewJob> = {}): NewJob {
  return { key, kind: "repair", group: null, runAt: NOON, data: { key }, ...told };
}

/** What every queue promises. `open` gives a fresh one. */
export function queueContract(name: string, open: () => Promise<Queue>): void {
  describe(`the queue: ${name}`, () => {
    let queue: Queue;
    beforeEach(async () => {
      queue = await open();
      return () => queue.close();
    });

    it("hands out what is due, oldest first, once", async () => {
      await queue.put(job("b", { runAt: later(-1) }));
      await queue.put(job("a", { runAt: later(-2) }));
      await queue.put(job("c", { runAt: later(1) }));

      const got = [
        await queue.lease("w", NOON, LEASE_MS),
        await queue.lease("w", NOON, LEASE_MS),
        await queue.lease("w", NOON, LEASE_MS),
      ];

      expect(got.map((leased) => leased?.key ?? null)).toEqual(["a", "b", null]);
      expect(got[0]).toMatchObject({ kind: "repair", data: { key: "a" }, tries: 1, owner: "w" });
    });

    it("moves what waits under the same key instead of adding to it", async () => {
      await queue.put(job("a", { data: { n: 1 } }));
      await queue.put(job("a", { runAt: later(5000), data: { n: 2 } }));

      expect(await queue.lease("w", NOON, LEASE_MS)).toBeNull();
      expect((await queue.lease("w", later(5000), LEASE_MS))?.data).toEqual({ n: 2 });
      expect(await queue.counts()).toEqual({ waiting: 0, working: 1 });
    });

    it("keeps a second job of a key waiting until the first is finished", async () => {
      await queue.put(job("a", { data: { n: 1 } }));
      const first = await queue.lease("w", NOON, LEASE_MS);
      await queue.put(job("a", { data: { n: 2 } }));

      expect(await queue.lease("w", NOON, LEASE_MS)).toBeNull();
      if (first !== null) await queue.finish(first);
      expect((await queue.lease("w", NOON, LEASE_MS))?.data).toEqual({ n: 2 });
    });

    it("never runs two jobs of one group at a time", async () => {
      await queue.put(job("a", { group: "pull request 7" }));
      await queue.put(job("b", { group: "pull request 7" }));
      await queue.put(job("c", { group: "pull request 8" }));

      const first = await queue.lease("w", NOON, LEASE_MS);
      const second = await queue.lease("w", NOON, LEASE_MS);
      const third = await queue.lease("w", NOON, LEASE_MS);

      expect([first?.key, second?.key, third]).toEqual(["a", "c", null]);
    });

    it("gives a job to another when its lease runs out", async () => {
      await queue.put(job("a"));
      const first = await queue.lease("dead", NOON, LEASE_MS);

      expect(await queue.lease("w", later(LEASE_MS - 1), LEASE_MS)).toBeNull();
      expect(await queue.lease("w", later(LEASE_MS), LEASE_MS)).toMatchObject({ key: "a", tries: 2, owner: "w" });
      expect(first === null ? null : await queue.renew(first, later(LEASE_MS), LEASE_MS)).toBe(false);
    });

    it("does not let a holder whose lease was lost finish what another works on", async () => {
      await queue.put(job("a"));
      const lost = await queue.lease("w", NOON, LEASE_MS);
      const again = await queue.lease("w", later(LEASE_MS), LEASE_MS);

      if (lost !== null) await queue.finish(lost);

      expect(again === null ? null : await queue.renew(again, later(LEASE_MS), LEASE_MS)).toBe(true);
    });

    it("keeps a lease that is renewed", async () => {
      await queue.put(job("a"));
      const leased = await queue.lease("w", NOON, LEASE_MS);

      expect(leased === null ? null : await queue.renew(leased, later(900), LEASE_MS)).toBe(true);
      expect(await queue.lease("other", later(1500), LEASE_MS)).toBeNull();
    });

    it("takes over the leases of the dead at once", async () => {
      await queue.put(job("a"));
      await queue.put(job("b"));
      await queue.lease("dead", NOON, LEASE_MS);
      await queue.lease("alive", NOON, LEASE_MS);

      expect(await queue.takeOver("alive")).toBe(1);
      expect((await queue.lease("alive", NOON, LEASE_MS))?.key).toBe("a");
    });

    it("postpones a job with its reason", async () => {
      await queue.put(job("a"));
      const leased = await queue.lease("w", NOON, LEASE_MS);
      if (leased !== null) await queue.postpone(leased, later(50), "GitHub says wait");

      expect(await queue.lease("w", later(49), LEASE_MS)).toBeNull();
      expect((await queue.lease("w", later(50), LEASE_MS))?.tries).toBe(2);
    });

    it("hands out only the kinds that are asked for", async () => {
      await queue.put(job("a", { kind: "repair" }));
      await queue.put(job("b", { kind: "delivery" }));
      await queue.put(job("c", { kind: "follow" }));

      const got = [
        await queue.lease("w", NOON, LEASE_MS, { only: ["delivery"] }),
        await queue.lease("w", NOON, LEASE_MS, { only: ["delivery"] }),
        await queue.lease("w", NOON, LEASE_MS, { except: ["delivery", "repair"] }),
        await queue.lease("w", NOON, LEASE_MS),
      ];

      expect(got.map((leased) => leased?.key ?? null)).toEqual(["b", null, "c", "a"]);
    });

    it("counts failures, and apart from them whoever died at it, until a try ends in order", async () => {
      const counts: (readonly [number, number] | null)[] = [];
      const lease = async (owner: string) => {
        const leased = await queue.lease(owner, NOON, LEASE_MS);
        counts.push(leased === null ? null : [leased.failures, leased.deaths]);
        return leased;
      };
      await queue.put(job("a"));

      const first = await lease("dead");
      if (first !== null) await queue.retry(first, NOON, "GitHub is away");
      await lease("dead");
      await queue.takeOver("alive");
      const third = await lease("alive");
      if (third !== null) await queue.postpone(third, NOON, "not yet");
      await lease("alive");

      expect(counts).toEqual([
        [0, 0],
        [1, 0],
        [1, 1],
        [0, 0],
      ]);
    });

    it("cancels what waits", async () => {
      await queue.put(job("a"));
      await queue.cancel("a");

      expect(await queue.lease("w", NOON, LEASE_MS)).toBeNull();
    });
  });
}
