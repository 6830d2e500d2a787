import type { Probot } from "probot";
import { z } from "zod";
import { GitHubFailed } from "../../ports/github.ts";
import type { HookAttempt, HookDeliveries } from "../../ports/hook-deliveries.ts";

const Attempt = z.object({
  id: z.union([z.number(), z.string()]).transform(String),
  guid: z.string(),
  delivered_at: z.string(),
  status_code: z.number(),
});

const PER_PAGE = 100; // the most GitHub gives a page
// Ten thousand attempts in three days are more than an app that can be repaired this way gets.
const MOST_PAGES = 100;

/** The App's own webhook deliveries, asked with the App's key. */
export function appHookDeliveries(probot: Probot): HookDeliveries {
  return {
    since: (since) =>
      asked(async () => {
        const asApp = await probot.auth();
        const attempts: HookAttempt[] = [];
        let cursor: string | null = null;
        for (let page = 0; page < MOST_PAGES; page++) {
          const answer: { headers: { link?: string | undefined }; data: unknown } = await asApp.request(
            "GET /app/hook/deliveries",
            {
              per_page: PER_PAGE,
              ...(cursor === null ? {} : { cursor }),
              request: { parseSuccessResponseBody: false },
            },
          );
          const found = z
            .array(Attempt)
            .parse(await readExactly(answer.data))
            .map(toAttempt);
          attempts.push(...found.filter(({ deliveredAt }) => new Date(deliveredAt) >= since));
          cursor = nextCursor(answer.headers.link ?? "");
          const oldest = found.at(-1);
          if (cursor === null || oldest === undefined || new Date(oldest.deliveredAt) < since) break;
        }
        return attempts;
      }),
    redeliver: (attemptId) =>
      asked(async () => {
        // Typed as a number, which would not hold it.
        const parameters = { delivery_id: attemptId as unknown as number };
        await (await probot.auth()).request("POST /app/hook/deliveries/{delivery_id}/attempts", parameters);
      }),
  };
}

/** The answer with its long numbers as strings: GitHub's ids have outgrown what a double holds exactly. */
async function readExactly(body: unknown): Promise<unknown> {
  const text = await new Response(body as ReadableStream).text();
  return JSON.parse(text.replace(/("id"\s*:\s*)(\d+)/g, '$1"$2"'));
}

function toAttempt({ id, guid, delivered_at, status_code }: z.infer<typeof Attempt>): HookAttempt {
  return { id, guid, deliveredAt: delivered_at, arrived: status_code >= 200 && status_code < 300 };
}

/** Pages are linked by a cursor, not by a number. */
function nextCursor(link: string): string | null {
  const next = /<([^>]+)>;\s*rel="next"/.exec(link)?.[1];
  return next === undefined || !URL.canParse(next) ? null : new URL(next).searchParams.get("cursor");
}

async function asked<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    const status = error instanceof Error && "status" in error && typeof error.status === "number" ? error.status : 0;
    const message = error instanceof Error ? (error.message.split("\n")[0] ?? "") : String(error);
    throw new GitHubFailed(status, `GitHub: ${message}`);
  }
}
