import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Simulation } from "../state/simulation.ts";
import type { Answer } from "./answers.ts";
import { answerApi, answerGraphqlRequest } from "./api-door.ts";
import { isGitPath, serveGitDoor } from "./git-door.ts";

const API = "/api/v3";
const GRAPHQL = "/api/graphql";

/** Opens the port; `simulation` is asked for at each request, since its addresses depend on the port. */
export async function openServer(
  port: number,
  simulation: () => Simulation,
): Promise<{ server: Server; port: number }> {
  const server = createServer((request, response) => {
    response.on("error", () => {}); // a client that went away in the middle of its answer
    serve(simulation(), request, response).catch((error) => {
      if (!request.complete) return; // or in the middle of its question: killed apps do
      simulation().work.track(Promise.reject(error));
      if (!response.headersSent) response.writeHead(500, { "content-type": "application/json" });
      response.end(JSON.stringify({ message: "Server Error" }));
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", resolve);
  });
  return { server, port: (server.address() as AddressInfo).port };
}

async function serve(simulation: Simulation, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url ?? "/", simulation.urls.html);
  const method = request.method ?? "GET";
  const body = await readBody(request);
  const note = (status: number) => void simulation.requests.push({ method, path: url.pathname, status });
  if (isGitPath(url.pathname)) return note(await serveGitDoor(simulation, request, response, url, body));

  const answer = await answerOf(simulation, request, url, body);
  note(answer.status);
  send(simulation, response, answer);
}

async function answerOf(simulation: Simulation, request: IncomingMessage, url: URL, body: Buffer): Promise<Answer> {
  const { method = "GET", headers } = request;
  if (url.pathname.startsWith("/logs/")) return answerLog(simulation, request, url.pathname.slice("/logs/".length));
  const { authorization, accept = "" } = headers;
  if (url.pathname === GRAPHQL && method === "POST") {
    return answerGraphqlRequest(simulation, { method, url, authorization, accept, body });
  }
  if (!url.pathname.startsWith(API)) return { status: 404, body: { message: "Not Found" } };
  const below = new URL(url);
  below.pathname = url.pathname.slice(API.length) || "/";
  return answerApi(simulation, { method, url: below, authorization, accept, body });
}

/** The other host, which knows links only: a token that was sent along is an error, as it is at GitHub's log store. */
function answerLog(simulation: Simulation, request: IncomingMessage, id: string): Answer {
  const link = simulation.logLinks.get(id);
  const isOtherHost = request.headers.host === new URL(simulation.urls.logs).host;
  if (!isOtherHost || link === undefined)
    return { status: 404, raw: { type: "text/plain", content: "The specified resource does not exist." } };
  if (request.headers.authorization !== undefined) {
    return {
      status: 400,
      raw: { type: "text/plain", content: "Authentication information is not given in the correct format." },
    };
  }
  if (link.expiresAt <= simulation.clock.now()) {
    return { status: 403, raw: { type: "text/plain", content: "Signature not valid in the specified time frame." } };
  }
  return { status: 200, raw: { type: link.type, content: link.content() } };
}

function send({ clock }: Simulation, response: ServerResponse, { status, body, raw, headers }: Answer): void {
  const common = {
    "x-github-media-type": "github.v3; format=json",
    date: new Date(clock.now()).toUTCString(),
    ...headers,
  };
  if (raw !== undefined) {
    response.writeHead(status, { ...common, "content-type": raw.type });
    response.end(raw.content);
    return;
  }
  if (body === undefined) {
    response.writeHead(status, common);
    response.end();
    return;
  }
  response.writeHead(status, { ...common, "content-type": "application/json; charset=utf-8" });
  response.end(JSON.stringify(body));
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
