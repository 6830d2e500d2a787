import { z } from "zod";
import type { LeasedJob } from "../ports/queue.ts";
import { followCi } from "./follow-ci.ts";
import { handleDelivery } from "./handle-delivery.ts";
import type { AppParts } from "./incident-parts.ts";
import { type JobEnd, workIncident } from "./repair-incident.ts";

export type { AppParts } from "./incident-parts.ts";
export { deliveryJob } from "./incident-parts.ts";
export type { JobEnd } from "./repair-incident.ts";

const DeliveryData = z.object({ guid: z.string() });
const IncidentData = z.object({ incident: z.string() });

/** Does one job of the queue. May be called again for the same job after a kill; rejects when it should be tried later. */
export async function handleJob(job: LeasedJob, parts: AppParts): Promise<JobEnd> {
  switch (job.kind) {
    case "delivery":
      await handleDelivery(DeliveryData.parse(job.data).guid, parts);
      return { end: "finished" };
    case "incident":
      return workIncident(IncidentData.parse(job.data).incident, parts);
    case "follow":
      return followCi(IncidentData.parse(job.data).incident, parts);
    default:
      parts.log("a job of an unknown kind was dropped", { kind: job.kind });
      return { end: "finished" };
  }
}
