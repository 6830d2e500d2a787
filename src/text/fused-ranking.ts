import { FEATURES, FIRST_GRAM, type SearchTerms, WORD_FEATURES } from "./search-terms.ts";

export interface FusionWeights {
  /** Of the cosine of hashed vectors in the whole; the rest is BM25's. 0 to 1. */
  readonly cosine: number;
  /** Of a pair of words, and of an n-gram, beside one word: in the vectors, and in BM25. */
  readonly pair: { readonly cosine: number; readonly bm25: number };
  readonly gram: { readonly cosine: number; readonly bm25: number };
}

/** Chosen on every second labelled query of `script/eval-retrieval` (docs/retrieval.md). */
export const FUSION: FusionWeights = {
  cosine: 0.3,
  pair: { cosine: 1, bm25: 0.5 },
  gram: { cosine: 1, bm25: 0.4 },
};

// Robertson's usual values.
const K1 = 1.2;
const B = 0.75;

/** How each document answers a query; nothing here is comparable between queries. */
export interface TermScores {
  readonly cosine: Float64Array;
  readonly bm25: Float64Array;
}

/**
 * Documents that are ranked against each other, in lists by feature. How rare a feature is is counted among them alone, so that
 * no other scope shows in an answer. Exact: every document that shares a feature with the query is scored.
 */
export class TermRanking {
  readonly size: number;
  private readonly starts = new Uint32Array(FEATURES + 1);
  private readonly documents: Uint32Array;
  private readonly counts: Uint8Array;
  private readonly lengths: Float64Array;
  /** What its length takes from a document's counts in BM25. */
  private readonly norms: Float64Array;

  constructor(
    documents: readonly SearchTerms[],
    private readonly weights: FusionWeights = FUSION,
  ) {
    this.size = documents.length;
    for (const { features } of documents) {
      for (const feature of features) this.starts[feature + 1] = (this.starts[feature + 1] ?? 0) + 1;
    }
    for (let at = 0; at < FEATURES; at++) this.starts[at + 1] = (this.starts[at + 1] ?? 0) + (this.starts[at] ?? 0);
    const total = this.starts[FEATURES] ?? 0;
    this.documents = new Uint32Array(total);
    this.counts = new Uint8Array(total);
    const next = this.starts.slice();
    documents.forEach(({ features, counts }, document) => {
      for (let at = 0; at < features.length; at++) {
        const feature = features[at] ?? 0;
        const place = next[feature] ?? 0;
        next[feature] = place + 1;
        this.documents[place] = document;
        this.counts[place] = counts[at] ?? 0;
      }
    });
    const mean = documents.reduce((sum, { words }) => sum + words, 0) / Math.max(1, this.size);
    this.norms = Float64Array.from(documents, ({ words }) => K1 * (1 - B + (B * words) / Math.max(1, mean)));
    this.lengths = this.measure();
  }

  private measure(): Float64Array {
    const squares = new Float64Array(this.size);
    for (let feature = 0; feature < FEATURES; feature++) {
      const [start, end] = [this.starts[feature] ?? 0, this.starts[feature + 1] ?? 0];
      if (start === end) continue;
      const weight = this.weightOf(feature);
      for (let at = start; at < end; at++) {
        const value = weight * (SUBLINEAR[this.counts[at] ?? 0] ?? 0);
        const document = this.documents[at] ?? 0;
        squares[document] = (squares[document] ?? 0) + value * value;
      }
    }
    return squares.map(Math.sqrt);
  }

  /** Smoothed inverse document frequency, weighted by what kind of feature it is. */
  private weightOf(feature: number): number {
    const rarity = Math.log((1 + this.size) / (1 + this.seen(feature))) + 1;
    return rarity * this.kindWeight(feature, "cosine");
  }

  private kindWeight(feature: number, measure: "cosine" | "bm25"): number {
    if (feature < WORD_FEATURES) return 1;
    return (feature < FIRST_GRAM ? this.weights.pair : this.weights.gram)[measure];
  }

  /** In how many documents. */
  private seen(feature: number): number {
    return (this.starts[feature + 1] ?? 0) - (this.starts[feature] ?? 0);
  }

  /** Cosine of the weighted vectors, and weighted BM25, lengths counted in words. */
  scores(query: SearchTerms): TermScores {
    const cosine = new Float64Array(this.size);
    const bm25 = new Float64Array(this.size);
    let squares = 0;
    for (let at = 0; at < query.features.length; at++) {
      const feature = query.features[at] ?? 0;
      const weight = this.weightOf(feature);
      const asked = weight * (SUBLINEAR[query.counts[at] ?? 0] ?? 0);
      squares += asked * asked;
      this.addFeature(feature, asked * weight, cosine, bm25);
    }
    const length = Math.sqrt(squares);
    for (let at = 0; at < this.size; at++) {
      const both = length * (this.lengths[at] ?? 0);
      cosine[at] = both === 0 ? 0 : (cosine[at] ?? 0) / both;
    }
    return { cosine, bm25 };
  }

  private addFeature(feature: number, weight: number, cosine: Float64Array, bm25: Float64Array): void {
    const end = this.starts[feature + 1] ?? 0;
    const seen = this.seen(feature);
    const rarity = Math.log(1 + (this.size - seen + 0.5) / (seen + 0.5)) * this.kindWeight(feature, "bm25");
    for (let at = this.starts[feature] ?? 0; at < end; at++) {
      const document = this.documents[at] ?? 0;
      const count = this.counts[at] ?? 0;
      cosine[document] = (cosine[document] ?? 0) + weight * (SUBLINEAR[count] ?? 0);
      bm25[document] = (bm25[document] ?? 0) + rarity * ((count * (K1 + 1)) / (count + (this.norms[document] ?? 0)));
    }
  }
}

/** 1 + ln of a count, which is a byte. */
const SUBLINEAR = Float64Array.from({ length: 256 }, (_, count) => (count === 0 ? 0 : 1 + Math.log(count)));

/**
 * Both kinds of score in one, 0 to 1: each against the best of the candidates, then weighted. Who is no candidate has 0 and sets no
 * measure.
 */
export function fuse(
  { cosine, bm25 }: TermScores,
  isCandidate: (document: number) => boolean = () => true,
  weight = FUSION.cosine,
): Float64Array {
  let [bestCosine, bestBm25] = [0, 0];
  for (let at = 0; at < cosine.length; at++) {
    if (!isCandidate(at)) continue;
    bestCosine = Math.max(bestCosine, cosine[at] ?? 0);
    bestBm25 = Math.max(bestBm25, bm25[at] ?? 0);
  }
  return cosine.map((value, at) => {
    if (!isCandidate(at)) return 0;
    const byCosine = bestCosine === 0 ? 0 : value / bestCosine;
    const byWords = bestBm25 === 0 ? 0 : (bm25[at] ?? 0) / bestBm25;
    return weight * byCosine + (1 - weight) * byWords;
  });
}
