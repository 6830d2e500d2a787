import type { IncomingMessage } from "node:http";

export type Body =
  | { readonly kind: "whole"; readonly bytes: Buffer }
  | { readonly kind: "too-long" }
  /** More is being read for other requests than we have room for. */
  | { readonly kind: "no-room" }
  /** The sender went away or ran out of time. */
  | { readonly kind: "broken" };

/** How many bytes all bodies that are being read may hold together. */
export interface Room {
  held: number;
  readonly most: number;
}

/** Reads a body of at most `mostBytes`, counting what comes and not only what was announced. Never rejects. */
export function readBody(request: IncomingMessage, mostBytes: number, room: Room): Promise<Body> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const end = (body: Body): void => {
      room.held -= length;
      length = 0;
      request.off("data", take).off("end", whole).off("close", broken).off("error", broken);
      request.on("error", () => {}); // what is still to come of it concerns nobody
      resolve(body);
    };
    const take = (chunk: Buffer): void => {
      length += chunk.length;
      room.held += chunk.length;
      if (length > mostBytes) end({ kind: "too-long" });
      else if (room.held > room.most) end({ kind: "no-room" });
      else chunks.push(chunk);
    };
    const whole = (): void => end({ kind: "whole", bytes: Buffer.concat(chunks) });
    const broken = (): void => end({ kind: "broken" });
    request.on("data", take).on("end", whole).on("close", broken).on("error", broken);
  });
}
