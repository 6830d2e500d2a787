import type { ExperienceRecord } from "./experience.ts";

/** What of a record is searched (papers §1.10 T3). The words of a query of its level are compared with it. */
export function recordText(record: ExperienceRecord): string {
  switch (record.level) {
    case "L1": {
      const { p, a } = record.body.z;
      return lines([
        record.meta.scope.repo ?? "",
        fileName(record.meta.scope.workflow),
        p.statement.value,
        p.rootCause?.value ?? "",
        ...a.map(({ path }) => path),
        p.category.replaceAll("_", " "),
        ...p.signals.map(({ value }) => value),
      ]);
    }
    case "L2": {
      const { failureIdentify, causalChain, summary, whenToApply, signals } = record.body;
      const kind = record.meta.category.replaceAll("_", " ");
      return lines([
        record.meta.scope.repo ?? "",
        failureIdentify,
        causalChain,
        summary,
        whenToApply,
        kind,
        ...signals,
      ]);
    }
    case "L3": {
      const { failurePattern, problem, mechanism, signals, whenToApply } = record.body;
      const kind = record.meta.category.replaceAll("_", " ");
      return lines([failurePattern, problem, mechanism, kind, ...signals, ...whenToApply]);
    }
  }
}

function fileName(workflow: string | null): string {
  return workflow?.split("/").at(-1) ?? "";
}

function lines(parts: readonly string[]): string {
  return parts.filter((part) => part.trim() !== "").join("\n");
}
