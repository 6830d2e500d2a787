import { chmod, mkdir, open } from "node:fs/promises";
import path from "node:path";
import type { RunStore, TranscriptFile } from "../../ports/run-store.ts";

// Transcripts hold code of private repositories: for the account that runs us, nobody else.
const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;

/** Transcripts as JSON lines: `<dataDir>/transcripts/<repair>/<attempt>.jsonl`. An existing file is continued. */
export function fileRunStore(dataDir: string): RunStore {
  return {
    openTranscript: async (repair, attempt) => {
      const folder = path.join(dataDir, "transcripts", asFileName(repair));
      await mkdir(folder, { recursive: true, mode: FOLDER_MODE });
      const file = path.join(folder, `${asFileName(attempt)}.jsonl`);
      await appendLine(file, "");
      await chmod(file, FILE_MODE); // a file from before may be readable by others
      return transcriptAt(file);
    },
  };
}

function transcriptAt(file: string): TranscriptFile {
  let last: Promise<void> = Promise.resolve();
  return {
    path: file,
    // One after the other, so that two long entries never mix; a failure is told to its own caller only.
    append: (entry) => {
      const line = `${JSON.stringify(entry)}\n`;
      const written = last.then(() => appendLine(file, line));
      last = written.catch(() => {});
      return written;
    },
  };
}

async function appendLine(file: string, line: string): Promise<void> {
  const handle = await open(file, "a", FILE_MODE);
  try {
    if (line === "") return;
    await handle.appendFile(line);
    await handle.datasync();
  } finally {
    await handle.close();
  }
}

/** An id as the name of one file: nothing that leads elsewhere, never empty, never hidden. */
function asFileName(id: string): string {
  const safe = id.replace(/[^\w.-]+/g, "-").slice(0, 100);
  return /^[\w]/.test(safe) ? safe : `_${safe}`;
}
