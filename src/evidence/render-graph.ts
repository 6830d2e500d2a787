import type { Evidence, GraphNode } from "../domain/evidence.ts";

type State = "failed" | "unreached" | "successful" | "unknown";

const FILL: Readonly<Record<State, string>> = {
  failed: "#ffebe9",
  unreached: "#fff8c5",
  successful: "#dafbe1",
  unknown: "#f6f8fa",
};
const STROKE: Readonly<Record<State, string>> = {
  failed: "#cf222e",
  unreached: "#9a6700",
  successful: "#1a7f37",
  unknown: "#8c959f",
};

const BOX = { width: 200, height: 44, gapX: 70, gapY: 18, margin: 16 };
const MAX_LABEL = 26;
// A picture of more jobs than this is no picture any more.
const MAX_JOBS = 120;

/** The jobs of a run as a picture: columns by what they need, coloured by how they ended. */
export function renderGraph({ graph, validations }: Evidence): string {
  const jobs = graph.nodes.filter((node) => node.kind === "job").slice(0, MAX_JOBS);
  const ids = new Set(jobs.map((job) => job.id));
  const edges = graph.edges.filter(
    ({ from, to, kind }) =>
      ids.has(from) && ids.has(to) && (kind === "needs" || kind === "matrix_of" || kind === "artifact"),
  );
  const columns = columnsOf(jobs, edges);
  const places = new Map<string, { readonly x: number; readonly y: number }>();
  for (const [column, members] of columns.entries()) {
    for (const [row, job] of members.entries()) {
      places.set(job.id, {
        x: BOX.margin + column * (BOX.width + BOX.gapX),
        y: BOX.margin + row * (BOX.height + BOX.gapY),
      });
    }
  }
  const width = BOX.margin * 2 + columns.length * (BOX.width + BOX.gapX) - BOX.gapX;
  const rows = Math.max(1, ...columns.map((members) => members.length));
  const height = BOX.margin * 2 + rows * (BOX.height + BOX.gapY) - BOX.gapY;
  const lines = edges.map(({ from, to, kind }) => edgeLine(places.get(from), places.get(to), kind === "needs"));
  const boxes = jobs.map((job) => jobBox(job, places.get(job.id), stateOf(job, validations)));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${Math.max(width, BOX.width)}" height="${height}" font-family="system-ui, sans-serif" font-size="13" role="img" aria-label="Jobs of the run">`,
    ...lines,
    ...boxes,
    "</svg>",
    "",
  ].join("\n");
}

/** A job stands one column right of the last job it needs. */
function columnsOf(
  jobs: readonly GraphNode[],
  edges: readonly { readonly from: string; readonly to: string }[],
): readonly (readonly GraphNode[])[] {
  const depth = new Map(jobs.map((job) => [job.id, 0]));
  // As many rounds as there are jobs reach every job, and end even when an invalid file needs itself in a circle.
  for (let round = 0; round < jobs.length; round++) {
    let moved = false;
    for (const { from, to } of edges) {
      const wanted = Math.min((depth.get(from) ?? 0) + 1, jobs.length);
      if (wanted <= (depth.get(to) ?? 0)) continue;
      depth.set(to, wanted);
      moved = true;
    }
    if (!moved) break;
  }
  const used = [...new Set(depth.values())].sort((a, b) => a - b);
  return used.map((column) => jobs.filter((job) => depth.get(job.id) === column));
}

function stateOf(node: GraphNode, validations: Evidence["validations"]): State {
  const own = validations.filter(({ job, jobKey }) => job === node.ref || jobKey === node.ref);
  for (const state of ["failed", "unreached", "successful"] as const) {
    if (own.some(({ status }) => status === state)) return state;
  }
  return "unknown";
}

function jobBox(job: GraphNode, place: { readonly x: number; readonly y: number } | undefined, state: State): string {
  if (place === undefined) return "";
  const label = job.ref.length > MAX_LABEL ? `${job.ref.slice(0, MAX_LABEL - 1)}…` : job.ref;
  return [
    `<g><title>${escapeXml(`${job.ref}: ${state}`)}</title>`,
    `<rect x="${place.x}" y="${place.y}" width="${BOX.width}" height="${BOX.height}" rx="6" fill="${FILL[state]}" stroke="${STROKE[state]}"/>`,
    `<text x="${place.x + 12}" y="${place.y + 19}">${escapeXml(label)}</text>`,
    `<text x="${place.x + 12}" y="${place.y + 35}" font-size="11" fill="${STROKE[state]}">${state}</text></g>`,
  ].join("");
}

function edgeLine(
  from: { readonly x: number; readonly y: number } | undefined,
  to: { readonly x: number; readonly y: number } | undefined,
  solid: boolean,
): string {
  if (from === undefined || to === undefined) return "";
  const start = { x: from.x + BOX.width, y: from.y + BOX.height / 2 };
  const end = { x: to.x, y: to.y + BOX.height / 2 };
  const middle = (start.x + end.x) / 2;
  const dash = solid ? "" : ' stroke-dasharray="4 3"';
  return `<path d="M${start.x} ${start.y} C${middle} ${start.y} ${middle} ${end.y} ${end.x} ${end.y}" fill="none" stroke="#8c959f"${dash}/>`;
}

/** Also leaves out what XML forbids: a job name comes from a file we do not trust. */
function escapeXml(text: string): string {
  return text
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, "")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}
