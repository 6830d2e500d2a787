import { randomBytes } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { World } from "../ports/world.ts";

/** The machine's own clock and randomness. */
export function systemWorld(): World {
  return {
    now: () => new Date(),
    monotonicMs: () => performance.now(),
    random: () => Math.random(),
    nonce: () => randomBytes(16).toString("hex"),
    // 48 bits of time and 40 of chance, so that names sort by age and never meet.
    id: (prefix) => `${prefix}_${Date.now().toString(16).padStart(12, "0")}${randomBytes(5).toString("hex")}`,
    sleep: async (ms, signal) => {
      await delay(ms, undefined, signal === undefined ? {} : { signal });
    },
  };
}
