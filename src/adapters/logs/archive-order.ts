/** Whether an entry of a run archive is a log: job and step files end in `.txt` (also `.log`, for folders people make). */
export function isLogName(name: string): boolean {
  return /\.(?:txt|log)$/i.test(name) && !name.split("/").some((part) => part.startsWith(".") || part === "__MACOSX");
}

/** Job files (`0_test.txt`) in the order of their numbers, then step files by folder and number. */
export function inArchiveOrder<T extends { readonly name: string }>(entries: readonly T[]): readonly T[] {
  return [...entries].sort((a, b) => compareNames(a.name, b.name));
}

function compareNames(a: string, b: string): number {
  const depth = a.split("/").length - b.split("/").length;
  if (depth !== 0) return depth;
  const folderA = a.slice(0, a.lastIndexOf("/") + 1);
  const folderB = b.slice(0, b.lastIndexOf("/") + 1);
  if (folderA !== folderB) return folderA < folderB ? -1 : 1;
  const byNumber = leadingNumber(a.slice(folderA.length)) - leadingNumber(b.slice(folderB.length));
  if (byNumber !== 0 && !Number.isNaN(byNumber)) return byNumber;
  return a < b ? -1 : Number(a > b);
}

function leadingNumber(name: string): number {
  const number = /^(-?\d+)_/.exec(name)?.[1];
  return number === undefined ? Number.MAX_SAFE_INTEGER : Number(number);
}
