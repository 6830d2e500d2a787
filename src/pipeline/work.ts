import { z } from "zod";
import { isEnded } from "../domain/incident.ts";
import type { LeasedJob } from "../ports/queue.ts";
import { backFill, countUses, learnFromPullRequest } from "./app-learning.ts";
import { endIncident } from "./end-incident.ts";
import { followCi } from "./follow-ci.ts";
import { handleDelivery } from "./handle-delivery.ts";
import { type AppParts, FINISHED, type JobEnd, type LoneAnswer } from "./incident-parts.ts";
import { workIncident } from "./repair-incident.ts";
import { tellIncident, tellLoneAnswer } from "./tell-incident.ts";

const DeliveryData = z.object({ guid: z.string() });
const IncidentData = z.object({ incident: z.string() });

/** Does one job of the queue. May be called again for the same job after a kill; rejects when it should be tried later. */
export async function handleJob(job: LeasedJob, parts: AppParts): Promise<JobEnd> {
  switch (job.kind) {
    case "delivery":
      await handleDelivery(DeliveryData.parse(job.data).guid, parts);
      return FINISHED;
    case "incident":
      return workIncident(IncidentData.parse(job.data).incident, parts);
    case "follow":
      return followCi(IncidentData.parse(job.data).incident, parts);
    case "tell":
      await tellIncident(IncidentData.parse(job.data).incident, parts);
      return FINISHED;
    case "answer":
      // Written by `answerJob` alone, whose type is this one.
      await tellLoneAnswer(job.data as unknown as LoneAnswer, parts);
      return FINISHED;
    case "learn":
      await learnFromPullRequest(job.data, parts);
      return FINISHED;
    case "count":
      await countUses(job.data, parts);
      return FINISHED;
    case "back-fill":
      await backFill(job.data, parts);
      return FINISHED;
    default:
      parts.log("a job of an unknown kind was dropped", { kind: job.kind });
      return FINISHED;
  }
}

/** What becomes of a job that failed too often: its incident ends, and people are told that it was us. */
export async function dropJob(job: LeasedJob, why: string, parts: AppParts): Promise<void> {
  if (job.kind !== "incident" && job.kind !== "follow") return;
  const incident = await parts.store.incident(IncidentData.parse(job.data).incident);
  if (incident === null || isEnded(incident)) return;
  await endIncident(incident, "gave_up", `our own work failed: ${why}`, parts);
}
