import type { Level } from "../../domain/experience.ts";

/** What of a problem a search is made of (papers §1.10 T2). */
export interface WantedProblem {
  readonly repo: string;
  readonly workflow: string | null;
  readonly problem: string;
  readonly rootCause: string | null;
  readonly files: readonly string[];
  readonly category: string;
  readonly signals: readonly string[];
}

/** The query of each level: the farther a record may come from, the fewer names of this repository it holds. */
export function queriesFor(wanted: WantedProblem): Readonly<Record<Level, string>> {
  const { repo, workflow, problem, rootCause, files, category, signals } = wanted;
  const failure = [category.replaceAll("_", " "), ...signals];
  const concrete = [problem, rootCause ?? "", ...files, ...failure];
  const abstract = [problem, rootCause ?? "", ...failure].map(withoutNames);
  return {
    L1: lines([repo, fileName(workflow), ...concrete]),
    L2: lines([repo, ...concrete]),
    L3: lines(abstract),
  };
}

function fileName(workflow: string | null): string {
  return workflow?.split("/").at(-1) ?? "";
}

function lines(parts: readonly string[]): string {
  return parts.filter((part) => part.trim() !== "").join("\n");
}

const PATH = /(?:[\w.@~-]+\/)+[\w.@~-]+|\b[\w-]+\.(?:[cm]?[jt]sx?|py|go|rs|java|kt|rb|php|cs)\b(?::\d+)*/g;
const QUOTED = /`[^`\n]*`/g;

/** Paths and quoted names say where it was, not what it was. */
function withoutNames(text: string): string {
  return text.replace(PATH, " ").replace(QUOTED, " ").replace(/\s+/g, " ").trim();
}
