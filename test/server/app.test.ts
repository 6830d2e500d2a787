import { generateKeyPairSync } from "node:crypto";
import { describe, expect, it } from "vitest";
import { probotGitHub } from "../../src/adapters/github/probot-github.ts";
import type { Delivery } from "../../src/ports/incident-store.ts";
import type { LeasedJob } from "../../src/ports/queue.ts";
import { throughProbot } from "../../src/server/app.ts";
import { openLog } from "../../src/server/log.ts";

const { privateKey } = generateKeyPairSync("rsa", {
  modulusLength: 2048,
  publicKeyEncoding: { type: "spki", format: "pem" },
  privateKeyEncoding: { type: "pkcs8", format: "pem" },
});
const JOB: LeasedJob = {
  id: 1,
  key: "k",
  kind: "delivery",
  data: { guid: "g" },
  tries: 1,
  failures: 0,
  deaths: 0,
  owner: "w",
};

async function open(delivery: Partial<Delivery>) {
  const lines: string[] = [];
  const log = openLog("trace", { write: (line) => void lines.push(line) });
  const webhookSecret = "hush-hush";
  const apiUrl = "http://127.0.0.1:9/api/v3";
  const { probot } = probotGitHub({ appId: "7", privateKey, webhookSecret, apiUrl, throttle: false, log });
  const kept = { guid: "g", event: "workflow_run", payload: "{}", receivedAt: "", ...delivery };
  const handOver = await throughProbot(probot, { delivery: async () => kept });
  return { probot, handOver, logged: () => lines.join("") };
}

describe("Probot behind the queue", () => {
  it.each(["workflow_run", "an_event_of_tomorrow"])(
    "hands a kept %s on to the work, and others may listen too",
    async (event) => {
      const payload = JSON.stringify({ action: "completed", installation: { id: 3 } });
      const { probot, handOver } = await open({ event, payload });
      const seen: string[] = [];
      probot.onAny(({ id, name }) => void seen.push(`${name} ${id}`));

      const end = await handOver(JOB, async () => ({ end: "finished" }));

      expect(end).toEqual({ end: "finished" });
      expect(seen).toEqual([`${event} g`]);
    },
  );

  it("passes on the failure itself, and logs nothing of the event or of what the error carries", async () => {
    const payload = JSON.stringify({ text: "payload-of-somebody" });
    const { handOver, logged } = await open({ payload });
    const failure = Object.assign(new Error("GitHub is away"), {
      request: { headers: { authorization: "token ghs_0123456789012345678901234567890123456789" } },
      response: { data: "answer-of-somebody" },
    });

    await expect(handOver(JOB, () => Promise.reject(failure))).rejects.toBe(failure);

    expect(logged()).toContain("GitHub is away");
    expect(logged()).not.toMatch(/-of-somebody|ghs_|hush-hush|PRIVATE KEY/);
  });
});
