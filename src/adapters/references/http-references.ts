import { z } from "zod";
import type { Reference, References } from "../../ports/references.ts";
import { redact } from "../../text/redact.ts";

export interface HttpReferencesOptions {
  /** Asked with `?q=` and `&dependency=` for each name; answers `[{ "source": …, "text": … }]`. */
  readonly url: string;
  readonly timeoutMs?: number;
}

const TIMEOUT_MS = 10_000; // a repair does not wait long for something it can do without
const MAX_BYTES = 1_000_000;
const MOST = 5;
const CHARACTERS = 6_000; // of one page: with five of them the 8,000 tokens of papers §3.2

const Answer = z.array(z.object({ source: z.string().min(1).max(400), text: z.string() }));

/** References of a search service that the operator configured. Whatever it does, the Helper then just finds nothing. */
export function httpReferences({ url, timeoutMs = TIMEOUT_MS }: HttpReferencesOptions): References {
  return {
    find: async ({ words, dependencies }) => {
      const address = new URL(url);
      address.searchParams.set("q", withoutCode(words));
      for (const name of dependencies) address.searchParams.append("dependency", name);
      try {
        const answer = await fetch(address, { signal: AbortSignal.timeout(timeoutMs), redirect: "error" });
        if (!answer.ok || Number(answer.headers.get("content-length") ?? 0) > MAX_BYTES) return [];
        const read = Answer.safeParse(JSON.parse((await answer.text()).slice(0, MAX_BYTES)));
        return read.success ? read.data.slice(0, MOST).map(shortened) : [];
      } catch {
        return [];
      }
    },
  };
}

function shortened({ source, text }: Reference): Reference {
  return { source, text: redact(text.slice(0, CHARACTERS)) };
}

/** Words about a failure, without what can only be code: spans of it, statements, calls with arguments, paths. */
export function withoutCode(words: string): string {
  return redact(words)
    .replace(/`[^`]*`/g, (span) => (/^`[\w.@/-]+`$/.test(span) ? span.slice(1, -1) : " "))
    .split(/\s+/)
    .filter((word) => !/[{}();=<>[\]\\]/.test(word) && !/(?:\/[\w.-]+){2,}/.test(word) && word.length <= 60)
    .join(" ")
    .trim();
}
