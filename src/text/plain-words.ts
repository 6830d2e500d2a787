/** A text without what differs from place to place, and its words. */
export interface LikenessText {
  readonly text: string;
  readonly words: ReadonlySet<string>;
}

// Comparing is quadratic; a statement, a cause or an action is far shorter, a pasted log is not.
const MOST_CHARACTERS = 4000;

const CODE_SPAN = /`[^`\n]*`/g;
// A token counts as a path when it ends like a file of a repository.
const PATH =
  /(?<![\w./\\@-])[\w./\\@-]*\.(?:[cm]?[jt]sx?|pyi?|go|rs|java|kts?|rb|php|cs|scala|swift|c|cc|cpp|cxx|h|hpp|sh|bash|vue|svelte|s?css|less|html?|sql|exs?|dart|lua|json5?|ya?ml|toml|ini|cfg|conf|lock|xml|gradle|md|mdx|rst|txt|snap|proto|tf|csproj|sln|gemspec|ipynb)(?::\d+)*(?![\w-])/g;
const NUMBER = /(?<![\w.+-])\d+(?:\.\d+)*(?![\w])/g;
const OTHER_CHARACTERS = /[^a-z0-9_+[\] -]+/g;

/**
 * As RETRACE compares texts (papers §1.9): lower case, without code spans, paths, numbers standing alone, and characters
 * outside `a-z0-9_+[] -`. Spaces are single.
 */
export function plainWords(text: string): LikenessText {
  const plain = text
    .slice(0, MOST_CHARACTERS)
    .toLowerCase()
    .replace(/\s+/g, " ")
    .replace(CODE_SPAN, " ")
    .replace(PATH, " ")
    .replace(NUMBER, " ")
    .replace(OTHER_CHARACTERS, " ")
    .replace(/ +/g, " ")
    .trim();
  return { text: plain, words: new Set(plain === "" ? [] : plain.split(" ")) };
}
