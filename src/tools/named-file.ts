import type { Location } from "../domain/evidence.ts";
import { relativePath } from "./repository-path.ts";

// A folder and an ending: a bare word with a dot in it may be a version, a host or a method.
const PATH = /(?<=^|[\s'"`(=])(?:[\w.@~-]*\/)+[\w.@~-]+\.[A-Za-z]\w{0,9}(?=$|[\s'"`),.:;])/g;
const LONGEST = 500; // what a sentence may hold

/**
 * The one file of the repository that a sentence names; of several, the one it says the fault is in (`… in src/a.ts`).
 * Null when it names none, or several alike.
 */
export function namedFile(sentence: string): Location | null {
  const found = filesIn(sentence);
  const files = new Set(found.map(({ file }) => file));
  const [file] = files.size === 1 ? files : [];
  return file === undefined ? faultFile(sentence) : { file, line: null, col: null };
}

/** The one file that a sentence says something is in, whatever other files it names; null without one. */
export function faultFile(sentence: string): Location | null {
  const places = new Set(
    filesIn(sentence)
      .filter(({ isPlace }) => isPlace)
      .map(({ file }) => file),
  );
  const [file] = places.size === 1 ? places : [];
  return file === undefined ? null : { file, line: null, col: null };
}

function filesIn(sentence: string): readonly { readonly file: string; readonly isPlace: boolean }[] {
  const text = sentence.slice(0, LONGEST);
  return [...text.matchAll(PATH)].flatMap((match) => {
    const file = relativePath(match[0]);
    return file === null ? [] : [{ file, isPlace: / in $/.test(text.slice(0, match.index).replace(/['"`(]$/, "")) }];
  });
}
