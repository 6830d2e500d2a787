import type { Reference, References } from "../../../ports/references.ts";
import type { SandboxRoom } from "../../../ports/sandbox.ts";
import { SandboxUnavailable } from "../../../ports/sandbox.ts";
import { redact } from "../../../text/redact.ts";
import { cosine, tfIdfVectors } from "../../../text/tf-idf.ts";

const READ_MS = 20_000;
const CHARACTERS = 8_000; // of one dependency: about 2,000 tokens, so that four fit into the 8,000 of papers §3.2
const MOST_DEPENDENCIES = 4;
// A name of a package as package managers allow it: nothing in it means anything to a shell.
const PACKAGE = /^(?:@[\w.-]+\/)?[\w.-]+$/;

/**
 * The change logs and descriptions that installed dependencies bring along, at the very version that is installed: the
 * default source of the Helper. They are read inside the room, for a link in them may lead anywhere.
 */
export function changeLogs(room: SandboxRoom): References {
  return {
    find: async ({ words, dependencies }) => {
      const found: Reference[] = [];
      for (const name of dependencies.filter((one) => PACKAGE.test(one)).slice(0, MOST_DEPENDENCIES)) {
        const text = await readFrom(room, name);
        if (text !== null) found.push({ source: text.source, text: redact(bestPart(text.text, words)) });
      }
      return found;
    },
  };
}

const FOLDERS = (name: string): readonly string[] => [
  `node_modules/${name}`,
  `.venv/lib/python3*/site-packages/${name.replaceAll("-", "_")}-*.dist-info`,
  `venv/lib/python3*/site-packages/${name.replaceAll("-", "_")}-*.dist-info`,
  `vendor/${name}`,
];
const FILES = ["CHANGELOG*", "HISTORY*", "CHANGES*", "MIGRATION*", "UPGRADING*", "METADATA", "README*"];

async function readFrom(room: SandboxRoom, name: string): Promise<{ source: string; text: string } | null> {
  const globs = FOLDERS(name).flatMap((folder) => FILES.map((file) => `${folder}/${file}`));
  const script = `shopt -s nullglob nocaseglob; for f in ${globs.join(" ")}; do [ -f "$f" ] && { printf '%s\\n' "$f"; head -c 200000 "$f"; break; }; done`;
  try {
    const ran = await room.run({ script, shell: "bash", cwd: "", env: {}, network: "off", timeoutMs: READ_MS });
    const end = ran.output.indexOf("\n");
    if (ran.exitCode === null || end === -1) return null;
    return { source: ran.output.slice(0, end), text: ran.output.slice(end + 1) };
  } catch (error) {
    if (error instanceof SandboxUnavailable) return null;
    throw error;
  }
}

/** The sections most like the query, in their own order, until the limit. */
function bestPart(text: string, query: string): string {
  const sections = text.split(/\n(?=#{1,4} |\S[^\n]*\n[=~-]{3,}\n)/);
  const [asked = new Map(), ...told] = tfIdfVectors([query, ...sections]);
  const ranked = sections
    .map((section, at) => ({ section, at, like: cosine(asked, told[at] ?? new Map()) }))
    .sort((a, b) => b.like - a.like || a.at - b.at);
  const kept: typeof ranked = [];
  let left = CHARACTERS;
  for (const one of ranked) {
    if (one.section.length > left) continue;
    left -= one.section.length;
    kept.push(one);
  }
  if (kept.length === 0) return text.slice(0, CHARACTERS);
  return kept
    .sort((a, b) => a.at - b.at)
    .map(({ section }) => section)
    .join("\n");
}
