import { createHmac, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Logger } from "pino";
import { deliveryJob } from "../pipeline/incident-parts.ts";
import type { IncidentStore } from "../ports/incident-store.ts";
import type { Queue } from "../ports/queue.ts";
import type { World } from "../ports/world.ts";
import { type Answer, text } from "./answer.ts";
import { type Room, readBody } from "./read-body.ts";

export interface WebhookParts {
  readonly store: Pick<IncidentStore, "keepDelivery" | "unhandledDeliveries">;
  readonly queue: Pick<Queue, "put">;
  readonly webhookSecret: string;
  readonly world: Pick<World, "now">;
  readonly log: Logger;
  /** Told when a job was added. */
  readonly onJob: () => void;
  readonly tally: DeliveryTally;
}

/** How deliveries ended since the start. */
export interface DeliveryTally {
  accepted: number;
  duplicate: number;
  refused: number;
}

// GitHub sends no payload over 25 MB (platform facts §3.6).
const MOST_BYTES = 26_000_000;
// Bodies are held until their signature is checked, so that strangers could fill the memory: ten of the largest at once.
const ROOM_BYTES = 10 * MOST_BYTES;

const GUID = /^[\w.:-]{1,100}$/;
const EVENT = /^[a-z_]{1,60}$/;
const SIGNATURE = /^sha256=[0-9a-f]{64}$/;

/**
 * The way in for GitHub. Nothing of a body is looked at before its signature is found right; a delivery is on disk before
 * it is answered, and answered before anybody works on it (GitHub gives up after ten seconds).
 */
export function webhookDoor(parts: WebhookParts): (request: IncomingMessage) => Promise<Answer> {
  const room: Room = { held: 0, most: ROOM_BYTES };
  return async (request) => {
    const answer = await receive(request, room, parts);
    if (answer.status >= 400) parts.tally.refused++;
    return answer;
  };
}

async function receive(request: IncomingMessage, room: Room, parts: WebhookParts): Promise<Answer> {
  const { headers } = request;
  if (Number(headers["content-length"] ?? 0) > MOST_BYTES) return refuse(413, "the payload is over 26 MB", parts);
  const event = headers["x-github-event"];
  const guid = headers["x-github-delivery"];
  if (typeof event !== "string" || !EVENT.test(event)) return refuse(400, "x-github-event is missing or odd", parts);
  if (typeof guid !== "string" || !GUID.test(guid)) return refuse(400, "x-github-delivery is missing or odd", parts);
  if (mediaType(headers["content-type"]) !== "application/json")
    return refuse(415, "the content type must be application/json", parts);
  const signature = headers["x-hub-signature-256"];
  if (typeof signature !== "string" || !SIGNATURE.test(signature))
    return refuse(401, "x-hub-signature-256 is missing or odd", parts);

  const body = await readBody(request, MOST_BYTES, room);
  if (body.kind === "too-long") return refuse(413, "the payload is over 26 MB", parts);
  if (body.kind === "no-room") return refuse(503, "too much is being received at once", parts);
  if (body.kind === "broken") return refuse(400, "the payload broke off", parts);
  if (!isSignedWith(parts.webhookSecret, body.bytes, signature)) return refuse(401, "the signature is wrong", parts);

  const payload = body.bytes.toString("utf8");
  if (!isJsonObject(payload)) return refuse(400, "the payload is no JSON object", parts);
  return keep(guid, event, payload, parts);
}

async function keep(guid: string, event: string, payload: string, parts: WebhookParts): Promise<Answer> {
  const { store, queue, world, log, tally } = parts;
  const now = world.now();
  try {
    const kept = await store.keepDelivery({ guid, event, payload, receivedAt: now.toISOString() });
    // GitHub sends the same GUID again when somebody asks for it: worth a second try unless the first one was finished.
    const again = kept === "new" || (await store.unhandledDeliveries()).includes(guid);
    if (again) {
      await queue.put(deliveryJob(guid, now));
      parts.onJob();
    }
    tally[kept === "new" ? "accepted" : "duplicate"]++;
    log.info({ guid, event, kept, queued: again }, "delivery accepted");
    return text(202, "accepted");
  } catch (error) {
    // GitHub counts it as failed, and we ask for it again when we look for what we missed.
    log.error({ guid, event, err: error }, "a delivery could not be kept");
    return text(503, "the delivery could not be kept");
  }
}

function isSignedWith(secret: string, bytes: Buffer, signature: string): boolean {
  const expected = createHmac("sha256", secret).update(bytes).digest();
  return timingSafeEqual(expected, Buffer.from(signature.slice("sha256=".length), "hex"));
}

function isJsonObject(payload: string): boolean {
  try {
    const value: unknown = JSON.parse(payload);
    return typeof value === "object" && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}

function mediaType(header: string | undefined): string {
  return (header?.split(";")[0] ?? "").trim().toLowerCase();
}

/** The reason is our own words; nothing that was sent is repeated or logged. */
function refuse(status: number, why: string, { log }: WebhookParts): Answer {
  log.info({ status, why }, "delivery refused");
  return text(status, why);
}
