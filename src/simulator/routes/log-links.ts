import { randomUUID } from "node:crypto";
import { type Answer, notFound, Refusal } from "../http/answers.ts";
import { type ZipEntry, zip } from "../http/zip.ts";
import { jobLogText } from "../runner/run-job.ts";
import type { Attempt, Job } from "../state/nouns.ts";
import type { LogLink, Simulation } from "../state/simulation.ts";

/** GitHub's log links live one minute. */
const LINK_LIFE_MS = 60_000;
const WEATHER_WORDS: Readonly<Record<number, string>> = { 404: "Not Found", 410: "Server Error", 502: "Server Error" };

/** Redirects to the text of one job's log, on another host name. */
export function linkToJobLog(simulation: Simulation, job: Job): Answer {
  if (job.status !== "completed" || job.steps.length === 0) throw notFound();
  const content = () => Buffer.from(jobLogText(job.steps));
  return redirect(simulation, { type: "text/plain; charset=utf-8", content });
}

/** Redirects to the zip of a whole attempt. */
export function linkToRunLogs(simulation: Simulation, attempt: Attempt): Answer {
  if (attempt.jobs.length === 0) throw notFound();
  return redirect(simulation, { type: "application/zip", content: () => zip(archiveOf(attempt)) });
}

function redirect(simulation: Simulation, link: Omit<LogLink, "expiresAt">): Answer {
  const bad = simulation.weather.logStatus();
  if (bad !== null) throw new Refusal(bad, WEATHER_WORDS[bad] ?? "Server Error");
  const id = randomUUID();
  simulation.logLinks.set(id, { ...link, expiresAt: simulation.clock.now() + LINK_LIFE_MS });
  return { status: 302, headers: { location: `${simulation.urls.logs}/logs/${id}` } };
}

/** `N_<job>.txt` for each job, and `<job>/<n>_<step>.txt` for each step that has a log, as GitHub lays it out. */
function archiveOf({ jobs }: Attempt): ZipEntry[] {
  const withLog = jobs.filter((job) => job.steps.length > 0);
  return withLog.flatMap((job, at) => {
    const folder = fileName(job.name);
    const steps = job.steps.filter((step) => step.log.length > 0);
    return [
      { name: `${at}_${folder}.txt`, content: jobLogText(job.steps) },
      ...steps.map((step) => ({
        name: `${folder}/${step.number}_${fileName(step.name)}.txt`,
        content: jobLogText([step]),
      })),
    ];
  });
}

/** GitHub drops `/` and `:` and cuts at 90 UTF-16 units. */
function fileName(name: string): string {
  return name.replace(/[/:]/g, "").slice(0, 90).trim();
}
