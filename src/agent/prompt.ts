import { readFileSync } from "node:fs";

/** A prompt of two parts: the lasting instructions, equal from call to call, and this one case. */
export interface Prompt {
  readonly system: string;
  readonly user: string;
}

/** Texts for the model, each under its heading; the text before the first heading is called `""`. */
export type PromptTexts = ReadonlyMap<string, string>;

const HEADING = /^=== ([a-z][a-z-]*) ===[ \t]*$/m;
const HOLE = /\{\{([A-Za-z][A-Za-z0-9]*)\}\}/g;

/**
 * The texts of a `.md` file beside the module at `moduleUrl` (`import.meta.url`), in `src` as in `dist`. A line
 * `=== name ===` begins the text of that name. Throws when the file is missing or names one text twice: our bug.
 */
export function loadPromptTexts(moduleUrl: string, file: string): PromptTexts {
  return parsePromptTexts(readFileSync(new URL(file, moduleUrl), "utf8"));
}

/** See `loadPromptTexts`. Blank lines around a text are no part of it. */
export function parsePromptTexts(source: string): PromptTexts {
  const [first = "", ...rest] = source.split(HEADING);
  const texts = new Map([["", first.trim()]]);
  for (let at = 0; at < rest.length; at += 2) {
    const name = rest[at] ?? "";
    if (texts.has(name)) throw new Error(`two texts are called "${name}"`);
    texts.set(name, (rest[at + 1] ?? "").trim());
  }
  return texts;
}

/**
 * The lasting instructions (before `=== question ===`) and the case (after it), both with their holes filled. A hole may
 * stand in either. Throws on a hole without a value, a value without a hole, and a missing question.
 */
export function renderPrompt(texts: PromptTexts, holes: Readonly<Record<string, string>>): Prompt {
  const system = texts.get("") ?? "";
  const user = texts.get("question");
  if (user === undefined) throw new Error("the prompt has no === question ===");
  const taken = new Set([...holeNames(system), ...holeNames(user)]);
  refuseUnused(holes, taken);
  return { system: fill(system, holes), user: fill(user, holes) };
}

/** The text of that name with its holes filled, as strictly. A value is put in as it is: holes in it stay text. */
export function renderText(texts: PromptTexts, name: string, holes: Readonly<Record<string, string>> = {}): string {
  const text = texts.get(name);
  if (text === undefined) throw new Error(`there is no text called "${name}"`);
  refuseUnused(holes, new Set(holeNames(text)));
  return fill(text, holes);
}

function holeNames(text: string): string[] {
  return [...text.matchAll(HOLE)].map((match) => match[1] ?? "");
}

function refuseUnused(holes: Readonly<Record<string, string>>, taken: ReadonlySet<string>): void {
  const unused = Object.keys(holes).filter((name) => !taken.has(name));
  if (unused.length > 0) throw new Error(`values without a hole: ${unused.join(", ")}`);
}

function fill(text: string, holes: Readonly<Record<string, string>>): string {
  return text.replace(HOLE, (_, name: string) => {
    const value = Object.hasOwn(holes, name) ? holes[name] : undefined;
    if (value === undefined) throw new Error(`a hole without a value: ${name}`);
    return value;
  });
}
