import type { World } from "../ports/world.ts";
import { redact } from "../text/redact.ts";

/** The record of one attempt, kept for people and for replay. Writers redact before they append. */
export interface Transcript {
  append(entry: Readonly<Record<string, unknown>>): Promise<void>;
}

export const NO_TRANSCRIPT: Transcript = { append: async () => {} };

/** The same transcript behind a door: every entry gets its time, and no secret gets through. */
export function redactingTranscript(transcript: Transcript, world: Pick<World, "now">): Transcript {
  return {
    append: (entry) => transcript.append({ at: world.now().toISOString(), ...redactAll(entry) }),
  };
}

/** Every string inside of `value` redacted; what JSON cannot hold is left out as JSON would. */
function redactAll(value: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, redactValue(inner)]));
}

function redactValue(value: unknown): unknown {
  if (typeof value === "string") return redact(value);
  if (Array.isArray(value)) return value.map(redactValue);
  if (typeof value === "object" && value !== null) return redactAll({ ...value });
  return value;
}
