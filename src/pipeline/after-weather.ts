import type { Evidence } from "../domain/evidence.ts";
import type { Incident } from "../domain/incident.ts";
import type { Policy } from "../domain/policy.ts";
import type { WorkflowRun } from "../domain/repository.ts";
import type { TriageReason } from "../domain/triage.ts";
import type { GitHub } from "../ports/github.ts";
import { finish } from "./end-incident.ts";
import { type AppParts, advance } from "./incident-parts.ts";

/** Weather and what is flaky: the failed jobs are re-run once, and nothing is repaired. Safe to do again after a kill. */
export async function afterWeather(
  github: GitHub,
  incident: Incident,
  runs: readonly WorkflowRun[],
  policy: Policy,
  shown: { readonly evidence: Evidence; readonly reasons: readonly TriageReason[] },
  parts: AppParts,
): Promise<Incident> {
  const what = whatWeather(shown.evidence, shown.reasons);
  // A fork's jobs run the fork's code: that is for a maintainer to start.
  const once = policy.rerunFlaky && !incident.isFork ? runs.filter((run) => run.attempt === 1) : [];
  if (once.length === 0) return finish(incident, "not_code", `${what} (not re-run by us)`, parts);
  const marked = await advance(
    incident.id,
    "repairing",
    (known) => ({ ...known, rerunAt: parts.world.now().toISOString() }),
    parts,
  );
  const answers = [];
  // After a kill a run that was re-run is not red any more, or at its second attempt: it is not among these.
  for (const run of once) answers.push(await github.rerunFailedJobs(incident.repository, run.id));
  const said = answers.includes("started")
    ? "the failed jobs are re-run once"
    : "the host refused to re-run the failed jobs";
  return finish(marked, "not_code", `${what}; ${said}`, parts);
}

function whatWeather({ failures }: Evidence, reasons: readonly TriageReason[]): string {
  const [first] = failures;
  const why =
    first?.category === "flaky" ? reasons.find(({ failures: ids }) => ids.includes(first.id))?.why : undefined;
  return `${first?.category ?? "weather"}: ${first?.message ?? ""}${why === undefined ? "" : `. ${why.replace(/\.$/, "")}`}`;
}
