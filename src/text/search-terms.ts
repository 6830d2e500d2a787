/**
 * A text as it is searched for: hashed words, pairs of words and character n-grams, with how often each comes up. Features
 * are unique; `counts` end at 255. Words lie below `WORD_FEATURES`.
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

/** Words and names without case, hashes left out. Names stay whole: n-grams bridge what they have in common. */
export function searchWords(text: string): readonly string[] {
  const names = text.slice(0, MOST_CHARACTERS).toLowerCase().match(NAME) ?? [];
  return names.filter((name) => !HASH.test(name));
}

const NAME = /[\p{L}\p{N}_]{2,}/gu;
const HASH = /^(?=[a-f]*\d)[0-9a-f]{7,64}$/;

/** See `SearchTerms`. The same text always gives the same terms, on every machine. */
export function searchTerms(text: string): SearchTerms {
  const words = searchWords(text);
  const counter = new FeatureCounter();
  let before: number | null = null;
  for (const word of words) {
    const hash = hashOf(word);
    counter.add(hash & (WORD_FEATURES - 1));
    if (before !== null)
      counter.add(WORD_FEATURES + (mixed(before ^ Math.imul(hash, FNV_PRIME)) & (PAIR_FEATURES - 1)));
    before = hash;
    addGrams(word, counter);
  }
  return { ...counter.take(), words: words.length };
}

/** The terms of one text that holds them all, but for pairs across their ends. */
export function joinTerms(parts: readonly SearchTerms[]): SearchTerms {
  const [only] = parts;
  if (only !== undefined && parts.length === 1) return only;
  const counter = new FeatureCounter();
  for (const { features, counts } of parts) {
    for (let at = 0; at < features.length; at++) counter.add(features[at] ?? 0, counts[at]);
  }
  return { ...counter.take(), words: parts.reduce((sum, { words }) => sum + words, 0) };
}

// Shared, since a table of its own for each text costs more than the text: it is all zeros between two texts.
const COUNTS = new Uint8Array(FEATURES);

class FeatureCounter {
  private readonly seen: number[] = [];

  add(feature: number, times = 1): void {
    const count = COUNTS[feature] ?? 0;
    if (count === 0) this.seen.push(feature);
    COUNTS[feature] = Math.min(MOST_COUNT, count + times);
  }

  take(): { readonly features: Uint32Array; readonly counts: Uint8Array } {
    const features = new Uint32Array(this.seen);
    const counts = new Uint8Array(features.length);
    for (let at = 0; at < features.length; at++) {
      const feature = features[at] ?? 0;
      counts[at] = COUNTS[feature] ?? 0;
      COUNTS[feature] = 0;
    }
    return { features, counts };
  }
}

// Stands before and after a word, so that its ends count: `^pars`, `arse`, `sed^`.
const END = 94;

function addGrams(word: string, counter: FeatureCounter): void {
  for (let at = -1; at + GRAM_CHARACTERS <= word.length + 1; at++) {
    let hash = FNV_OFFSET;
    for (let offset = 0; offset < GRAM_CHARACTERS; offset++) {
      const place = at + offset;
      const unit = place < 0 || place >= word.length ? END : word.charCodeAt(place);
      hash = Math.imul(hash ^ unit, FNV_PRIME);
    }
    counter.add(FIRST_GRAM + (mixed(hash) & (GRAM_FEATURES - 1)));
  }
}

const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

/** FNV-1a over UTF-16 units. */
function hashOf(text: string): number {
  let hash = FNV_OFFSET;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), FNV_PRIME);
  return mixed(hash);
}

/** High bits folded down, since only low ones are used. */
function mixed(hash: number): number {
  return Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d) >>> 8;
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
