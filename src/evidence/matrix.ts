import type { MatrixLeg, MatrixValue } from "../domain/workflow.ts";

// GitHub starts at most 256 jobs of one matrix.
const MAX_LEGS = 256;

/** A `strategy.matrix` as its combinations. */
export interface ExpandedMatrix {
  /** One empty leg where there is no matrix, or none that is known before it runs. */
  readonly legs: readonly MatrixLeg[];
  /** Parts come from an expression: what it runs is known only from the jobs that ran. */
  readonly dynamic: boolean;
  /** The axes as written: their values make the default name of a job. */
  readonly axes: readonly string[];
}

/**
 * Expands a matrix by GitHub's rules: the product of its axes, minus `exclude` (partial matches remove), then each
 * `include` added to every combination whose own values it does not change, or else a combination of its own.
 */
export function expandMatrix(matrix: unknown): ExpandedMatrix {
  if (matrix === undefined || matrix === null) return { legs: [{}], dynamic: false, axes: [] };
  if (!isMap(matrix)) return { legs: [{}], dynamic: true, axes: [] };
  const { include, exclude, ...rest } = matrix;
  const axes = Object.entries(rest);
  const known = axes.filter((axis): axis is [string, unknown[]] => Array.isArray(axis[1]));
  const dynamic = known.length < axes.length || isExpression(include) || isExpression(exclude);
  if (known.length < axes.length) return { legs: [{}], dynamic, axes: Object.keys(rest) };
  const kept = product(known).filter((leg) => !maps(exclude).some((rule) => matches(leg, rule)));
  const legs = withIncludes(kept, maps(include), Object.keys(rest));
  return { legs: legs.length === 0 ? [{}] : legs.slice(0, MAX_LEGS), dynamic, axes: Object.keys(rest) };
}

function product(axes: readonly (readonly [string, readonly unknown[]])[]): MatrixLeg[] {
  if (axes.length === 0) return [];
  let legs: MatrixLeg[] = [{}];
  for (const [key, values] of axes) {
    legs = legs.flatMap((leg) => values.map((value) => ({ ...leg, [key]: value as MatrixValue })));
    // Far beyond what GitHub accepts the product only costs memory.
    legs = legs.slice(0, MAX_LEGS * 16);
  }
  return legs;
}

function withIncludes(
  original: readonly MatrixLeg[],
  includes: readonly MatrixLeg[],
  axes: readonly string[],
): MatrixLeg[] {
  const legs = original.map((leg) => ({ ...leg }));
  const own: MatrixLeg[] = [];
  for (const include of includes) {
    let added = false;
    for (const leg of legs) {
      const changes = Object.entries(include).some(([key, value]) => axes.includes(key) && !equal(leg[key], value));
      if (changes) continue;
      Object.assign(leg, include);
      added = true;
    }
    if (!added) own.push(include);
  }
  return [...legs, ...own];
}

function matches(leg: MatrixLeg, rule: MatrixLeg): boolean {
  return Object.entries(rule).every(([key, value]) => equal(leg[key], value));
}

/** GitHub compares a rule with a value deeply, an object by the keys that the rule names. */
function equal(value: unknown, rule: unknown): boolean {
  if (isMap(rule) && isMap(value)) return Object.entries(rule).every(([key, wanted]) => equal(value[key], wanted));
  if (Array.isArray(rule) || Array.isArray(value)) return JSON.stringify(value) === JSON.stringify(rule);
  if (typeof value === "string" && typeof rule === "string") return value.toLowerCase() === rule.toLowerCase();
  return value === rule;
}

function maps(value: unknown): readonly MatrixLeg[] {
  return Array.isArray(value) ? value.filter(isMap).map((map) => map as MatrixLeg) : [];
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isExpression(value: unknown): boolean {
  return typeof value === "string" && value.includes("${{");
}
