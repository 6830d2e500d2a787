import type { Evidence, Failure, GraphEdge, GraphNode, Validation } from "../domain/evidence.ts";

/** The evidence of several runs of one commit as one: ids counted through, order kept, shares weighted by failures. */
export function mergeEvidence(parts: readonly Evidence[]): Evidence {
  const [only, ...more] = parts;
  if (only !== undefined && more.length === 0) return only;
  const failures: Failure[] = [];
  const validations: Validation[] = [];
  const nodes = new Map<string, GraphNode>();
  const edges: GraphEdge[] = [];
  let order = 0;
  for (const part of parts) {
    const failureIds = renamed(part.failures, "f", failures.length);
    const validationIds = renamed(part.validations, "v", validations.length);
    for (const validation of part.validations) {
      validations.push({ ...validation, id: validationIds(validation.id), order: validation.order + order });
    }
    for (const failure of part.failures) {
      failures.push({
        ...failure,
        id: failureIds(failure.id),
        validation: failure.validation === null ? null : validationIds(failure.validation),
        cascadeOf: failure.cascadeOf === null ? null : failureIds(failure.cascadeOf),
      });
    }
    order = Math.max(order, ...validations.map((validation) => validation.order));
    for (const node of part.graph.nodes) nodes.set(node.id, node);
    edges.push(...part.graph.edges);
  }
  const failed = parts.map((part) => Math.max(1, part.failures.length));
  const total = failed.reduce((sum, count) => sum + count, 0);
  const share = parts.reduce((sum, part, index) => sum + part.quality.parsedShare * (failed[index] ?? 0), 0);
  return {
    failures,
    validations,
    graph: { nodes: [...nodes.values()], edges },
    quality: {
      logs: parts.every((part) => part.quality.logs),
      yaml: parts.every((part) => part.quality.yaml),
      parsedShare: total === 0 ? 1 : share / total,
    },
  };
}

function renamed(items: readonly { readonly id: string }[], prefix: string, from: number): (id: string) => string {
  const names = new Map(items.map((item, index) => [item.id, `${prefix}${from + index + 1}`]));
  return (id) => names.get(id) ?? id;
}
