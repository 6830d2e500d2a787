import type { L2Body, ProblemRepair } from "../../domain/experience.ts";

/** A strategy without a model (papers §8.1): roles in the place of names, and nothing said of why. */
export function skeletonStrategy({ p, a, r, v }: ProblemRepair): Omit<L2Body, "memberL1Ids"> {
  const roles = [...new Set(a.map(({ role }) => role))];
  const what = `${p.category.replaceAll("_", " ")}${p.tool === null ? "" : ` found by ${p.tool}`}${p.rule === null ? "" : ` (${p.rule})`}`;
  const tool = r.autofixTool;
  const changes = roles.map((role) => `change the <${role}> that the finding points to`);
  const verify = `run the failing validation again${v.tool === null ? "" : ` (${v.tool})`}`;
  return {
    failureIdentify: what,
    causalChain: "",
    summary: `${what}, repaired in ${roles.map((role) => `<${role}>`).join(", ") || "no known artifact"}`,
    intent: `make ${v.tool ?? "the validation"} pass`,
    whenToApply: `${what} in this repository`,
    signals: [...new Set([p.tool, p.rule].filter((signal) => signal !== null))],
    artifactRelations: [],
    keyActions: [...(tool === null ? changes : [`let ${tool} mend its own findings`]), verify],
    validation: verify,
    pitfalls: [],
    constraints: [],
  };
}
