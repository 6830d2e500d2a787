import { maskCode } from "./mask-code.ts";

/** Languages in which a line end means little, and little else than a statement's end. */
const FREE_FORM =
  /\.(?:[cm]?[jt]sx?|jsonc?|json5|css|scss|less|java|kts?|go|rs|c|cc|cpp|h|hpp|cs|php|swift|scala|dart|vue|svelte|py)$/;
/** Indentation is free, line ends are not. */
const LINE_BY_LINE = /\.(?:sh|bash|zsh|rb|toml|tf|hcl|lua)$/;

/**
 * Whether two versions of a file differ in nothing but what a formatter decides: white space, kind of quotes, semicolons at line
 * ends, trailing commas, brackets around one arrow parameter. Text inside strings counts. Where indentation means
 * something (Python, YAML, make) it must stay in step, and where a line end ends a command it must stay.
 */
export function isFormatOnly(path: string, before: string, after: string): boolean {
  if (LINE_BY_LINE.test(path)) return trimmedLines(before, true) === trimmedLines(after, true);
  if (!FREE_FORM.test(path)) return trimmedLines(before) === trimmedLines(after);
  if (squeeze(path, before) !== squeeze(path, after)) return false;
  return !path.endsWith(".py") || outline(path, before) === outline(path, after);
}

function trimmedLines(text: string, left = false): string {
  const lines = text.split("\n").map((line) => trimBlanks(line, left));
  while (lines.at(-1) === "") lines.pop();
  return lines.join("\n");
}

/** Not with a pattern: on a long run of blanks inside a line it would look for the end once for each of them. */
function trimBlanks(line: string, left: boolean): string {
  const isBlank = (at: number): boolean => " \t\r".includes(line.charAt(at));
  let [start, end] = [0, line.length];
  while (end > 0 && isBlank(end - 1)) end--;
  while (left && start < end && isBlank(start)) start++;
  return line.slice(start, end);
}

/** Behind these words a line end is the end of the statement. */
const ENDED_BY_LINE = /(?<![\w$.])(?:return|throw|yield|break|continue)$/;
/** The longest of them, and the character in front of it. */
const LONGEST_WORD = "continue".length + 1;

function squeeze(path: string, text: string): string {
  const { bare } = maskCode(path, text);
  const simple = withoutBackslashes(bare, text);
  const out: string[] = [];
  let space = "";
  for (let at = 0; at < text.length; at++) {
    const outside = bare[at] === text[at];
    const char = text.charAt(at);
    if (outside && /\s/.test(char)) {
      space += char;
      continue;
    }
    if (
      space.includes("\n") &&
      outside &&
      !/[;})\]]/.test(char) &&
      ENDED_BY_LINE.test(out.slice(-LONGEST_WORD).join(""))
    )
      out.push("\n");
    space = "";
    if (outside && isIdle(char, bare, at)) continue;
    out.push(outside && /["']/.test(char) ? '"' : simple(char, at));
  }
  return out.join("").replace(/\((\w+)\)=>/g, "$1=>");
}

/** A semicolon at the end of a line and a comma in front of a closing bracket, in code; not where the next line would be drawn in. */
function isIdle(char: string, bare: string, at: number): boolean {
  if (char !== ";" && char !== ",") return false;
  const rest = bare.slice(at + 1, at + 1 + LOOK_AHEAD);
  if (char === ",") return /^\s*[)\]}]/.test(rest);
  return /^[ \t]*(?:\r?\n|$|\})/.test(rest) && !/^\s*[([`+\-/*]/.test(rest);
}

// White space between a comma and the bracket behind it, with deep indentation.
const LOOK_AHEAD = 200;

/** Inside strings, a quote may need its backslash with one kind of quotes and not with the other. */
function withoutBackslashes(bare: string, text: string): (char: string, at: number) => string {
  return (char, at) => {
    if (char !== "\\" || bare[at] === "\\" || text.charAt(at - 1) === "\\") return char;
    return /["']/.test(text.charAt(at + 1)) ? "" : char;
  };
}

/** First words of Python's statements with the depth they stand at, in steps rather than columns. */
function outline(path: string, text: string): string {
  const columns: number[] = [];
  const words: string[] = [];
  let depth = 0;
  let continued = false;
  for (const line of maskCode(path, text).bare.split("\n")) {
    const match = /^([ \t]*)(\w+|\S)/.exec(line);
    if (match !== null && depth <= 0 && !continued) {
      const column = (match[1] ?? "").replace(/\t/g, "        ").length;
      while ((columns.at(-1) ?? -1) > column) columns.pop();
      if ((columns.at(-1) ?? -1) < column) columns.push(column);
      words.push(`${columns.length}${match[2] === "'" ? '"' : match[2]}`);
    }
    for (const char of line) depth += "([{".includes(char) ? 1 : ")]}".includes(char) ? -1 : 0;
    continued = line.endsWith("\\");
  }
  return words.join(" ");
}
