/** How a language marks a line: what stands before the words, and behind them where a comment has an end. */
interface CommentSyntax {
  readonly open: string;
  readonly close: string;
  readonly extensions: RegExp;
}

const SYNTAXES: readonly CommentSyntax[] = [
  {
    open: "//",
    close: "",
    extensions:
      /\.(?:[cm]?[jt]sx?|java|go|rs|c|cc|cpp|cxx|h|hpp|cs|kt|kts|scala|swift|dart|php|gradle|groovy|proto|scss|less|zig)$/i,
  },
  {
    open: "#",
    close: "",
    extensions:
      /\.(?:py|pyi|rb|sh|bash|ya?ml|toml|pl|r|tf|cmake|ex|exs|nix|ini|cfg|mk)$|(?:^|\/)(?:Dockerfile|Makefile|Gemfile|Rakefile)[^/]*$/i,
  },
  { open: "--", close: "", extensions: /\.(?:sql|lua|hs|elm)$/i },
  { open: "<!--", close: " -->", extensions: /\.(?:html?|xml|md|vue|svelte|csproj|props)$/i },
  { open: "/*", close: " */", extensions: /\.css$/i },
];

/** Marks for a file (papers §3.2, G27); null for formats without comments, like JSON. */
export function marksFor(path: string): { readonly buggy: string; readonly missing: string } | null {
  const syntax = SYNTAXES.find(({ extensions }) => extensions.test(path));
  if (syntax === undefined) return null;
  const { open, close } = syntax;
  return { buggy: `${open} buggy line${close}`, missing: `${open} missing code:[…]${close}` };
}

const BUGGY = /[ \t]*(?:\/\/|#|--|<!--|\/\*)[ \t]*buggy line[ \t]*(?:-->|\*\/)?[ \t]*$/i;
const MISSING = /^[ \t]*(?:\/\/|#|--|<!--|\/\*)[ \t]*missing code:?[ \t]*\[?.*$/i;

/** What a line of a marked text is. */
export function readMark(line: string): { readonly kind: "buggy" | "missing" | null; readonly text: string } {
  if (MISSING.test(line)) return { kind: "missing", text: line };
  return BUGGY.test(line) ? { kind: "buggy", text: line.replace(BUGGY, "") } : { kind: null, text: line };
}

/** A text without any marks. */
export function withoutMarks(lines: readonly string[]): readonly string[] {
  return lines.map(readMark).flatMap(({ kind, text }) => (kind === "missing" ? [] : [text]));
}
