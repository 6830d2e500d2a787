import type { Incident } from "../domain/incident.ts";
import { redact } from "../text/redact.ts";

/** The newest incidents as a page of its own: nothing is loaded, nothing runs, all of it escaped. */
export function renderIncidents(incidents: readonly Incident[]): string {
  const rows = incidents.map(renderRow).join("\n");
  const list = incidents.length === 0 ? "<p>No failed run has been seen yet.</p>" : `<table>${HEAD}\n${rows}\n</table>`;
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>RETRACE</title>
<style>${STYLE}</style></head>
<body><h1>RETRACE</h1>
${list}
</body></html>
`;
}

const STYLE =
  "body{font:15px/1.5 system-ui,sans-serif;margin:2rem;color:#1f2328}table{border-collapse:collapse}th,td{text-align:left;vertical-align:top;padding:.3rem .8rem;border-bottom:1px solid #d1d9e0}code{font-size:.9em}";

const HEAD =
  "<tr><th>opened</th><th>repository</th><th>branch</th><th>commit</th><th>state</th><th>repair</th><th>why</th></tr>";

function renderRow(incident: Incident): string {
  const { repository, pullRequest, publication } = incident;
  const name = `${repository.owner}/${repository.name}`;
  const place =
    pullRequest === null
      ? escapeHtml(incident.headBranch)
      : `${pull(incident, pullRequest)} ${escapeHtml(incident.headBranch)}`;
  const ours = publication?.pullRequest ?? null;
  const repair = ours === null ? "" : `${pull(incident, ours)} CI ${escapeHtml(publication?.ci.state ?? "")}`;
  const cells = [
    escapeHtml(incident.openedAt),
    link(repository.htmlUrl, name),
    place,
    `<code>${escapeHtml(incident.headSha.slice(0, 8))}</code>`,
    escapeHtml(incident.state),
    repair,
    escapeHtml(redact(incident.why ?? "")),
  ];
  return `<tr>${cells.map((cell) => `<td>${cell}</td>`).join("")}</tr>`;
}

function pull({ repository }: Incident, number: number): string {
  return link(`${repository.htmlUrl}/pull/${number}`, `#${number}`);
}

/** A link only to what a browser opens as a page. */
function link(address: string, words: string): string {
  const isPage = URL.canParse(address) && /^https?:$/.test(new URL(address).protocol);
  return isPage ? `<a rel="noreferrer" href="${escapeHtml(address)}">${escapeHtml(words)}</a>` : escapeHtml(words);
}

const ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function escapeHtml(words: string): string {
  return words.replace(/[&<>"']/g, (sign) => ESCAPES[sign] ?? sign);
}
