import { describe, expect, it } from "vitest";
import { FEATURES, joinTerms, packTerms, searchTerms, searchWords, unpackTerms } from "../../src/text/search-terms.ts";

describe("words that are searched for", () => {
  it.each([
    ["Cannot find module './cartTotal'", ["cannot", "find", "module", "carttotal"]],
    ["test_keeps_one: TS2345 at line 7", ["test_keeps_one", "ts2345", "at", "line"]],
    ["fixed in 3f2a9c1d8e7b6a5f, not in facade", ["fixed", "in", "not", "in", "facade"]],
    ["… \n", []],
  ])("of %j are %j", (text, words) => {
    expect(searchWords(text)).toEqual(words);
  });
});

describe("terms of a text", () => {
  it("come back from their bytes as they were, wherever the bytes lie", () => {
    const terms = searchTerms("expected 2 to be 1: expected one item, not two");
    const packed = packTerms(terms);
    const shifted = new Uint8Array(packed.length + 1);
    shifted.set(packed, 1);

    expect([unpackTerms(packed), unpackTerms(shifted.subarray(1))]).toEqual([terms, terms]);
  });

  it("are counted afresh for every text, and lie below the number of all", () => {
    const first = searchTerms("item item item");
    const second = searchTerms("item");

    expect([Math.max(...first.counts), Math.max(...second.counts), first.words, second.words]).toEqual([3, 1, 3, 1]);
    expect([...first.features].every((feature) => feature < FEATURES)).toBe(true);
  });

  it("of several texts are the sums of theirs", () => {
    const joined = joinTerms([searchTerms("item"), searchTerms("item")]);

    expect(joined).toEqual({ ...searchTerms("item"), counts: searchTerms("item").counts.map(() => 2), words: 2 });
  });

  it("stop at the largest count a byte holds", () => {
    expect(Math.max(...searchTerms("item ".repeat(400)).counts)).toBe(255);
  });
});
