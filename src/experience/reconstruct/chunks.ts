// papers §1.4: a part of the patch that leaves a model room for everything else, in characters and in changes.
const MOST_CHARACTERS = 60_000;
const MOST_ITEMS = 400;

/** Cuts a list so that the text of each part fits one question; an item longer than that goes alone. */
export function inChunks<T>(items: readonly T[], textOf: (item: T) => string): readonly (readonly T[])[] {
  const chunks: T[][] = [];
  let size = 0;
  for (const item of items) {
    const length = textOf(item).length;
    const last = chunks.at(-1);
    if (last === undefined || size + length > MOST_CHARACTERS || last.length >= MOST_ITEMS) {
      chunks.push([item]);
      size = length;
    } else {
      last.push(item);
      size += length;
    }
  }
  return chunks;
}
