import { createSign, createVerify, generateKeyPairSync, type KeyObject } from "node:crypto";
import { z } from "zod";
import type { Simulation } from "../state/simulation.ts";
import { Refusal } from "./answers.ts";

/** GitHub's longest life of an app's JWT, and the leeway it gives a client whose clock runs ahead. */
const LONGEST_SECONDS = 600;
const LEEWAY_SECONDS = 60;

const Header = z.object({ alg: z.string() });
const Claims = z.object({ iss: z.union([z.string(), z.number()]).optional(), iat: z.number(), exp: z.number() });

/** Checks an app's JWT as GitHub does: RS256 by the app's key, issuer, times. Throws a 401 that says what is wrong. */
export function checkJwt({ app, publicKey, clock }: Simulation, jwt: string): void {
  const [head = "", body = "", signature = ""] = jwt.split(".");
  const header = Header.safeParse(jsonOf(head)).data;
  const claims = Claims.safeParse(jsonOf(body)).data;
  const verifier = createVerify("RSA-SHA256").update(`${head}.${body}`);
  const isSigned = header?.alg === "RS256" && verifier.verify(publicKey, Buffer.from(signature, "base64url"));
  if (claims === undefined || !isSigned) throw unauthorized("A JSON web token could not be decoded");
  if (String(claims.iss) !== String(app.id)) {
    throw unauthorized("'Issuer' claim ('iss') must be an Integer");
  }
  const now = Math.floor(clock.now() / 1000);
  if (claims.iat > now + LEEWAY_SECONDS) {
    throw unauthorized(
      "'Issued at' claim ('iat') must be an Integer representing the time that the assertion was issued",
    );
  }
  if (claims.exp <= now) {
    throw unauthorized(
      "'Expiration time' claim ('exp') must be a numeric value representing the future time at which the assertion expires",
    );
  }
  if (claims.exp > now + LONGEST_SECONDS + LEEWAY_SECONDS) {
    throw unauthorized("'Expiration time' claim ('exp') is too far in the future");
  }
}

const tokenKey = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey;

/** An installation token in today's form, `ghs_<APPID>_<JWT>`: about 520 characters with dots, underscores, dashes. */
export function mintToken(
  { app, clock, nextId }: Simulation,
  installationId: number,
  key: KeyObject = tokenKey,
): string {
  const now = Math.floor(clock.now() / 1000);
  const head = base64({ alg: "RS256", typ: "JWT" });
  const body = base64({
    iss: "github",
    sub: `installation:${installationId}`,
    iat: now,
    exp: now + 3600,
    jti: nextId(),
  });
  const signature = createSign("RSA-SHA256").update(`${head}.${body}`).sign(key).toString("base64url");
  return `ghs_${app.id}_${head}.${body}.${signature}`;
}

const base64 = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");
const unauthorized = (message: string): Refusal => new Refusal(401, message);

function jsonOf(part: string): unknown {
  try {
    return JSON.parse(Buffer.from(part, "base64url").toString("utf8"));
  } catch {
    return null;
  }
}
