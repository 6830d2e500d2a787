import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { hookHeaders, type Opened, openDoor, SECRET, sendHook, sign } from "./door.ts";

const BODY = JSON.stringify({ action: "completed", marker: "payload-of-somebody" });
const NOW = new Date("2100-01-01T00:00:00Z");

/** Speaks HTTP by hand, to say what no client would. */
function raw(address: string, ...pieces: readonly string[]): Promise<string> {
  const socket = connect(Number(new URL(address).port), "127.0.0.1");
  socket.on("error", () => {});
  for (const piece of pieces) socket.write(piece);
  return text(socket);
}

describe("the way in for webhooks", () => {
  let door: Opened;
  beforeEach(async () => {
    door = await openDoor();
  });
  afterEach(() => door.close());

  it("keeps a signed delivery and queues it before it answers", async () => {
    const status = await sendHook(door.address, BODY);

    expect(status).toBe(202);
    expect(await door.store.delivery("guid-1")).toMatchObject({ event: "workflow_run", payload: BODY });
    expect(await door.queue.lease("w", NOW, 1000)).toMatchObject({ kind: "delivery", data: { guid: "guid-1" } });
  });

  it.each<[string, string, Record<string, string | null>, number]>([
    ["no signature", BODY, { "x-hub-signature-256": null }, 401],
    ["a signature by another secret", BODY, { "x-hub-signature-256": sign(BODY, "another") }, 401],
    ["a signature of another body", BODY, { "x-hub-signature-256": sign("{}") }, 401],
    ["a signature that is no hash", BODY, { "x-hub-signature-256": "sha256=short" }, 401],
    ["the old signature only", BODY, { "x-hub-signature-256": null, "x-hub-signature": "sha1=aa" }, 401],
    ["no event", BODY, { "x-github-event": null }, 400],
    ["no GUID", BODY, { "x-github-delivery": null }, 400],
    ["a GUID with a path in it", BODY, { "x-github-delivery": "../../x" }, 400],
    ["a form", BODY, { "content-type": "application/x-www-form-urlencoded" }, 415],
    ["no JSON", "not json", {}, 400],
    ["JSON that is no object", "[1]", {}, 400],
    ["nothing", "", {}, 400],
  ])("refuses %s, keeps nothing, and repeats nothing of it", async (_, body, changes, expected) => {
    const status = await sendHook(door.address, body, changes);

    expect(status).toBe(expected);
    expect(await door.store.delivery("guid-1")).toBeNull();
    expect(await door.queue.counts()).toEqual({ waiting: 0, working: 0 });
    expect(door.logged()).not.toMatch(/payload-of-somebody|sha256=|not json/);
  });

  it("takes a duplicate again while its first handling was never finished, and not after", async () => {
    await sendHook(door.address, BODY);
    const first = await door.queue.lease("w", NOW, 1000);
    if (first !== null) await door.queue.finish(first);

    const again = await sendHook(door.address, BODY);
    const waitingAgain = await door.queue.counts();
    await door.queue.cancel("delivery:guid-1");
    await door.store.deliveryHandled("guid-1");
    const afterwards = await sendHook(door.address, BODY);

    expect([again, afterwards]).toEqual([202, 202]);
    expect(waitingAgain).toEqual({ waiting: 1, working: 0 });
    expect(await door.queue.counts()).toEqual({ waiting: 0, working: 0 });
  });

  it("refuses what is announced as over 26 MB without reading it", async () => {
    const head = Object.entries({ ...hookHeaders(""), host: "x", "content-length": "26000001" });
    const request = `POST /api/github/webhooks HTTP/1.1\r\n${head.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n`;

    expect(await raw(door.address, request)).toMatch(/^HTTP\/1\.1 413 /);
  });

  it("counts what comes in pieces of no announced length, and cuts it", async () => {
    const head = Object.entries({ ...hookHeaders(""), host: "x", "transfer-encoding": "chunked" });
    const request = `POST /api/github/webhooks HTTP/1.1\r\n${head.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n`;
    const piece = `100000\r\n${"x".repeat(0x100000)}\r\n`;

    expect(await raw(door.address, request, ...Array.from({ length: 26 }, () => piece))).toMatch(/^HTTP\/1\.1 413 /);
  });

  it("takes the largest payload GitHub sends", async () => {
    const body = JSON.stringify({ text: "é".repeat(12_500_000) });

    expect(await sendHook(door.address, body)).toBe(202);
    expect((await door.store.delivery("guid-1"))?.payload.length).toBe(body.length);
  });

  it("answers 503 when the delivery cannot be kept, so that GitHub counts it as failed", async () => {
    await door.close();
    const full = { keepDelivery: () => Promise.reject(new Error("disk full")), unhandledDeliveries: async () => [] };
    door = await openDoor({ store: { ...full, recentIncidents: async () => [] } });

    expect(await sendHook(door.address, BODY)).toBe(503);
    expect(door.logged()).toContain("a delivery could not be kept");
    expect(door.logged()).not.toContain("payload-of-somebody");
  });

  it("never logs the secret", async () => {
    await sendHook(door.address, BODY);

    expect(door.logged()).toContain("delivery accepted");
    expect(door.logged()).not.toContain(SECRET);
  });
});
