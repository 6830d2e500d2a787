import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FUSION, fuse, TermRanking } from "../../src/text/fused-ranking.ts";
import { FIRST_GRAM, type SearchTerms, searchTerms, WORD_FEATURES } from "../../src/text/search-terms.ts";

const kind = (feature: number, measure: "cosine" | "bm25"): number =>
  feature < WORD_FEATURES ? 1 : (feature < FIRST_GRAM ? FUSION.pair : FUSION.gram)[measure];

/** The formulas as they are written, document by document. */
function byHand(texts: readonly string[], question: string) {
  const all = texts.map(searchTerms);
  const asked = searchTerms(question);
  const has = ({ features, counts }: SearchTerms, feature: number) => counts[features.indexOf(feature)] ?? 0;
  const seen = (feature: number) => all.filter((terms) => has(terms, feature) > 0).length;
  const value = (terms: SearchTerms, feature: number) => {
    const count = has(terms, feature);
    const rarity = Math.log((1 + all.length) / (1 + seen(feature))) + 1;
    return count === 0 ? 0 : kind(feature, "cosine") * rarity * (1 + Math.log(count));
  };
  const length = (terms: SearchTerms) => Math.hypot(...[...terms.features].map((feature) => value(terms, feature)));
  const mean = all.reduce((sum, { words }) => sum + words, 0) / all.length;
  return {
    cosine: all.map((terms) => {
      const dot = [...asked.features].reduce((sum, feature) => sum + value(asked, feature) * value(terms, feature), 0);
      return dot === 0 ? 0 : dot / (length(asked) * length(terms));
    }),
    bm25: all.map((terms) =>
      [...asked.features].reduce((sum, feature) => {
        const [count, df] = [has(terms, feature), seen(feature)];
        const rarity = Math.log(1 + (all.length - df + 0.5) / (df + 0.5));
        const norm = 1.2 * (0.25 + (0.75 * terms.words) / Math.max(1, mean));
        return sum + (kind(feature, "bm25") * rarity * count * 2.2) / (count + norm);
      }, 0),
    ),
  };
}

const WORDS = ["item", "items", "cart", "total", "expected", "module", "lint", "E501", "cannot", "find"];
const text = fc.array(fc.constantFrom(...WORDS), { maxLength: 12 }).map((words) => words.join(" "));

describe("ranking by terms", () => {
  it("scores every document as the formulas say", () => {
    fc.assert(
      fc.property(fc.array(text, { minLength: 1, maxLength: 8 }), text, (texts, question) => {
        const { cosine, bm25 } = new TermRanking(texts.map(searchTerms)).scores(searchTerms(question));
        const wanted = byHand(texts, question);
        texts.forEach((_, at) => {
          expect(cosine[at]).toBeCloseTo(wanted.cosine[at] ?? Number.NaN, 9);
          expect(bm25[at]).toBeCloseTo(wanted.bm25[at] ?? Number.NaN, 9);
        });
      }),
      { numRuns: 12 },
    );
  });

  it("measures against the best of the candidates, and leaves the others out", () => {
    const scores = { cosine: Float64Array.of(0.9, 0.4, 0.2), bm25: Float64Array.of(8, 2, 4) };

    expect([...fuse(scores, (at) => at > 0, 0.5)]).toEqual([0, 0.75, 0.75]);
  });

  it("has nothing to say of nothing", () => {
    expect([...fuse(new TermRanking([]).scores(searchTerms("item")))]).toEqual([]);
    expect([...fuse(new TermRanking([searchTerms("")]).scores(searchTerms("")))]).toEqual([0]);
  });
});
