/** Text as it is searched: words and parts of words, each with how often it comes up. */
export type Terms = ReadonlyMap<string, number>;

const GRAM = 4; // long enough to say something, short enough to bridge endings and compounds
const LEAST_WORD_FOR_GRAMS = 6;

/** Words of a text without case, camel humps taken apart, numbers and hashes masked; and the grams of its longer words. */
export function termsOf(text: string): { readonly words: Terms; readonly grams: Terms } {
  const words = new Map<string, number>();
  const grams = new Map<string, number>();
  for (const word of wordsOf(text)) {
    words.set(word, (words.get(word) ?? 0) + 1);
    if (word.length < LEAST_WORD_FOR_GRAMS) continue;
    for (let at = 0; at + GRAM <= word.length; at++) {
      const gram = word.slice(at, at + GRAM);
      grams.set(gram, (grams.get(gram) ?? 0) + 1);
    }
  }
  return { words, grams };
}

function wordsOf(text: string): readonly string[] {
  return text
    .replace(/\b[0-9a-f]{7,64}\b/gi, " ")
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^\p{L}\p{N}_]+/u)
    .filter((word) => word.length > 1 && !/^\d+$/.test(word));
}

// Robertson's usual values.
const K1 = 1.2;
const B = 0.75;
// Neither is better on both short and long queries; together they are at least as good as the better one.
const WORD_SHARE = 0.5;

/**
 * How well each document answers a query, 0 to 1, comparable within one call only: BM25 over words, and the cosine of
 * weighted words and grams. A document that shares nothing has 0.
 */
export function scoreDocuments(query: string, documents: readonly string[]): readonly number[] {
  const asked = termsOf(query);
  const told = documents.map(termsOf);
  const bm25 = bm25Scores(
    asked.words,
    told.map(({ words }) => words),
  );
  const cosine = cosineScores(
    joined(asked),
    told.map((terms) => joined(terms)),
  );
  const [mostWords, mostCosine] = [Math.max(...bm25, 0), Math.max(...cosine, 0)];
  return documents.map((_, at) => {
    const byWords = mostWords === 0 ? 0 : (bm25[at] ?? 0) / mostWords;
    const byCosine = mostCosine === 0 ? 0 : (cosine[at] ?? 0) / mostCosine;
    return WORD_SHARE * byWords + (1 - WORD_SHARE) * byCosine;
  });
}

function bm25Scores(query: Terms, documents: readonly Terms[]): readonly number[] {
  const lengths = documents.map(total);
  const mean = lengths.reduce((sum, length) => sum + length, 0) / Math.max(1, documents.length);
  const df = documentFrequency(documents);
  return documents.map((document, at) => {
    const norm = K1 * (1 - B + (B * (lengths[at] ?? 0)) / Math.max(1, mean));
    let score = 0;
    for (const word of query.keys()) {
      const count = document.get(word) ?? 0;
      if (count === 0) continue;
      const seen = df.get(word) ?? 0;
      score += Math.log(1 + (documents.length - seen + 0.5) / (seen + 0.5)) * ((count * (K1 + 1)) / (count + norm));
    }
    return score;
  });
}

function cosineScores(query: Terms, documents: readonly Terms[]): readonly number[] {
  const df = documentFrequency(documents);
  const weight = (term: string, count: number): number =>
    (1 + Math.log(count)) * (Math.log((1 + documents.length) / (1 + (df.get(term) ?? 0))) + 1);
  const vector = (terms: Terms): { readonly at: Terms; readonly length: number } => {
    const at = new Map([...terms].map(([term, count]) => [term, weight(term, count)]));
    return { at, length: Math.hypot(...at.values()) };
  };
  const asked = vector(query);
  return documents.map((document) => {
    const { at, length } = vector(document);
    if (length === 0 || asked.length === 0) return 0;
    let dot = 0;
    for (const [term, value] of asked.at) dot += value * (at.get(term) ?? 0);
    return dot / (length * asked.length);
  });
}

function documentFrequency(documents: readonly Terms[]): Terms {
  const df = new Map<string, number>();
  for (const document of documents) for (const term of document.keys()) df.set(term, (df.get(term) ?? 0) + 1);
  return df;
}

/** Words and grams in one vector; a gram can be no word of the same letters. */
function joined({ words, grams }: { readonly words: Terms; readonly grams: Terms }): Terms {
  return new Map([...words, ...[...grams].map(([gram, count]) => [`#${gram}`, count] as const)]);
}

function total(terms: Terms): number {
  let sum = 0;
  for (const count of terms.values()) sum += count;
  return sum;
}
