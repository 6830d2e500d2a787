import { InvalidArgumentError } from "commander";

/** Which of the two ways to name a failure was half taken, or both; null when one was taken whole. */
export function sourceMistake(options: Readonly<Record<string, unknown>>): string | null {
  const given = (name: string): boolean => options[name] !== undefined;
  const local = ["repo", "log", "patch", "branch", "apply", "workflow", "runJson"];
  if (given("github") || given("run") || given("publish")) {
    if (!given("github") || !given("run")) return "--github OWNER/NAME and --run ID go together";
    const mixed = local.find(given);
    return mixed === undefined ? null : "--github does not go with the options of a local clone";
  }
  if (!given("repo")) return "required option '--repo <dir>' not specified";
  return given("log") ? null : "required option '--log <source>' not specified";
}

export function parseDollars(text: string): number {
  const value = Number(text);
  if (text.trim() === "" || !Number.isFinite(value) || value <= 0)
    throw new InvalidArgumentError("write a number above 0.");
  return value;
}

export function parseCount(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value <= 0) throw new InvalidArgumentError("write a whole number above 0.");
  return value;
}

/** `90d` as a number of days. */
export function parseDays(text: string): number {
  const days = /^(\d{1,4})d?$/.exec(text.trim())?.[1];
  if (days === undefined || Number(days) === 0) throw new InvalidArgumentError("write a number of days, as 90d.");
  return Number(days);
}

/** What does not go together in `learn`, or is missing; null when all is well. */
export function learnMistake(options: Readonly<Record<string, unknown>>): string | null {
  const given = (name: string): boolean => options[name] !== undefined;
  const local = ["repo", "fail", "pass", "log", "workflow", "runJson", "as"];
  if (given("github")) {
    if (local.some(given)) return "--github does not go with the options of a local clone";
    return given("pr") && (given("limit") || given("since")) ? "--pr names one: leave --limit and --since out" : null;
  }
  if (["pr", "limit", "since"].some(given)) return "--pr, --limit and --since go with --github";
  const missing = [
    ["repo", "--repo <dir>"],
    ["fail", "--fail <sha>"],
    ["pass", "--pass <sha>"],
  ].find(([name]) => !given(name ?? ""));
  return missing === undefined ? null : `required option '${missing[1]}' not specified`;
}
