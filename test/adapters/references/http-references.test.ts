import http from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { httpReferences, withoutCode } from "../../../src/adapters/references/http-references.ts";

let server: http.Server | null = null;
afterEach(() => server?.close());

async function serve(answer: (url: URL, reply: http.ServerResponse) => void): Promise<string> {
  server = http.createServer((request, reply) => answer(new URL(request.url ?? "", "http://here"), reply));
  await new Promise<void>((resolve) => server?.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/search`;
}

const QUERY = { words: "dayof 3.0.1 startOf moved", dependencies: ["dayof", "@ranges/core"] };

describe("references of a configured service", () => {
  it("asks with words and names, and reads pages", async () => {
    const asked: string[] = [];
    const url = await serve((address, reply) => {
      asked.push(address.searchParams.get("q") ?? "", ...address.searchParams.getAll("dependency"));
      reply.end(JSON.stringify([{ source: "CHANGELOG", text: "moved into a plugin" }]));
    });

    expect(await httpReferences({ url }).find(QUERY)).toEqual([{ source: "CHANGELOG", text: "moved into a plugin" }]);
    expect(asked).toEqual(["dayof 3.0.1 startOf moved", "dayof", "@ranges/core"]);
  });

  it.each([
    ["an error", (_: URL, reply: http.ServerResponse) => reply.writeHead(500).end("[]")],
    ["no JSON", (_: URL, reply: http.ServerResponse) => reply.end("<html>")],
    ["another form", (_: URL, reply: http.ServerResponse) => reply.end('{"pages":[]}')],
    ["silence", () => {}],
  ])("finds nothing on %s", async (_, answer) => {
    const url = await serve(answer);

    expect(await httpReferences({ url, timeoutMs: 200 }).find(QUERY)).toEqual([]);
  });

  it("sends no code", () => {
    expect(
      withoutCode(
        "startOf of `dayof` is not a function, `const x = day(a); x.b()` in /home/me/app/src/x.ts; return(x)",
      ),
    ).toBe("startOf of dayof is not a function, in");
  });
});
