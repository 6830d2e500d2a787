import { z } from "zod";
import type { MatrixFile } from "./workflow-file.ts";

export type Leg = Readonly<Record<string, unknown>>;

const Rows = z.array(z.record(z.string(), z.unknown()));

/** The legs of a matrix: every combination, without `exclude`, `include` merged in or added, in GitHub's order. */
export function expandMatrix({ include, exclude, ...axes }: MatrixFile): Leg[] {
  let legs: Leg[] = Object.keys(axes).length === 0 ? [] : [{}];
  for (const [axis, values] of Object.entries(axes)) {
    legs = legs.flatMap((leg) => (Array.isArray(values) ? values : []).map((value) => ({ ...leg, [axis]: value })));
  }
  const excluded = Rows.catch([]).parse(exclude);
  legs = legs.filter((leg) => !excluded.some((row) => holds(leg, row)));
  return addIncluded(legs, Object.keys(axes), Rows.catch([]).parse(include));
}

/** An included row joins every leg whose own values it does not change; where there is none it becomes a leg. */
function addIncluded(legs: readonly Leg[], axes: readonly string[], rows: readonly Leg[]): Leg[] {
  const joined = [...legs];
  const added: Leg[] = [];
  for (const row of rows) {
    const shared = Object.fromEntries(Object.entries(row).filter(([key]) => axes.includes(key)));
    const fits = joined.map((_, at) => at).filter((at) => holds(legs[at] ?? {}, shared));
    for (const at of fits) joined[at] = { ...joined[at], ...row };
    if (fits.length === 0) added.push(row);
  }
  return [...joined, ...added];
}

function holds(leg: Leg, row: Leg): boolean {
  return Object.entries(row).every(([key, value]) => JSON.stringify(leg[key]) === JSON.stringify(value));
}
