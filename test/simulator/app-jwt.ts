import { createSign } from "node:crypto";

/** An app's JWT; times in seconds from now. */
export function appJwt(appId: number, privateKey: string, { iat = -30, exp = 570 } = {}): string {
  const now = Math.floor(Date.now() / 1000);
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const text = `${part({ alg: "RS256", typ: "JWT" })}.${part({ iat: now + iat, exp: now + exp, iss: appId })}`;
  return `${text}.${createSign("RSA-SHA256").update(text).sign(privateKey).toString("base64url")}`;
}
