/**
 * A text as it is searched for: hashed words, pairs of words and character n-grams, with how often each comes up. Features
 * are sorted and unique; `counts` end at 255. Words lie below `WORD_FEATURES`.
 */
export interface SearchTerms {
  readonly features: Uint32Array;
  readonly counts: Uint8Array;
  /** How many words the text has, doubles included. */
  readonly words: number;
}

// A quarter million buckets each: the words of 100,000 records meet seldom, and a table over all of them is 4 MB.
const BITS = 18;
export const WORD_FEATURES = 1 << BITS;
const PAIR_FEATURES = WORD_FEATURES;
/** From here on features are n-grams. */
export const FIRST_GRAM = WORD_FEATURES + PAIR_FEATURES;
const GRAM_FEATURES = 1 << BITS;
/** All features lie below. */
export const FEATURES = FIRST_GRAM + GRAM_FEATURES;

// Beyond that, text tells nothing more about what a record or a problem is about.
const MOST_CHARACTERS = 8_000;
// Long enough to say something, short enough to bridge endings and compounds.
const GRAM_CHARACTERS = 4;
const MOST_COUNT = 255; // a byte each

/** Words without case, hashes and bare numbers left out, names taken apart at humps and underscores. */
export function searchWords(text: string): readonly string[] {
  const words: string[] = [];
  for (const [name] of text.slice(0, MOST_CHARACTERS).replace(HASH, " ").matchAll(NAME)) {
    const parts = name
      .replace(HUMP, "$1 $2")
      .toLowerCase()
      .split(/[\s_]+/)
      .filter((part) => part.length > 1 && !NUMBER.test(part));
    words.push(...parts);
    // A name is more than its parts: it is what was meant, where it comes up again.
    if (parts.length > 1) words.push(name.toLowerCase());
  }
  return words;
}

const HASH = /\b(?=[0-9a-f]*\d)[0-9a-f]{7,64}\b/gi;
const NAME = /[\p{L}\p{N}_]+/gu;
const HUMP = /(\p{Ll}|\p{N})(\p{Lu})/gu;
const NUMBER = /^\d+$/;

/** See `SearchTerms`. The same text always gives the same terms, on every machine. */
export function searchTerms(text: string): SearchTerms {
  const words = searchWords(text);
  const counts = new Map<number, number>();
  const add = (feature: number): void => void counts.set(feature, (counts.get(feature) ?? 0) + 1);
  words.forEach((word, at) => {
    const hash = hashOf(word);
    add(hash & (WORD_FEATURES - 1));
    const next = words[at + 1];
    if (next !== undefined) add(WORD_FEATURES + (hashOf(next, hash) & (PAIR_FEATURES - 1)));
    for (const gram of gramsOf(word)) add(FIRST_GRAM + (hashOf(gram) & (GRAM_FEATURES - 1)));
  });
  const features = Uint32Array.from(counts.keys()).sort();
  const kept = Uint8Array.from(features, (feature) => Math.min(MOST_COUNT, counts.get(feature) ?? 0));
  return { features, counts: kept, words: words.length };
}

/** Its ends count: `^pars`, `arse`, `sed$`. */
function* gramsOf(word: string): Iterable<string> {
  const marked = `^${word}$`;
  for (let at = 0; at + GRAM_CHARACTERS <= marked.length; at++) yield marked.slice(at, at + GRAM_CHARACTERS);
}

const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

/** FNV-1a over UTF-16 units, its high bits folded down since only the low ones are used. */
function hashOf(text: string, seed = FNV_OFFSET): number {
  let hash = seed;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), FNV_PRIME);
  hash ^= hash >>> 15;
  return Math.imul(hash, 0x2c1b3c6d) >>> 8;
}

const HEAD_BYTES = 8;

/** As bytes, for an index on disk of this machine. */
export function packTerms({ features, counts, words }: SearchTerms): Uint8Array {
  const packed = new Uint8Array(HEAD_BYTES + features.length * 5);
  new Uint32Array(packed.buffer, 0, 2).set([words, features.length]);
  new Uint32Array(packed.buffer, HEAD_BYTES, features.length).set(features);
  packed.set(counts, HEAD_BYTES + features.length * 4);
  return packed;
}

export function unpackTerms(packed: Uint8Array): SearchTerms {
  // Numbers of four bytes must lie at a multiple of four.
  const bytes = packed.byteOffset % 4 === 0 ? packed : new Uint8Array(packed);
  const [words = 0, length = 0] = new Uint32Array(bytes.buffer, bytes.byteOffset, 2);
  const counts = bytes.byteOffset + HEAD_BYTES + length * 4;
  return {
    features: new Uint32Array(bytes.buffer, bytes.byteOffset + HEAD_BYTES, length),
    counts: new Uint8Array(bytes.buffer, counts, length),
    words,
  };
}
