// Beyond that, text tells nothing more about what a record is about.
const MOST_CHARACTERS = 20_000;
// A pasted log as a question: its first words say what it is about, and each costs a look-up.
const MOST_WORDS = 64;

/** Every text inside a value, one a line, to be searched by words. Names of fields and numbers do not count. */
export function searchText(value: unknown): string {
  const texts: string[] = [];
  const walk = (inner: unknown): void => {
    if (typeof inner === "string") texts.push(inner);
    else if (typeof inner === "object" && inner !== null) for (const item of Object.values(inner)) walk(item);
  };
  walk(value);
  return [...new Set(texts)].join("\n").slice(0, MOST_CHARACTERS);
}

/** A question in the language of SQLite's FTS5: any of its words, none of them an operator. Null without words. */
export function searchQuestion(text: string): string | null {
  const words = [...new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [])].slice(0, MOST_WORDS);
  return words.length === 0 ? null : words.map((word) => `"${word}"`).join(" OR ");
}
