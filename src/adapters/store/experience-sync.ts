import path from "node:path";
import { refusalOf } from "../../domain/experience-hygiene.ts";
import type { CheckReport, StoreFinding } from "../../ports/experience-store.ts";
import { cutFile, fileState, readLinesFrom, replaceLines, storeFiles } from "./experience-files.ts";
import type { IndexStatements } from "./experience-index.ts";
import { type DecodedLine, decodeLine, encodeLine } from "./experience-lines.ts";
import { redactRecord } from "./experience-redaction.ts";

/**
 * Keeps the index in step with the files. Everything here runs while the caller holds the write lock. What a kill left
 * behind is found by comparing each file with the mark of how far it was read.
 */
export function experienceSync(root: string, index: IndexStatements) {
  /** Reads what is new in a file; cuts off a torn last line. */
  const catchUp = (file: string): readonly StoreFinding[] => {
    const full = path.join(root, file);
    const state = fileState(full);
    if (state === null) {
      index.dropFile(file);
      return [];
    }
    let mark = index.mark(file);
    if (mark !== null && (mark.inode !== state.inode || mark.bytes > state.bytes)) {
      index.dropFile(file);
      mark = null;
    }
    if (mark !== null && mark.bytes === state.bytes) return [];
    const { lines, torn, end } = readLinesFrom(full, mark?.bytes ?? 0);
    const before = mark?.lines ?? 0;
    const forgotten = new Set<string>();
    lines.forEach((text, at) => {
      const id = take(file, before + at + 1, decodeLine(text));
      if (id !== null) forgotten.add(id);
    });
    const lineCount = before + lines.length;
    if (torn > 0) cutFile(full, end);
    index.setMark(file, state.inode, end, lineCount);
    // A kill came between the tombstone and the removal of the text.
    if (forgotten.size > 0) compact(file, forgotten);
    return torn === 0 ? [] : [{ file, line: lineCount + 1, what: `an unfinished line of ${torn} bytes was cut off` }];
  };

  /** Takes one line into the index; the id of a record that is there and was to be forgotten. */
  const take = (file: string, line: number, decoded: DecodedLine): string | null => {
    if ("unreadable" in decoded) {
      index.addFinding(file, line, decoded.unreadable);
      return null;
    }
    if ("record" in decoded) index.putRecord(file, decoded.record);
    if ("episode" in decoded) index.putEpisode(file, decoded.episode);
    if (!("forgotten" in decoded)) return null;
    index.putTombstone(file, decoded.forgotten);
    return index.removeRecord(decoded.forgotten.id) ? decoded.forgotten.id : null;
  };

  /**
   * Writes a file anew with the newest version of each record, without the given ones. Tombstones, episodes and lines that cannot be
   * read stay as they are.
   */
  const compact = (file: string, gone: ReadonlySet<string>): void => {
    const full = path.join(root, file);
    if (fileState(full) === null) return;
    const { lines } = readLinesFrom(full, 0);
    const decoded = lines.map(decodeLine);
    const last = new Map<string, number>();
    decoded.forEach((line, at) => {
      if ("record" in line) last.set(line.record.meta.id, at);
    });
    const kept = lines.flatMap((text, at) => {
      const line = decoded[at];
      if (line === undefined || !("record" in line)) return [text];
      const { id } = line.record.meta;
      if (gone.has(id) || last.get(id) !== at) return [];
      const { record, redactions } = redactRecord(line.record);
      return [redactions === 0 ? text : encodeLine({ record })];
    });
    replaceLines(full, kept);
    index.holdingVectors(file, () => {
      index.dropFile(file);
      catchUp(file);
    });
  };

  const catchUpAll = (): readonly StoreFinding[] => {
    const there = storeFiles(root);
    const isThere = new Set(there);
    for (const known of index.knownFiles()) if (!isThere.has(known)) index.dropFile(known);
    return there.flatMap(catchUp);
  };

  /** Reads every line and compares with the index. */
  const check = (): CheckReport => {
    const findings: StoreFinding[] = [];
    const records = new Map<string, string>();
    const ids = { episodes: new Set<string>(), forgotten: new Set<string>() };
    const files = storeFiles(root);
    let count = 0;
    for (const file of files) {
      const { lines, torn } = readLinesFrom(path.join(root, file), 0);
      count += lines.length;
      if (torn > 0) findings.push({ file, line: lines.length + 1, what: `is unfinished (${torn} bytes)` });
      lines.forEach((text, at) => {
        const line = decodeLine(text);
        const tell = (what: string): void => void findings.push({ file, line: at + 1, what });
        if ("unreadable" in line) tell(line.unreadable);
        else if ("episode" in line) ids.episodes.add(`${line.episode.tenant} ${line.episode.id}`);
        else if ("forgotten" in line) {
          ids.forgotten.add(line.forgotten.id);
          records.delete(line.forgotten.id);
        } else {
          const why = refusalOf(line.record);
          if (why !== null) tell(`breaks a rule: ${why}`);
          if (redactRecord(line.record).redactions > 0)
            tell("holds what looks like a secret: run `retrace experience rebuild`");
          records.set(line.record.meta.id, JSON.stringify(line.record));
        }
      });
    }
    const indexed = new Map(index.records({}).map((record) => [record.meta.id, JSON.stringify(record)]));
    const differing = [...new Set([...records.keys(), ...indexed.keys()])].filter(
      (id) => records.get(id) !== indexed.get(id),
    );
    for (const id of differing.sort()) {
      findings.push({
        file: "index.db",
        line: null,
        what: `${id} is not as in the files: run \`retrace experience rebuild\``,
      });
    }
    return {
      files: files.length,
      lines: count,
      records: records.size,
      episodes: ids.episodes.size,
      forgotten: ids.forgotten.size,
      findings,
    };
  };

  const rebuild = (): CheckReport => {
    for (const file of index.knownFiles()) index.dropFile(file);
    const mended = [...catchUpAll()];
    for (const file of storeFiles(root)) {
      if (holdsSecrets(path.join(root, file))) {
        compact(file, new Set());
        mended.push({ file, line: null, what: "held what looks like a secret; it was taken out" });
      }
    }
    const report = check();
    return { ...report, findings: [...mended, ...report.findings] };
  };

  return { catchUp, catchUpAll, compact, check, rebuild };
}

function holdsSecrets(file: string): boolean {
  return readLinesFrom(file, 0).lines.some((text) => {
    const line = decodeLine(text);
    return "record" in line && redactRecord(line.record).redactions > 0;
  });
}
