/** Sum of products; the cosine for vectors of length 1. Of different dimensions: 0, they are of different worlds. */
export function dot(a: Float32Array, b: Float32Array): number {
  if (a.length !== b.length) return 0;
  let sum = 0;
  for (let at = 0; at < a.length; at++) sum += (a[at] ?? 0) * (b[at] ?? 0);
  return sum;
}

/** The same direction with length 1; a vector of zeros stays one. */
export function ofUnitLength(vector: Float32Array): Float32Array {
  const length = Math.sqrt(dot(vector, vector));
  return length === 0 ? vector : vector.map((value) => value / length);
}

/** An episode lies in the middle of its problems. `of`: the episodes of each vector, by number below `count`. */
export function episodeVectors(
  vectors: readonly Float32Array[],
  of: readonly (readonly number[])[],
  count: number,
): readonly Float32Array[] {
  const sums = Array.from({ length: count }, () => new Float32Array(vectors[0]?.length ?? 0));
  vectors.forEach((vector, row) => {
    for (const number of of[row] ?? []) {
      const sum = sums[number];
      if (sum === undefined) continue;
      for (let at = 0; at < vector.length; at++) sum[at] = (sum[at] ?? 0) + (vector[at] ?? 0);
    }
  });
  return sums.map(ofUnitLength);
}
