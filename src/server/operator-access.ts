import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { type Answer, text } from "./answer.ts";

/** What a proxy adds: behind one every caller seems to be the machine itself. */
const PROXY_HEADERS = [
  "forwarded",
  "via",
  "x-forwarded-for",
  "x-forwarded-host",
  "x-forwarded-proto",
  "x-real-ip",
  "cf-connecting-ip",
  "true-client-ip",
];

/**
 * Null when the caller may see the operator's pages, else the refusal (design §6). With a token set it is asked from every
 * address; without one only a caller on this machine is let in, and never through a proxy.
 */
export function whyNoOperator(request: IncomingMessage, adminToken: string | null): Answer | null {
  if (adminToken !== null) {
    const given = /^Bearer (.+)$/i.exec(request.headers.authorization ?? "")?.[1];
    if (given !== undefined && isSame(given.trim(), adminToken)) return null;
    return text(401, "give RETRACE_ADMIN_TOKEN as a Bearer token", { "www-authenticate": "Bearer" });
  }
  const isDirect = PROXY_HEADERS.every((name) => request.headers[name] === undefined);
  if (isDirect && isLoopback(request.socket.remoteAddress ?? "") && isLoopbackName(request.headers.host ?? "")) {
    return null;
  }
  return text(403, "this page answers on the machine itself only, unless RETRACE_ADMIN_TOKEN is set");
}

/** In constant time, whatever the lengths. */
function isSame(given: string, wanted: string): boolean {
  const digest = (value: string): Buffer => createHash("sha256").update(value).digest();
  return timingSafeEqual(digest(given), digest(wanted));
}

function isLoopback(address: string): boolean {
  return address === "::1" || /^(?:::ffff:)?127\.\d+\.\d+\.\d+$/.test(address);
}

// A page in the operator's browser may have given its own name our address; its requests still bear that name.
function isLoopbackName(host: string): boolean {
  return /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])(?::\d+)?$/i.test(host);
}
