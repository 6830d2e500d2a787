import { createRequire } from "node:module";

type Tokenizer = typeof import("gpt-tokenizer");

// Its tables take a good part of a second to load: commands that ask no model must not wait for them.
let tokenizer: Tokenizer | null = null;
function loadTokenizer(): Tokenizer {
  tokenizer ??= createRequire(import.meta.url)("gpt-tokenizer") as Tokenizer;
  return tokenizer;
}

// The tokenizer is quadratic in the length of a run without a break (100,000 equal letters took 12 s): short pieces
// bound that, and a cut costs at most one token.
const PIECE_CHARACTERS = 1_000;
// Beyond this nobody needs the exact number; English and code have three to four characters a token.
const COUNTED_CHARACTERS = 200_000;
const CHARACTERS_PER_TOKEN = 3;

// Text that spells a special token (`<|endoftext|>`) is ordinary text here; by default the tokenizer throws on it.
const AS_TEXT = { allowedSpecial: new Set<string>(), disallowedSpecial: new Set<string>() };

/** How many tokens a model of the o200k family reads in `text`; an estimate for any other, and for very long text. */
export function countTokens(text: string): number {
  const { countTokens: countPiece } = loadTokenizer();
  const counted = text.slice(0, COUNTED_CHARACTERS);
  let tokens = 0;
  for (let from = 0; from < counted.length; from += PIECE_CHARACTERS) {
    tokens += countPiece(counted.slice(from, from + PIECE_CHARACTERS), AS_TEXT);
  }
  return tokens + Math.ceil((text.length - counted.length) / CHARACTERS_PER_TOKEN);
}
