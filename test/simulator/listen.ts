import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { Webhooks } from "@octokit/webhooks";

export interface Received {
  readonly event: string;
  readonly guid: string;
  readonly isSigned: boolean;
  readonly payload: Record<string, unknown>;
}

/** A receiver of webhooks that checks signatures with GitHub's own library. */
export async function listenForWebhooks(
  secret: string,
): Promise<{ url: string; received: Received[]; server: Server }> {
  const webhooks = new Webhooks({ secret });
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString("utf8");
    const header = (name: string) => String(request.headers[name] ?? "");
    received.push({
      event: header("x-github-event"),
      guid: header("x-github-delivery"),
      isSigned: await webhooks.verify(body, header("x-hub-signature-256")),
      payload: JSON.parse(body) as Record<string, unknown>,
    });
    response.writeHead(202).end();
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/api/github/webhooks`, received, server };
}
