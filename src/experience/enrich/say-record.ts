import type { ExperienceRecord } from "../../domain/experience.ts";

/** A record as text: what broke, why, what was done, what proved it. Not yet redacted. */
export function sayRecord(record: ExperienceRecord): string {
  return record.level === "L1" ? sayL1(record) : record.level === "L2" ? sayL2(record) : sayL3(record);
}

type Of<L extends ExperienceRecord["level"]> = ExperienceRecord & { readonly level: L };

function sayL1({ body: { z }, meta }: Of<"L1">): string {
  return rows([
    ["problem", z.p.statement.value],
    ["cause", z.p.rootCause?.value],
    ["class", meta.category.replaceAll("_", " ")],
    ["signals", z.p.signals.map(({ value }) => value).join("; ")],
    [
      "files",
      z.a.map(({ path, symbols }) => (symbols.length > 0 ? `${path} (${symbols.join(", ")})` : path)).join(", "),
    ],
    ["repair", z.r.operations.map(({ value }) => value).join("; ")],
    ["proved by", z.v.command],
  ]);
}

function sayL2({ body, meta }: Of<"L2">): string {
  return rows([
    ["failure", body.failureIdentify],
    ["class", meta.category.replaceAll("_", " ")],
    ["how it comes about", body.causalChain],
    ["strategy", body.summary],
    ["applies when", body.whenToApply],
    ["signals", body.signals.join("; ")],
    ["steps", body.keyActions.join("; ")],
    ["pitfalls", body.pitfalls.join("; ")],
    ["constraints", body.constraints.join("; ")],
    ["validation", body.validation],
  ]);
}

function sayL3({ body, meta }: Of<"L3">): string {
  return rows([
    ["pattern", body.failurePattern],
    ["class", meta.category.replaceAll("_", " ")],
    ["problem", body.problem],
    ["mechanism", body.mechanism],
    ["signals", body.signals.join("; ")],
    ["principles", body.principles.join("; ")],
    ["applies when", body.whenToApply.join("; ")],
    ["what follows", body.followOn.join("; ")],
  ]);
}

function rows(pairs: readonly (readonly [string, string | undefined])[]): string {
  return pairs.flatMap(([name, value]) => (value ? [`${name}: ${value}`] : [])).join("\n");
}

/** What a person would call it, one line. */
export function titleOf(record: ExperienceRecord): string {
  const title =
    record.level === "L1"
      ? record.body.z.p.statement.value
      : record.level === "L2"
        ? record.body.failureIdentify
        : record.body.failurePattern;
  return title.split("\n")[0] ?? "";
}
