/** What one test showed while it ran with probes. */
export interface TestTrace {
  readonly testId: string;
  /** The last bytes of its log. */
  readonly tail: string;
  /** The first line of each probe. */
  readonly firstHits: string;
  readonly bytesSeen: number;
  /** The probes stopped writing because the log had become too long. */
  readonly guardHit: boolean;
}

/** Runtime evidence (papers §4.6): `empty` when no probe was reached. */
export interface Trace {
  readonly status: "collected" | "empty" | "instrumentation_failed" | "unsupported_language" | "switched_off";
  readonly tests: readonly TestTrace[];
}

export const TRACE_LIMIT_BYTES = 10 * 1024 * 1024; // TraceRepair's write guard
export const TAIL_BYTES = 2_000; // TraceRepair keeps the end of a trace
const PROMPT_BYTES = 8_000; // papers G35
const FIRST_HIT_BYTES = 400; // papers G35

/** A trace as a model reads it: each test's tail, with `tail+first` also the first line of each probe that the tail lost. */
export function sayTrace({ tests }: Trace, view: "tail" | "tail+first"): string {
  let left = PROMPT_BYTES;
  const said: string[] = [];
  for (const test of tests) {
    const head = `test: ${test.testId}\n`;
    const text = head + sayTest(test, view);
    if (left - Buffer.byteLength(text) < 0) break;
    left -= Buffer.byteLength(text);
    said.push(text);
  }
  // One test may fill the prompt alone: its end is what counts.
  const [first] = tests;
  if (said.length === 0 && first !== undefined) said.push(`test: ${first.testId}\n${first.tail}`);
  return said.join("\n");
}

function sayTest({ tail, firstHits, bytesSeen, guardHit }: TestTrace, view: "tail" | "tail+first"): string {
  const lost = bytesSeen > Buffer.byteLength(tail);
  const firsts = firstHits
    .split("\n")
    .filter((line) => line !== "" && !tail.split("\n").includes(line))
    .map((line) => line.slice(0, FIRST_HIT_BYTES));
  const parts = [
    ...(view === "tail+first" && lost && firsts.length > 0 ? ["first of each:", ...firsts] : []),
    ...(lost ? [`last of ${bytesSeen} bytes${guardHit ? ", after which nothing more was written" : ""}:`] : []),
    tail.trimEnd(),
  ];
  return `${parts.join("\n")}\n`;
}
