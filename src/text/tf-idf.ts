/** A text as weights of its words and pairs of words, of length 1. */
export type TextVector = ReadonlyMap<string, number>;

/**
 * TF-IDF vectors of texts that belong together: words and pairs of neighbouring words, sublinear term frequency, smoothed document
 * frequency (as scikit-learn's `TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True)`). A text without words is empty.
 * `most`: only so many terms count, those in the most texts.
 */
export function tfIdfVectors(texts: readonly string[], most = Number.POSITIVE_INFINITY): readonly TextVector[] {
  const counted = texts.map(countTerms);
  const documents = new Map<string, number>();
  for (const terms of counted) for (const term of terms.keys()) documents.set(term, (documents.get(term) ?? 0) + 1);
  const kept = commonest(documents, most);
  return counted.map((terms) => {
    const weights = [...terms].flatMap(([term, count]): [string, number][] => {
      if (!kept.has(term)) return [];
      const idf = Math.log((1 + texts.length) / (1 + (documents.get(term) ?? 0))) + 1;
      return [[term, (1 + Math.log(count)) * idf]];
    });
    const length = Math.hypot(...weights.map(([, weight]) => weight));
    return new Map(weights.map(([term, weight]) => [term, weight / length]));
  });
}

function commonest(documents: ReadonlyMap<string, number>, most: number): { has(term: string): boolean } {
  if (documents.size <= most) return documents;
  const sorted = [...documents].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
  return new Set(sorted.slice(0, most).map(([term]) => term));
}

/** 0 to 1; an empty vector is like nothing. */
export function cosine(a: TextVector, b: TextVector): number {
  const [small, large] = a.size <= b.size ? [a, b] : [b, a];
  let sum = 0;
  for (const [term, weight] of small) sum += weight * (large.get(term) ?? 0);
  // Rounding may leave the length of a vector a hair above 1.
  return Math.min(1, sum);
}

function countTerms(text: string): ReadonlyMap<string, number> {
  const words = text.toLowerCase().match(/[\p{L}\p{N}_]{2,}/gu) ?? [];
  const counts = new Map<string, number>();
  const add = (term: string): void => void counts.set(term, (counts.get(term) ?? 0) + 1);
  words.forEach((word, at) => {
    add(word);
    const next = words[at + 1];
    if (next !== undefined) add(`${word} ${next}`);
  });
  return counts;
}
