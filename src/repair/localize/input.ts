import type { Failure } from "../../domain/evidence.ts";
import type { LineRange } from "../../domain/experience.ts";

/** What localization looks at. Files are those of the failing commit. */
export interface LocalizeInput {
  readonly failures: readonly Failure[];
  readonly paths: ReadonlySet<string>;
  /** Null where there is no such text. */
  readonly read: (path: string) => Promise<string | null>;
  /** Lines that the failing pull request wrote, by file; null where it is not known. */
  readonly changed: ReadonlyMap<string, readonly LineRange[]> | null;
}

/** Texts of files, each read once. */
export class FileTexts {
  private readonly known = new Map<string, Promise<string | null>>();

  constructor(private readonly readText: LocalizeInput["read"]) {}

  read(path: string): Promise<string | null> {
    const known = this.known.get(path) ?? this.readText(path);
    this.known.set(path, known);
    return known;
  }
}
