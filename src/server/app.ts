import type { Probot } from "probot";
import type { JobEnd } from "../pipeline/incident-parts.ts";
import type { IncidentStore } from "../ports/incident-store.ts";
import type { LeasedJob } from "../ports/queue.ts";

/** What is done for a delivery, by its GUID. */
type Work = (guid: string) => Promise<void>;

/** The Probot app: every event Probot is handed is worked on. */
export function retraceApp(work: Work): (app: Probot) => void {
  return (app) => {
    app.onAny(({ id }) => work(id));
  };
}

/**
 * Puts Probot between the queue and the pipeline: it gets the deliveries whose signature was checked and which are on disk,
 * one by one, and no other. Whatever else is registered on this Probot sees them too. A failure reaches the caller as it is.
 */
export async function throughProbot(
  probot: Probot,
  store: Pick<IncidentStore, "delivery">,
): Promise<(job: LeasedJob, work: () => Promise<JobEnd>) => Promise<JobEnd>> {
  const waiting = new Map<string, () => Promise<void>>();
  await probot.load(retraceApp(async (guid) => waiting.get(guid)?.()));
  return async (job, work) => {
    const guid = String(job.data.guid);
    const delivery = await store.delivery(guid);
    if (delivery === null) return work();
    let end: JobEnd | null = null;
    let failure: unknown = null;
    waiting.set(guid, async () => {
      try {
        end = await work();
      } catch (error) {
        failure = error;
        throw error;
      }
    });
    try {
      await probot.receive({ id: guid, name: delivery.event, payload: JSON.parse(delivery.payload) } as Received);
    } catch (error) {
      // Probot wraps what its handlers threw together with the whole event.
      throw failure ?? new Error(`Probot could not hand on a delivery: ${messageOf(error)}`);
    } finally {
      waiting.delete(guid);
    }
    return end ?? work();
  };
}

// Probot's type is one of each known event; what GitHub adds later is handed on just the same.
type Received = Parameters<Probot["receive"]>[0];

function messageOf(error: unknown): string {
  return error instanceof Error ? (error.message.split("\n")[0] ?? "") : String(error);
}
