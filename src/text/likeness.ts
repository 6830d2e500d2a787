/**
 * How alike two texts are, 0 to 1, by Ratcliff and Obershelp: the longest common part, then the same left and right of it;
 * twice the matched characters over all characters. Two empty texts are equal. The same numbers as Python's
 * `SequenceMatcher(None, a, b, autojunk=False).ratio()`, so not quite symmetric.
 */
export function likeness(a: string, b: string): number {
  if (a === b) return 1;
  if (a.length === 0 || b.length === 0) return 0;
  return (2 * matchedCharacters(a, b)) / (a.length + b.length);
}

/** Never below `likeness`, and much cheaper: what both texts have when order does not count. */
export function likenessAtMost(a: string, b: string): number {
  if (a.length + b.length === 0) return 1;
  const counts = new Map<string, number>();
  for (let at = 0; at < b.length; at++) counts.set(b.charAt(at), (counts.get(b.charAt(at)) ?? 0) + 1);
  let matched = 0;
  for (let at = 0; at < a.length; at++) {
    const left = counts.get(a.charAt(at)) ?? 0;
    if (left === 0) continue;
    counts.set(a.charAt(at), left - 1);
    matched++;
  }
  return (2 * matched) / (a.length + b.length);
}

interface Part {
  readonly aFrom: number;
  readonly aTo: number;
  readonly bFrom: number;
  readonly bTo: number;
}

function matchedCharacters(a: string, b: string): number {
  const places = placesOf(b);
  const open: Part[] = [{ aFrom: 0, aTo: a.length, bFrom: 0, bTo: b.length }];
  let matched = 0;
  for (let part = open.pop(); part !== undefined; part = open.pop()) {
    const { aAt, bAt, length } = longestCommon(a, places, part);
    if (length === 0) continue;
    matched += length;
    open.push({ ...part, aTo: aAt, bTo: bAt });
    open.push({ ...part, aFrom: aAt + length, bFrom: bAt + length });
  }
  return matched;
}

function placesOf(text: string): ReadonlyMap<string, readonly number[]> {
  const places = new Map<string, number[]>();
  for (let at = 0; at < text.length; at++) {
    const own = places.get(text.charAt(at));
    if (own === undefined) places.set(text.charAt(at), [at]);
    else own.push(at);
  }
  return places;
}

/** The earliest in `a`, then in `b`, of the longest. */
function longestCommon(
  a: string,
  places: ReadonlyMap<string, readonly number[]>,
  { aFrom, aTo, bFrom, bTo }: Part,
): { readonly aAt: number; readonly bAt: number; readonly length: number } {
  let best = { aAt: aFrom, bAt: bFrom, length: 0 };
  // Length of the common part that ends at this place of `b` and the last character of `a`.
  let endings = new Map<number, number>();
  for (let at = aFrom; at < aTo; at++) {
    const next = new Map<number, number>();
    for (const place of places.get(a.charAt(at)) ?? []) {
      if (place < bFrom) continue;
      if (place >= bTo) break;
      const length = (endings.get(place - 1) ?? 0) + 1;
      next.set(place, length);
      if (length > best.length) best = { aAt: at - length + 1, bAt: place - length + 1, length };
    }
    endings = next;
  }
  return best;
}
