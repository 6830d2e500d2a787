import { renderText } from "../../../agent/prompt.ts";
import type { References } from "../../../ports/references.ts";
import { fence } from "../../../text/fence.ts";
import { countTokens } from "../../../text/tokens.ts";
import { askRole } from "./ask-role.ts";
import type { Work } from "./assembly-line.ts";
import { type Extra, ownExtras, sayBug } from "./bug.ts";
import { dependenciesIn } from "./dependencies.ts";
import { type FunctionSummary, HELPER, REPOFOCUS, SUMMARIZER } from "./roles.ts";
import { shorten } from "./shorten.ts";

const CODE_TOKENS = 8_000; // papers §3.2: a longer file is skipped by the Summarizer
const SUMMARY_TOKENS = 5_120;
const MOST_FILES = 5; // papers §3.2
const QUERY_WORDS = 100; // papers §3.2
const TREE_LINES = 400; // what a prompt can hold of a large repository; the nearest files come first
// A summary belongs to the very text of a file: two repairs of one repository share most of them.
const KEPT_SUMMARIES = 500;

const summaries = new Map<string, Promise<readonly FunctionSummary[] | null>>();

/** Summarizer: the functions of these files, as text within its limit; "" when it is switched off or says nothing. */
export async function summarize(work: Work, files: readonly string[]): Promise<string> {
  if (!work.switches.agents.summarizer) return "";
  const parts: string[] = [];
  let left = SUMMARY_TOKENS;
  for (const file of files) {
    if (work.isOver()) break;
    const code = await work.bench.copy.read(work.start, file);
    const functions = code === null ? null : await summaryOf(work, file, code);
    const text =
      functions === null || functions.length === 0 ? "" : `${file}\n${functions.map(sayFunction).join("\n")}`;
    const tokens = countTokens(text);
    if (text === "" || tokens > left) continue;
    left -= tokens;
    parts.push(text);
  }
  return parts.join("\n\n");
}

async function summaryOf(work: Work, file: string, code: string): Promise<readonly FunctionSummary[] | null> {
  const key = `${work.team.ask.llm.model} ${file} ${code}`;
  const known = summaries.get(key);
  if (known !== undefined) return known;
  const asked = askSummary(work, file, code);
  summaries.set(key, asked);
  for (const old of [...summaries.keys()].slice(0, Math.max(0, summaries.size - KEPT_SUMMARIES))) summaries.delete(old);
  const said = await asked;
  // Nothing was learned: the next repair may have more luck.
  if (said === null) summaries.delete(key);
  return said;
}

async function askSummary(work: Work, file: string, code: string): Promise<readonly FunctionSummary[] | null> {
  const shown = shorten(code, CODE_TOKENS, null);
  if (!shown.fits) return [];
  const said = await askRole(SUMMARIZER, { file, code: fence(shown.code) }, { file, code }, work.team);
  return said?.answer.functions ?? null;
}

function sayFunction({ cls, fn, params, returns, desc }: FunctionSummary): string {
  const given = params.map(({ name, meaning }) => `${name}: ${meaning}`).join("; ");
  return `- ${cls === null ? "" : `${cls}.`}${fn}(${given}) → ${returns}. ${desc}`;
}

/** RepoFocus: related files that exist and are no tests, most needed first. */
export async function focus(work: Work): Promise<readonly string[]> {
  if (!work.switches.agents.repofocus) return [];
  const { bug, team, bench, task } = work;
  const all = await bench.copy.listFiles();
  const known = new Set(all.filter((file) => file !== bug.file && !looksLikeTest(file)));
  const suspected = (task.context.guidance?.suspected ?? []).map(({ path }) => path).filter((path) => known.has(path));
  const holes = {
    bug: sayBug(bug, null, ownExtras(bug)),
    imports: fence(importsOf(bug.code) || "(none)"),
    tree: fence([...suspected, ...nearest([...known], bug.file)].slice(0, TREE_LINES).join("\n")),
  };
  for (let attempt = 0; attempt < REPOFOCUS.tries && !work.isOver(); attempt++) {
    const said = await askRole(REPOFOCUS, holes, bug, team);
    const files = (said?.answer.files ?? []).filter((file) => known.has(file));
    if (files.length > 0) return [...new Set(files)].slice(0, MOST_FILES);
  }
  return [];
}

/** Helper: what references say, with their names; null when it is switched off or nothing was found. */
export async function lookUp(work: Work, references: References): Promise<Extra | null> {
  if (!work.switches.agents.helper || !work.switches.tools.search || work.isOver()) return null;
  const { bug, team, task } = work;
  const about = sayBug(bug, null, ownExtras(bug));
  const query = await askRole(HELPER, { bug: about, input: renderText(HELPER.texts, "query") }, bug, team);
  if (query === null) return null;
  const words = query.answer.query.split(/\s+/).slice(0, QUERY_WORDS).join(" ");
  const found = await references.find({ words, dependencies: dependenciesIn(task.failures) });
  if (found.length === 0) return null;
  const text = found.map(({ source, text: own }) => `${source}\n${fence(own)}`).join("\n\n");
  const input = renderText(HELPER.texts, "found", { found: text });
  // Only what can be traced to a source is passed on (papers §3.2).
  const said = await askRole(HELPER, { bug: about, input }, bug, team, ({ reference, sources }) =>
    reference.trim() !== "" && !sources.some((source) => found.some((one) => one.source === source))
      ? ["sources: name at least one of the sources that were found"]
      : [],
  );
  if (said === null || said.answer.reference.trim() === "") return null;
  const sources = said.answer.sources.filter((source) => found.some((one) => one.source === source));
  return { name: "reference", text: `${said.answer.reference}\nSources: ${sources.join(", ")}` };
}

const IMPORTS =
  /^\s*(?:import\s.*|from\s+\S+\s+import\s.*|.*\brequire\(.*|use\s+[\w:].*|using\s+[\w.].*|#include\s.*)$/gm;

function importsOf(code: string): string {
  return (code.match(IMPORTS) ?? []).map((line) => line.trim()).join("\n");
}

function looksLikeTest(file: string): boolean {
  return /(?:^|\/)(?:tests?|__tests__|spec)\/|[._-](?:test|spec)\.\w+$|(?:^|\/)test_[^/]*\.py$|_test\.\w+$/.test(file);
}

/** Files that share more of their folders with this one come first. */
function nearest(files: readonly string[], file: string): readonly string[] {
  const own = file.split("/");
  const shared = (other: string): number => {
    const parts = other.split("/");
    const at = parts.findIndex((part, index) => part !== own[index]);
    return at === -1 ? parts.length : at;
  };
  return [...files].sort((a, b) => shared(b) - shared(a) || (a < b ? -1 : 1));
}
