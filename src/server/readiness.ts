import { createPrivateKey } from "node:crypto";
import type { Queue } from "../ports/queue.ts";
import type { World } from "../ports/world.ts";

/** Whether work can be done here, and for each thing needed `ok` or what is wrong with it. */
export interface Readiness {
  readonly ready: boolean;
  readonly checks: Readonly<Record<string, string>>;
}

export interface ReadinessParts {
  readonly queue: Pick<Queue, "put" | "cancel">;
  /** Null when a sandbox can be had, else why not. */
  readonly sandboxMissing: () => Promise<string | null>;
  readonly privateKey: string;
  /** Null when jobs are worked on, else why not. */
  readonly workerMissing: () => string | null;
  readonly world: Pick<World, "monotonicMs">;
}

// Anybody may ask, as often as they like; the answer costs a write and a few processes.
const KEPT_MS = 5_000;

/** Asks all that work depends on; an answer is given again for a few seconds. Never rejects. */
export function readinessOf(parts: ReadinessParts): () => Promise<Readiness> {
  let last: { readonly at: number; readonly readiness: Promise<Readiness> } | null = null;
  return () => {
    const now = parts.world.monotonicMs();
    if (last === null || now - last.at >= KEPT_MS) last = { at: now, readiness: check(parts) };
    return last.readiness;
  };
}

async function check(parts: ReadinessParts): Promise<Readiness> {
  const found: Readonly<Record<string, string | null>> = {
    store: await storeFault(parts.queue),
    sandbox: await parts.sandboxMissing().catch((error: unknown) => messageOf(error)),
    app_key: appKeyFault(parts.privateKey),
    worker: parts.workerMissing(),
  };
  return {
    ready: Object.values(found).every((fault) => fault === null),
    checks: Object.fromEntries(Object.entries(found).map(([name, fault]) => [name, fault ?? "ok"])),
  };
}

// Nobody works on it before it is taken away again.
const NEVER = new Date("9999-01-01T00:00:00Z");

/** A real write, so that a full disk is noticed too. */
async function storeFault(queue: ReadinessParts["queue"]): Promise<string | null> {
  try {
    await queue.put({ key: "readiness", kind: "readiness", group: null, runAt: NEVER, data: {} });
    await queue.cancel("readiness");
    return null;
  } catch {
    return "the database cannot be written";
  }
}

/** Null when GitHub would take what this key signs, as far as can be told without asking. */
export function appKeyFault(pem: string): string | null {
  try {
    const { asymmetricKeyType } = createPrivateKey(pem);
    return asymmetricKeyType === "rsa" ? null : `the private key is ${asymmetricKeyType}, GitHub's are RSA`;
  } catch {
    return "the private key cannot be read: it must be the PEM file that GitHub gave for the App";
  }
}

function messageOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split("\n")[0] ?? "";
}
