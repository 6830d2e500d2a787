import { type ExplainedFailure, type Incident, isPublished } from "../domain/incident.ts";
import type { Outcome } from "../domain/outcome.ts";
import type { Usage } from "../domain/usage.ts";
import { elide } from "../text/elide.ts";
import { fence } from "../text/fence.ts";
import { assemble, cell, code, oneLine, plain, section } from "./markup.ts";
import { triageList } from "./triage-list.ts";

const TITLE_CHARACTERS = 200; // GitHub takes 256
const FAILURES_SHOWN = 8;
const CHECKS_SHOWN = 25;
const QUOTE_CHARACTERS = 1_200;
const HISTORY_CHARACTERS = 300; // a glance; the whole reason stands above

/** How a person steers us, at the end of everything we write; what can be stopped is only there once it is published. */
function steering(incident: Incident): string {
  const open = isPublished(incident) && incident.publication?.pullRequest !== null;
  const stop = open ? "`/retrace stop` closes our pull request and deletes its branch, " : "";
  const again = incident.outcome === null ? "`/retrace` repairs it" : "`/retrace retry` starts over";
  return `Steer it with a comment, the command on a line of its own: ${again}, ${stop}\`/retrace help\` lists the rest.`;
}

/** The title of our pull request: the one problem by name, or how many. */
export function pullRequestTitle(outcome: Pick<Outcome, "problems">, prefix: string): string {
  const repaired = outcome.problems.filter((problem) => problem.state === "repaired");
  const [first] = repaired;
  const what =
    repaired.length === 1 && first !== undefined ? oneLine(first.title) : `${repaired.length} problems of a red run`;
  return [...`${prefix}${what}`].slice(0, TITLE_CHARACTERS).join("");
}

/** The text of our pull request: causes with their log lines, the change, what was checked and what was not, cost, steering. */
export function pullRequestBody(incident: Incident, outcome: Outcome): string {
  const { publication } = incident;
  const red = incident.pullRequest === null ? `\`${incident.headBranch}\`` : `#${incident.pullRequest}`;
  return assemble([
    publication?.withdrawn === true ? `**Closed**: ${plain(incident.why ?? "it is not needed any more")}.` : "",
    `Repairs the red run of ${red} at ${incident.headSha.slice(0, 8)}. ${ciSentence(incident)}`,
    needsPerson(incident),
    section("What was wrong", causes(incident, outcome)),
    section("What the failing test showed at run time", traces(outcome)),
    section("What was changed", changes(outcome)),
    section("What was checked here", checksTable(outcome)),
    section("What was not checked", notChecked(outcome)),
    section("Guidance used", guidance(outcome)),
    section("Cost", costLine(outcome.usage)),
    notes(incident),
    steering(incident),
  ]);
}

const TRACE_ENDS = { head: 1_500, tail: 500 }; // the wrong values stand first

/** What probes recorded for a repair that was kept; "" without any. */
function traces({ attempts }: Outcome): string {
  return attempts
    .filter(({ exit, trace }) => exit === "done" && trace !== undefined)
    .map(({ trace }) => fence(elide(trace ?? "", TRACE_ENDS), "text"))
    .join("\n\n");
}

/** The one living comment on the red pull request; always the whole story as it stands. */
export function livingComment(incident: Incident): string {
  const { outcome } = incident;
  return assemble([
    `**${headline(incident)}**`,
    whereItLies(incident),
    needsPerson(incident),
    incident.answer ?? "",
    section("Whose failure it is", triageList(incident)),
    section("What broke", failureList(incident.explanation?.failures ?? [], hasSeveralCauses(incident))),
    section("What never ran", unreachedList(incident)),
    outcome === null || outcome.ended === "repaired" ? "" : section("Why it was not repaired", plain(outcome.why)),
    outcome === null ? "" : section("Checked here", checksTable(outcome)),
    outcome === null ? "" : section("Cost", costLine(outcome.usage)),
    notes(incident),
    history(incident),
    steering(incident),
  ]);
}

function whereItLies(incident: Incident): string {
  const { publication, repository } = incident;
  if (incident.reviewId != null) {
    const page = `${repository.htmlUrl}/pull/${incident.pullRequest}#pullrequestreview-${incident.reviewId}`;
    return `The repair stands [as suggestions beside the lines](${page}): take all of them over in one commit.`;
  }
  if (publication === null || !publication.pushed) return "";
  if (publication.pullRequest !== null) {
    const was = publication.withdrawn ? "was" : "is";
    return `The repair ${was} in #${publication.pullRequest}. ${publication.withdrawn ? "" : ciSentence(incident)}`.trim();
  }
  const commit = `[${publication.commit.slice(0, 8)}](${repository.htmlUrl}/commit/${publication.commit})`;
  return `The repair was pushed to \`${publication.branch}\` as ${commit}. ${ciSentence(incident)}`;
}

function needsPerson({ publication }: Incident): string {
  if (publication === null || publication.needsPerson.length === 0) return "";
  const why = publication.needsPerson.map(plain).join("; ");
  return `**Needs a person**: ${why}. We do not mark it ready.`;
}

function history({ history: lines }: Incident): string {
  const items = lines.map(
    ({ at, what }) =>
      `- ${at.slice(0, 19).replace("T", " ")} ${plain(elide(what, { head: HISTORY_CHARACTERS, tail: 0 }))}`,
  );
  if (items.length === 0) return "";
  return `<details><summary>History</summary>\n\n${items.join("\n")}\n\n</details>`;
}

/** In a comment for a repair that is not pushed: the patch as one fenced block that `git apply` takes. */
export function patchSection(patch: string): string {
  return section(
    "The patch",
    `Save it and run \`git apply\`:\n\n${fence(patch.endsWith("\n") ? patch.slice(0, -1) : patch, "diff")}`,
  );
}

/** One sentence on where an incident stands; also the title of our check run. */
export function headline(incident: Incident): string {
  const { outcome, publication } = incident;
  switch (incident.state) {
    case "collecting":
      return "A run failed; its logs are being read";
    case "repairing":
      return "The failure is explained and being repaired";
    case "publishing":
    case "awaiting_ci":
      return "A repair is verified locally; CI is judging it";
    case "done":
      if (publication?.ci.state === "green")
        return `Repaired, and proved by CI${incident.why === null ? "" : `; ${plain(incident.why)}`}`;
      return plain(incident.why ?? "Done");
    case "not_code":
      return `Nothing in the code is to blame: ${plain(incident.why ?? "the log shows weather")}`;
    case "gave_up":
      if (publication?.ci.state === "red") return "The repair did not turn CI green";
      if (publication?.ci.state === "blocked") return "Verified locally; CI waits for a person";
      if (publication?.ci.state === "none_seen") return "Verified locally, not proved by CI";
      // The outcome's own reason has a section of its own.
      return incident.why === null || incident.why === outcome?.why
        ? "Not repaired"
        : `Not repaired: ${plain(incident.why)}`;
    case "superseded":
      return `Superseded: ${plain(incident.why ?? "the head moved on")}`;
    case "stopped":
      return `Stopped on request: ${plain(incident.why ?? "")}`;
    case "ignored":
      return plain(incident.why ?? "Not repaired");
  }
}

function ciSentence({ publication }: Incident): string {
  if (publication === null) return "";
  const runs = publication.ci.runs
    .map((run) => `[${plain(run.name)}](${run.url}) ${run.conclusion ?? "running"}`)
    .join(", ");
  switch (publication.ci.state) {
    case "waiting":
      return "**Verified locally**; CI has not judged it yet.";
    case "green":
      return `**Proved by CI**: every run on the pushed commit is green (${runs}).`;
    case "red":
      return `**CI is red on it** (${runs})${publication.ci.why === null ? "." : `:\n\n${fence(publication.ci.why, "text")}`}`;
    case "none_seen":
      return `**Not proved by CI**: ${plain(publication.ci.why ?? "no workflow run was seen on the pushed commit")}.`;
    case "blocked":
      return `**CI waits for a person**: ${plain(publication.ci.why ?? "a run needs approval")}.`;
  }
}

function causes(incident: Incident, outcome: Outcome): string {
  const byId = new Map((incident.explanation?.failures ?? []).map((failure) => [failure.id, failure]));
  return outcome.problems
    .map((problem, index) => {
      const failures = problem.failures.flatMap((id) => byId.get(id) ?? []);
      return `**${index + 1}.** ${code(problem.title)} (${problem.category}, ${problem.state.replaceAll("_", " ")})\n\n${failureList(failures)}`;
    })
    .join("\n\n");
}

/** One cause needs no number to be named by. */
function hasSeveralCauses({ explanation }: Incident): boolean {
  return new Set((explanation?.failures ?? []).flatMap(({ cause }) => cause ?? [])).size > 1;
}

function failureList(failures: readonly ExplainedFailure[], numbered = false): string {
  const roots = failures.filter((failure) => failure.cascadeOf === null);
  const shown = roots
    .slice(0, FAILURES_SHOWN)
    .map(
      (failure) => `${numbered && failure.cause !== undefined ? `**${failure.cause}.** ` : ""}${failureItem(failure)}`,
    );
  const left = failures.length - Math.min(roots.length, FAILURES_SHOWN);
  return [...shown, ...(left > 0 ? [`… and ${left} more that follow from these or are like them.`] : [])].join("\n\n");
}

function failureItem(failure: ExplainedFailure): string {
  const where = [failure.job, failure.step].filter((part) => part !== null).join(" › ");
  const place =
    failure.location === null
      ? ""
      : ` at \`${failure.location.file}${failure.location.line === null ? "" : `:${failure.location.line}`}\``;
  const speaker = failure.tool === null ? "" : `${failure.tool}: `;
  const link = failure.url === null ? plain(where) : `[${plain(where) || "log"}](${failure.url})`;
  const lines =
    failure.lines.length === 0 ? "" : `, line${failure.lines.length === 1 ? "" : "s"} ${ranges(failure.lines)}`;
  const quote = fence(elide(failure.excerpt, { head: QUOTE_CHARACTERS / 2, tail: QUOTE_CHARACTERS / 2 }), "text");
  const source = `${link}${lines}`.replace(/^, /, "");
  return `${speaker}${code(failure.message)}${place}${source === "" ? "" : ` (${source})`}\n\n${quote}`;
}

function unreachedList(incident: Incident): string {
  return (incident.explanation?.unreached ?? [])
    .map(({ job, command, because }) => `- ${code(command)}${job === null ? "" : ` in ${plain(job)}`}: ${because}`)
    .join("\n");
}

function changes(outcome: Outcome): string {
  const files = outcome.files.map((file) => `- \`${file}\``).join("\n");
  const why = outcome.attempts
    .filter((attempt) => attempt.exit === "done")
    .map((attempt) => `${attempt.engine}: ${plain(attempt.why)}`);
  return [...new Set(why)].concat(files).join("\n\n");
}

function checksTable(outcome: Outcome): string {
  if (outcome.checks.length === 0) return "";
  const rows = outcome.checks
    .slice(0, CHECKS_SHOWN)
    .map(
      ({ command, cwd, exitBefore, exitAfter, note }) =>
        `| ${cell(command)} | ${cell(cwd || ".")} | ${exitBefore ?? "not run"} | ${exitAfter ?? "not run"} | ${note === null ? "" : plain(note).replaceAll("|", "\\|")} |`,
    );
  return ["| command | folder | exit before | exit after | note |", "|---|---|---|---|---|", ...rows].join("\n");
}

function notChecked(outcome: Outcome): string {
  const notRun = outcome.checks
    .filter((check) => check.exitAfter === null)
    .map((check) => `- ${code(check.command)}: ${plain(check.note ?? "not run")}`);
  const open = outcome.problems
    .filter((problem) => problem.state !== "repaired" && problem.state !== "already_fixed")
    .map((problem) => `- ${code(problem.title)}: ${problem.state.replaceAll("_", " ")}`);
  return [...new Set([...notRun, ...open])].join("\n");
}

function guidance(outcome: Outcome): string {
  return outcome.guidance
    .map(
      (use) =>
        `- ${use.id} (${use.level}${use.pr === null ? "" : `, #${use.pr}`}): ${use.contributed ?? "offered, not used"}`,
    )
    .join("\n");
}

function costLine(usage: Usage): string {
  if (usage.calls === 0) return `No model call; ${seconds(usage.ms)}.`;
  const tokens = `${usage.inputTokens} input tokens (${usage.cachedTokens} cached), ${usage.outputTokens} output tokens`;
  const money = usage.usd === null ? "no price is set, so dollars are not known" : `$${usage.usd.toFixed(4)}`;
  return `${usage.calls} model calls, ${tokens}, ${money}; ${seconds(usage.ms)}.`;
}

function notes(incident: Incident): string {
  return incident.notes.map((note) => `> ${plain(note)}`).join("\n>\n");
}

function ranges(lines: readonly number[]): string {
  const parts: string[] = [];
  for (let at = 0; at < lines.length; ) {
    let end = at;
    while (lines[end + 1] === (lines[end] ?? 0) + 1) end++;
    parts.push(end === at ? `${lines[at]}` : `${lines[at]}–${lines[end]}`);
    at = end + 1;
  }
  return parts.slice(0, 12).join(", ");
}

function seconds(ms: number): string {
  return ms < 90_000 ? `${Math.round(ms / 1000)} s` : `${Math.round(ms / 60_000)} min`;
}
