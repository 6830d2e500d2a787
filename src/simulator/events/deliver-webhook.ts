import { createHmac, randomUUID } from "node:crypto";
import type { Delivery, Installation, Repository } from "../state/nouns.ts";
import type { Simulation } from "../state/simulation.ts";

/** GitHub gives an app ten seconds to answer and does not try again by itself. */
const ANSWER_WITHIN_MS = 10_000;

export interface Addressee {
  readonly repository: Repository | null;
  readonly installation: Installation | null;
}

/** Sends a webhook, signed, without waiting for the answer; what came of it stands in `deliveries`. */
export function deliver(
  simulation: Simulation,
  event: string,
  payload: Readonly<Record<string, unknown>>,
  { repository, installation }: Addressee,
): Delivery {
  const { action } = payload;
  return send(simulation, {
    guid: randomUUID(),
    event,
    action: typeof action === "string" ? action : null,
    payload,
    redelivery: false,
    installationId: installation?.id ?? null,
    repositoryId: repository?.id ?? null,
  });
}

/** Sends the same bytes under the same GUID once more; null when no delivery has that GUID. */
export function redeliver(simulation: Simulation, guid: string): Delivery | null {
  const first = simulation.deliveries.find((delivery) => delivery.guid === guid);
  return first === undefined ? null : send(simulation, { ...first, redelivery: true });
}

type Letter = Omit<Delivery, "id" | "deliveredAt" | "statusCode" | "status" | "ms">;

function send(simulation: Simulation, letter: Letter): Delivery {
  const delivery: Delivery = {
    ...letter,
    id: simulation.nextId(),
    deliveredAt: simulation.clock.iso(),
    statusCode: null,
    status: "pending",
    ms: null,
  };
  simulation.deliveries.push(delivery);
  simulation.work.track(post(simulation, delivery));
  return delivery;
}

async function post({ webhook, app }: Simulation, delivery: Delivery): Promise<void> {
  if (webhook.url === null) {
    Object.assign(delivery, { statusCode: 0, status: "no webhook address", ms: 0 });
    return;
  }
  const body = JSON.stringify(delivery.payload);
  const started = performance.now();
  try {
    const answer = await fetch(webhook.url, {
      method: "POST",
      body,
      redirect: "manual",
      signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
      headers: {
        "content-type": "application/json",
        "user-agent": "GitHub-Hookshot/simulated",
        "x-github-event": delivery.event,
        "x-github-delivery": delivery.guid,
        "x-github-hook-id": String(app.id),
        "x-github-hook-installation-target-id": String(app.id),
        "x-github-hook-installation-target-type": "integration",
        "x-hub-signature-256": signatureOf(webhook.secret, body),
      },
    });
    await answer.arrayBuffer();
    delivery.statusCode = answer.status;
    delivery.status = answer.ok ? "OK" : `Invalid HTTP Response: ${answer.status}`;
  } catch (error) {
    const isLate = error instanceof Error && error.name === "TimeoutError";
    delivery.statusCode = isLate ? 504 : 0;
    delivery.status = isLate ? "timed out" : "failed to connect to host";
  }
  delivery.ms = Math.round(performance.now() - started);
}

/** `sha256=` and the HMAC of the body, in hexadecimal. */
export function signatureOf(secret: string, body: string): string {
  return `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`;
}
