import type { Evidence, Failure, GraphEdge, GraphNode, Validation } from "../domain/evidence.ts";

/**
 * The evidence of several runs of one commit as one: ids counted through, order kept, shares weighted by failures. What two
 * runs of one workflow both show (a push and its pull request) is there once.
 */
export function mergeEvidence(parts: readonly Evidence[]): Evidence {
  const [only, ...more] = parts;
  if (only !== undefined && more.length === 0) return only;
  const failures = new Twins<Failure>("f", failureKey);
  const validations = new Twins<Validation>("v", stepKey);
  const nodes = new Map<string, GraphNode>();
  const edges: GraphEdge[] = [];
  for (const part of parts) {
    const order = Math.max(0, ...validations.all.map((validation) => validation.order));
    const validationIds = new Map<string, string>();
    for (const validation of part.validations) {
      validationIds.set(validation.id, validations.add({ ...validation, order: validation.order + order }));
    }
    const failureIds = new Map<string, string>();
    for (const failure of part.failures) {
      const validation = failure.validation === null ? null : (validationIds.get(failure.validation) ?? null);
      // Its cause stands before it.
      const cascadeOf = failure.cascadeOf === null ? null : (failureIds.get(failure.cascadeOf) ?? null);
      failureIds.set(failure.id, failures.add({ ...failure, validation, cascadeOf }));
    }
    for (const node of part.graph.nodes) nodes.set(node.id, node);
    edges.push(...part.graph.edges);
  }
  const failed = parts.map((part) => Math.max(1, part.failures.length));
  const total = failed.reduce((sum, count) => sum + count, 0);
  const share = parts.reduce((sum, part, index) => sum + part.quality.parsedShare * (failed[index] ?? 0), 0);
  return {
    failures: failures.all,
    validations: validations.all,
    graph: { nodes: [...nodes.values()], edges },
    quality: {
      logs: parts.every((part) => part.quality.logs),
      yaml: parts.every((part) => part.quality.yaml),
      parsedShare: total === 0 ? 1 : share / total,
    },
  };
}

/** The same step of the same job, ended the same way. */
function stepKey({ job, jobKey, step, command, status }: Validation): string {
  return JSON.stringify([job, jobKey, step?.name ?? null, command, status]);
}

function failureKey({ signature, validation, job }: Pick<Failure, "signature" | "validation" | "job">): string {
  return JSON.stringify([signature, validation, job]);
}

/** Items under new ids, counted through; one that says the same as an earlier one is not added again. */
class Twins<T extends { readonly id: string }> {
  readonly all: T[] = [];
  private readonly ids = new Map<string, string>();
  private readonly prefix: string;
  private readonly keyOf: (item: T) => string;

  constructor(prefix: string, keyOf: (item: T) => string) {
    this.prefix = prefix;
    this.keyOf = keyOf;
  }

  /** Returns the id under which it is there now. */
  add(item: T): string {
    const key = this.keyOf(item);
    const known = this.ids.get(key);
    if (known !== undefined) return known;
    const id = `${this.prefix}${this.all.length + 1}`;
    this.all.push({ ...item, id });
    this.ids.set(key, id);
    return id;
  }
}
