/** Terms with their weights. */
export type Vector = ReadonlyMap<string, number>;

/** Words and pairs of neighbours, sublinear frequency, the commonest `most` terms, unit length (papers §1.6). */
export function tfidf(documents: readonly string[], most: number): readonly Vector[] {
  const counted = documents.map(countTerms);
  const spread = new Map<string, number>();
  for (const counts of counted) for (const term of counts.keys()) spread.set(term, (spread.get(term) ?? 0) + 1);
  const commonest = [...spread].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).slice(0, most);
  const kept = new Set(commonest.map(([term]) => term));
  const rarity = (term: string): number => Math.log((1 + documents.length) / (1 + (spread.get(term) ?? 0))) + 1;
  return counted.map((counts) => {
    const weights = [...counts]
      .filter(([term]) => kept.has(term))
      .map(([term, count]) => [term, (1 + Math.log(count)) * rarity(term)] as const);
    const length = Math.hypot(...weights.map(([, weight]) => weight));
    return new Map(weights.map(([term, weight]) => [term, length === 0 ? 0 : weight / length]));
  });
}

/** Of two vectors of unit length: 0 to 1. */
export function cosine(a: Vector, b: Vector): number {
  let sum = 0;
  for (const [term, weight] of a) sum += weight * (b.get(term) ?? 0);
  return sum;
}

function countTerms(text: string): Map<string, number> {
  const words = text.toLowerCase().match(/[a-z0-9_]{2,}/g) ?? [];
  const terms = [...words, ...words.slice(1).map((word, index) => `${words[index]} ${word}`)];
  const counts = new Map<string, number>();
  for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1);
  return counts;
}
