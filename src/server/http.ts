import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { IncidentStore } from "../ports/incident-store.ts";
import type { Queue } from "../ports/queue.ts";
import type { World } from "../ports/world.ts";
import { type Answer, html, json, text } from "./answer.ts";
import { renderIncidents } from "./incident-page.ts";
import { renderMetrics } from "./metrics.ts";
import { whyNoOperator } from "./operator-access.ts";
import type { Readiness } from "./readiness.ts";
import { type DeliveryTally, type WebhookParts, webhookDoor } from "./webhook-door.ts";

export interface DoorParts extends Omit<WebhookParts, "store" | "queue" | "world" | "tally"> {
  readonly store: Pick<IncidentStore, "keepDelivery" | "unhandledDeliveries" | "recentIncidents">;
  readonly queue: Pick<Queue, "put" | "counts">;
  readonly world: Pick<World, "now">;
  readonly adminToken: string | null;
  readonly readiness: () => Promise<Readiness>;
}

interface Route {
  readonly method: "GET" | "POST";
  readonly forOperators: boolean;
  readonly answer: (request: IncomingMessage) => Promise<Answer>;
}

// GitHub sends headers at once and the largest payload within seconds; whoever dawdles holds a connection for nothing.
const HEADERS_WITHIN_MS = 10_000;
const REQUEST_WITHIN_MS = 30_000;
const IDLE_MS = 5_000;
const CHECK_EVERY_MS = 2_000;
// Well below the file descriptors a process gets.
const MOST_CONNECTIONS = 500;
// A sender that is refused midway reads the answer only when it may go on sending for a moment.
const LINGER_MS = 1_000;
const SHOWN_INCIDENTS = 100;

/** The server's HTTP side, not listening yet: webhooks, health, metrics, and the list of incidents. */
export function createDoor(parts: DoorParts): Server {
  const routes = routesOf(parts);
  const limits = {
    headersTimeout: HEADERS_WITHIN_MS,
    requestTimeout: REQUEST_WITHIN_MS,
    keepAliveTimeout: IDLE_MS,
    connectionsCheckingInterval: CHECK_EVERY_MS,
  };
  const server = createServer(limits, (request, response) => {
    answerTo(request, routes, parts.adminToken)
      .catch((error: unknown) => {
        parts.log.error({ err: error }, "a request could not be answered");
        return text(500, "this went wrong; the log says more");
      })
      .then((answer) => send(request, response, answer));
  });
  server.maxConnections = MOST_CONNECTIONS;
  return server;
}

function routesOf(parts: DoorParts): ReadonlyMap<string, Route> {
  const tally: DeliveryTally = { accepted: 0, duplicate: 0, refused: 0 };
  const route = (method: Route["method"], answer: Route["answer"], forOperators = false): Route => {
    return { method, forOperators, answer };
  };
  return new Map([
    ["/api/github/webhooks", route("POST", webhookDoor({ ...parts, tally }))],
    ["/healthz", route("GET", async () => json(200, { alive: true }))],
    [
      "/readyz",
      route("GET", async () => {
        const readiness = await parts.readiness();
        return json(readiness.ready ? 200 : 503, readiness);
      }),
    ],
    [
      "/metrics",
      route(
        "GET",
        async () => {
          const page = renderMetrics(await parts.queue.counts(), tally);
          return { status: 200, headers: { "content-type": "text/plain; version=0.0.4; charset=utf-8" }, body: page };
        },
        true,
      ),
    ],
    [
      "/",
      route("GET", async () => html(200, renderIncidents(await parts.store.recentIncidents(SHOWN_INCIDENTS))), true),
    ],
  ]);
}

async function answerTo(
  request: IncomingMessage,
  routes: ReadonlyMap<string, Route>,
  adminToken: string | null,
): Promise<Answer> {
  const route = routes.get((request.url ?? "").split("?")[0] ?? "");
  if (route === undefined) return text(404, "there is nothing here");
  const isMethod = request.method === route.method || (request.method === "HEAD" && route.method === "GET");
  if (!isMethod) {
    const allowed = route.method === "GET" ? "GET, HEAD" : route.method;
    return text(405, `only ${allowed} is answered here`, { allow: allowed });
  }
  const refusal = route.forOperators ? whyNoOperator(request, adminToken) : null;
  return refusal ?? route.answer(request);
}

function send(request: IncomingMessage, response: ServerResponse, { status, headers, body }: Answer): void {
  if (response.destroyed) return;
  response.writeHead(status, {
    ...headers,
    "content-length": Buffer.byteLength(body),
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
  });
  response.end(request.method === "HEAD" ? undefined : body);
  if (request.complete) return;
  // What is still being sent is read and forgotten, for a moment; then the line is cut.
  request.resume();
  const cut = setTimeout(() => request.socket.destroy(), LINGER_MS);
  request.once("end", () => clearTimeout(cut));
  request.once("close", () => clearTimeout(cut));
}

/** Listens; resolves with the address people can open. Rejects with Node's own error, e.g. EADDRINUSE. */
export function listen(server: Server, port: number, host: string): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      server.off("error", reject);
      const { address, port: taken, family } = server.address() as AddressInfo;
      resolve(`http://${family === "IPv6" ? `[${address}]` : address}:${taken}`);
    });
  });
}

/** Takes no more requests, lets those under way be answered for at most `graceMs`, then cuts them. */
export async function closeDoor(server: Server, graceMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  const cut = setTimeout(() => server.closeAllConnections(), graceMs);
  await closed;
  clearTimeout(cut);
}
