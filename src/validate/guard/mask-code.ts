/** A source text twice, each as long as the original and with its line ends: places in one are places in the other. */
export interface MaskedCode {
  /** Comments blanked. */
  readonly code: string;
  /** Contents of strings blanked too. */
  readonly bare: string;
}

interface Lexis {
  readonly lineComments: readonly string[];
  readonly blockComments: readonly (readonly [string, string])[];
  /** Longest first; a multi-line string does not end at the end of its line. */
  readonly strings: readonly { readonly mark: string; readonly multiline: boolean }[];
}

const short = (mark: string) => ({ mark, multiline: false });
const long = (mark: string) => ({ mark, multiline: true });

const C_LIKE: Lexis = {
  lineComments: ["//"],
  blockComments: [["/*", "*/"]],
  strings: [long('"""'), short('"'), short("'"), long("`")],
};
const RUST: Lexis = { ...C_LIKE, strings: [long('"')] };
const PYTHON: Lexis = {
  lineComments: ["#"],
  blockComments: [],
  strings: [long('"""'), long("'''"), short('"'), short("'")],
};
const HASH: Lexis = { lineComments: ["#"], blockComments: [], strings: [short('"'), short("'")] };
const RUBY: Lexis = { ...HASH, blockComments: [["\n=begin", "\n=end"]] };
const MARKUP: Lexis = { lineComments: [], blockComments: [["<!--", "-->"]], strings: [] };

const LEXES: readonly (readonly [RegExp, Lexis])[] = [
  [
    /\.(?:[cm]?[jt]sx?|java|kts?|go|c|cc|cpp|h|hpp|cs|php|swift|scala|groovy|gradle|dart|vue|svelte|jsonc?|json5)$/,
    C_LIKE,
  ],
  [/\.rs$/, RUST],
  [/\.py[iw]?$/, PYTHON],
  [/\.rb$|(?:^|\/)(?:Rakefile|Gemfile)$/, RUBY],
  [/\.(?:xml|html|csproj|props)$/, MARKUP],
];

export function maskCode(path: string, text: string): MaskedCode {
  const lexis = LEXES.find(([pattern]) => pattern.test(path))?.[1] ?? HASH;
  const code: string[] = [];
  const bare: string[] = [];
  let at = 0;
  const put = (end: number, kind: "code" | "comment" | "string"): void => {
    const part = text.slice(at, end);
    const blank = part.replace(/[^\n]/g, " ");
    code.push(kind === "comment" ? blank : part);
    bare.push(kind === "code" ? part : blank);
    at = end;
  };
  while (at < text.length) {
    const start = nextStart(text, at, lexis);
    if (start === null) break;
    put(start.at, "code");
    if (start.kind === "comment") put(start.end, "comment");
    else {
      put(at + start.mark.length, "code");
      const close = stringEnd(text, at, start.mark, start.multiline);
      put(close, "string");
      put(Math.min(text.length, text.startsWith(start.mark, close) ? close + start.mark.length : close), "code");
    }
  }
  put(text.length, "code");
  return { code: code.join(""), bare: bare.join("") };
}

type Start =
  | { readonly at: number; readonly kind: "comment"; readonly end: number }
  | { readonly at: number; readonly kind: "string"; readonly mark: string; readonly multiline: boolean };

function nextStart(text: string, from: number, lexis: Lexis): Start | null {
  for (let at = from; at < text.length; at++) {
    const char = text[at];
    if (char === undefined || !/["'`#/<\n]/.test(char)) continue;
    // `#` begins a comment only where a word could not go on (`a#b` in YAML, `${x#y}` in a shell).
    const line = lexis.lineComments.find(
      (mark) =>
        text.startsWith(mark, at) &&
        (mark !== "#" || /^$|[\s;(,{[\])}]/.test(text.charAt(at - 1))) &&
        (mark !== "//" || text.charAt(at - 1) !== ":"),
    );
    if (line !== undefined) return { at, kind: "comment", end: endOr(text.indexOf("\n", at), text.length) };
    const block = lexis.blockComments.find(([open]) => text.startsWith(open, at));
    if (block !== undefined) {
      const close = text.indexOf(block[1], at + block[0].length);
      return { at, kind: "comment", end: close < 0 ? text.length : close + block[1].length };
    }
    const string = lexis.strings.find(({ mark }) => text.startsWith(mark, at));
    // An apostrophe inside a word is no quote.
    if (
      string !== undefined &&
      !(string.mark === "'" && /\w/.test(text.charAt(at - 1)) && !/[bfru]/i.test(text.charAt(at - 1)))
    ) {
      return { at, kind: "string", ...string };
    }
  }
  return null;
}

function stringEnd(text: string, from: number, mark: string, multiline: boolean): number {
  for (let at = from; at < text.length; at++) {
    if (text[at] === "\\") at++;
    else if (text.startsWith(mark, at)) return at;
    else if (text[at] === "\n" && !multiline) return at;
  }
  return text.length;
}

function endOr(index: number, otherwise: number): number {
  return index < 0 ? otherwise : index;
}

/** How far a bracket may reach. Longer than any assertion; without a bound, text full of open brackets costs the square of its length. */
export const BRACKET_MAX = 10_000;

/** Index just behind the bracket that closes the one at `open`, or where BRACKET_MAX or the text ends. Give it `bare` text. */
export function closingBracket(bare: string, open: number): number {
  let depth = 0;
  const stop = Math.min(bare.length, open + BRACKET_MAX);
  for (let at = open; at < stop; at++) {
    switch (bare.charCodeAt(at)) {
      case 40: // (
      case 91: // [
      case 123: // {
        depth++;
        break;
      case 41: // )
      case 93: // ]
      case 125: // }
        if (--depth === 0) return at + 1;
    }
  }
  return stop;
}

/** A function that tells the 1-based line of an index; the text is read once. */
export function lineFinder(text: string): (index: number) => number {
  const ends: number[] = [];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) ends.push(at);
  return (index) => {
    let [low, high] = [0, ends.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((ends[middle] ?? 0) < index) low = middle + 1;
      else high = middle;
    }
    return low + 1;
  };
}
