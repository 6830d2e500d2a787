import { maskCode } from "./mask-code.ts";

/**
 * Whether two versions of a file differ in nothing but what a formatter decides: white space, kind of quotes, semicolons at line
 * ends, trailing commas, brackets around one arrow parameter. Text inside strings counts. Where indentation means
 * something (Python, YAML) the indentation of statements must stay in step.
 */
export function isFormatOnly(path: string, before: string, after: string): boolean {
  if (/\.(?:ya?ml|snap|golden|txt|md)$/.test(path)) return trimmedLines(before) === trimmedLines(after);
  if (squeeze(path, before) !== squeeze(path, after)) return false;
  return !path.endsWith(".py") || outline(before) === outline(after);
}

function trimmedLines(text: string): string {
  return text.replace(/[ \t\r]+$/gm, "").replace(/\n+$/, "");
}

function squeeze(path: string, text: string): string {
  const { bare } = maskCode(path, text);
  let out = "";
  for (let at = 0; at < text.length; at++) {
    const outside = bare[at] === text[at];
    const char = text.charAt(at);
    if (outside && /\s/.test(char)) continue;
    out += outside && /["'`]/.test(char) ? '"' : char;
  }
  return out
    .replace(/;/g, "")
    .replace(/,([)\]}])/g, "$1")
    .replace(/\((\w+)\)=>/g, "$1=>")
    .replace(/\\(["'])/g, "$1");
}

/** First words of Python statements with the depth they stand at, in steps rather than columns. */
function outline(text: string): string {
  const columns: number[] = [];
  const words: string[] = [];
  for (const line of text.split("\n")) {
    const match =
      /^([ \t]*)(def|class|if|elif|else|for|while|try|except|finally|with|return|assert|raise|pass|async)\b/.exec(line);
    if (match === null) continue;
    const column = (match[1] ?? "").replace(/\t/g, "        ").length;
    while ((columns.at(-1) ?? -1) > column) columns.pop();
    if ((columns.at(-1) ?? -1) < column) columns.push(column);
    words.push(`${columns.length}${match[2]}`);
  }
  return words.join(" ");
}
