import type { DependencyEdge, ProblemRepair } from "../../domain/experience.ts";
import { mentions } from "./words.ts";

const ENABLING = ["dependency_issue", "package_install_error", "configuration_error"];
const ENABLED = ["code_formatting", "linting", "type_checking", "doc_docstring"];
const HEURISTIC_CONFIDENCE = 0.4; // one rule of thumb, no counterfactual asked

/**
 * Tool enablement (papers §1.8): a repaired dependency or setting that speaks of a tool comes before what that tool
 * found. The only dependency that can be told without asking what would have been without it.
 */
export function heuristicEdges(records: readonly ProblemRepair[]): readonly DependencyEdge[] {
  return records
    .filter(({ p }) => ENABLING.includes(p.category))
    .flatMap((producer) =>
      records
        .filter(
          (consumer) => consumer !== producer && ENABLED.includes(consumer.p.category) && enables(producer, consumer),
        )
        .map(
          (consumer): DependencyEdge => ({
            from: producer.id,
            to: consumer.id,
            type: "tool_enablement",
            support: "heuristic",
            confidence: HEURISTIC_CONFIDENCE,
            producerChange: producer.p.statement,
            consumerAssumption: consumer.p.statement,
          }),
        ),
    );
}

function enables({ p, r }: ProblemRepair, { v }: ProblemRepair): boolean {
  if (v.tool === null) return false;
  const said = [p.statement, ...p.signals, ...r.operations].map(({ value }) => value).join("\n");
  return mentions(said, v.tool);
}
