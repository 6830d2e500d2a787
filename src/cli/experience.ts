import { readFile } from "node:fs/promises";
import { composeExperience, composeWorld } from "../compose-experience.ts";
import { type Config, readConfig } from "../config.ts";
import type { ExperienceRecord, Level } from "../domain/experience.ts";
import {
  PAPER_RECURRENCE,
  recurrenceByRepository,
  recurringPatterns,
  whatToExpect,
} from "../experience/upkeep/recurrence.ts";
import { EmbedderFailed } from "../ports/embedder.ts";
import type { CheckReport, ExperienceFilter, ExperienceStore, StoreFinding } from "../ports/experience-store.ts";
import { EXIT, UsageError } from "./exit.ts";
import { type RecurrenceReport, renderList, renderRecord, renderRecurrence } from "./render-experience.ts";

export interface ExperienceOptions {
  readonly as?: string;
  readonly json?: boolean;
  readonly level?: Level;
  readonly all?: boolean;
  readonly limit?: number;
}

// What is learned on the command line belongs to this account; the app has one for each installation.
const TENANT = "local";

/** `retrace experience list` */
export function listExperience(options: ExperienceOptions): Promise<number> {
  return withStore(async (store, config) => {
    const found = await store.list(filterOf(options));
    const records = options.all === true ? found : found.filter(({ meta }) => meta.status !== "retired");
    const stats = await store.stats(filterOf(options));
    print(options, { schema: "retrace.experiences/1", stats, records }, () =>
      renderList(records, stats, config.colour),
    );
    return EXIT.done;
  });
}

/** `retrace experience show ID`; the beginning of an id is enough where it is the only one. */
export function showExperience(id: string, options: ExperienceOptions): Promise<number> {
  return withStore(async (store, config) => {
    const record = await findRecord(store, id);
    print(options, { schema: "retrace.experience/1", record }, () => renderRecord(record, config.colour));
    return EXIT.done;
  });
}

const DEFAULT_LIMIT = 10;

/** `retrace experience search TEXT` */
export function searchExperience(text: string, options: ExperienceOptions): Promise<number> {
  return withStore(async (store, config) => {
    const found = await store.search(text, filterOf(options), options.limit ?? DEFAULT_LIMIT);
    print(options, { schema: "retrace.experience-search/1", text, found }, () =>
      found.length === 0
        ? "Nothing in the memory shares a word with that."
        : renderList(
            found.map(({ record }) => record),
            null,
            config.colour,
          ),
    );
    return EXIT.done;
  });
}

/** `retrace experience recurrence`: what comes back, and how far memory can help here. */
export function tellRecurrence(options: ExperienceOptions): Promise<number> {
  return withStore(async (store, config) => {
    const filter = filterOf(options);
    const records = await store.list({ ...filter, level: "L1" });
    const report: RecurrenceReport = {
      paper: PAPER_RECURRENCE,
      repositories: recurrenceByRepository(records).map((one) => ({ ...one, expect: whatToExpect(one) })),
      patterns: recurringPatterns(await store.episodes(filter), records, composeWorld().now()),
    };
    print(options, { schema: "retrace.recurrence/1", ...report }, () => renderRecurrence(report, config.colour));
    return EXIT.done;
  });
}

/** `retrace experience export`: JSON lines on stdout, to be read by `import` elsewhere. */
export function exportExperience(options: ExperienceOptions): Promise<number> {
  return withStore(async (store) => {
    for (const line of await store.exportLines(filterOf(options))) process.stdout.write(`${line}\n`);
    return EXIT.done;
  });
}

/** `retrace experience import FILE`: takes every line it can, and names those it cannot. */
export async function importExperience(file: string, options: ExperienceOptions): Promise<number> {
  const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(`${file} cannot be read (${error.code ?? error.message})`);
  });
  return withStore(async (store) => {
    const lines = await store.importLines(text, TENANT);
    const refused = lines.filter(({ ended }) => ended === "refused");
    const [first] = refused;
    if (lines.length === 0) throw new UsageError(`${file} is empty`);
    if (first !== undefined && refused.length === lines.length) {
      throw new UsageError(`nothing in ${file} can be taken over: line ${first.line}: ${first.why}`);
    }
    for (const { line, why } of refused) tell(`line ${line} was left out: ${why}`);
    const count = (ended: string): number => lines.filter((one) => one.ended === ended).length;
    print(options, { schema: "retrace.experience-import/1", lines }, () =>
      [
        `${plural(count("kept"), "line")} taken over`,
        `${count("unchanged")} known already`,
        `${count("forgotten")} forgotten here before`,
        `${count("refused")} left out`,
      ].join(", "),
    );
    return EXIT.done;
  });
}

/** `retrace experience forget ID`: and what was made from it alone. */
export function forgetExperience(id: string, options: ExperienceOptions): Promise<number> {
  return withStore(async (store) => {
    const { meta } = await findRecord(store, id);
    const forgotten = await store.forget(meta.id, composeWorld().now());
    const made = forgotten.filter((one) => one !== meta.id);
    print(options, { schema: "retrace.experience-forget/1", forgotten }, () =>
      [
        `Forgot ${meta.id}; it will not be learned again.`,
        ...(made.length === 0 ? [] : [`What was made from it alone went too: ${made.join(", ")}`]),
      ].join("\n"),
    );
    return EXIT.done;
  });
}

/** `retrace experience check`: exit 1 when something is wrong. */
export function checkExperience(options: ExperienceOptions): Promise<number> {
  return withStore(async (store) => {
    const report = await store.check();
    print(options, { schema: "retrace.experience-check/1", ...report }, () => renderReport(report));
    return report.findings.length === 0 ? EXIT.done : EXIT.notDone;
  });
}

/** `retrace experience rebuild`: the index anew from the lines, with the vectors of the configured embedder. */
export function rebuildExperience(options: ExperienceOptions): Promise<number> {
  return withStore(async (store) => {
    const report = await store.rebuild();
    await makeVectors(store);
    print(options, { schema: "retrace.experience-check/1", ...report }, () => `Rebuilt.\n${renderReport(report)}`);
    return EXIT.done;
  });
}

/** What is still missing after a failure is made when it is needed, or by the next rebuild. */
async function makeVectors(store: ExperienceStore): Promise<void> {
  try {
    await store.embedMissing();
  } catch (error) {
    if (!(error instanceof EmbedderFailed)) throw error;
    tell(`${error.message}; until it works memory is searched by words`);
  }
}

async function withStore(work: (store: ExperienceStore, config: Config) => Promise<number>): Promise<number> {
  const config = readConfig();
  const store = composeExperience(config);
  try {
    for (const finding of store.findings) tell(placeOf(finding));
    return await work(store, config);
  } finally {
    await store.close();
  }
}

function filterOf({ as, level }: ExperienceOptions): ExperienceFilter {
  if (as !== undefined && !/^[^\s/]+\/[^/]+$/.test(as)) throw new UsageError(`--as is "${as}": write OWNER/NAME`);
  return { ...(as === undefined ? {} : { repo: as }), ...(level === undefined ? {} : { level }) };
}

async function findRecord(store: ExperienceStore, id: string): Promise<ExperienceRecord> {
  const exact = await store.get(id);
  if (exact !== null) return exact;
  const alike = id === "" ? [] : (await store.list()).filter(({ meta }) => meta.id.startsWith(id));
  const [only, ...others] = alike;
  if (only === undefined) throw new UsageError(`there is no record ${id}: \`retrace experience list\` shows them`);
  if (others.length > 0) throw new UsageError(`${id} is the beginning of ${alike.length} ids: write more of it`);
  return only;
}

function renderReport({ files, lines, records, episodes, forgotten, findings }: CheckReport): string {
  return [
    `${plural(records, "record")} and ${plural(episodes, "episode")} in ${plural(lines, "line")} of ${plural(files, "file")}; ${forgotten} forgotten`,
    ...findings.map(placeOf),
    ...(findings.length === 0 ? ["Nothing is wrong."] : []),
  ].join("\n");
}

function placeOf({ file, line, what }: StoreFinding): string {
  return `${file}${line === null ? "" : `:${line}`}: ${what}`;
}

function print({ json }: ExperienceOptions, document: Record<string, unknown>, text: () => string): void {
  process.stdout.write(`${json === true ? JSON.stringify(document, null, 2) : text()}\n`);
}

function tell(line: string): void {
  process.stderr.write(`${line}\n`);
}

function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
