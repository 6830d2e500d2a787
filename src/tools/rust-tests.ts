import type { LogLine } from "../domain/ci-run.ts";
import { PANIC } from "./rust-panic.ts";

/** A failing Rust test with what was printed for it. */
export interface FailedRustTest {
  /** `tests::adds`; nextest puts the binary in front: `shop::it tests::adds`. */
  readonly id: string;
  /** The lines that say it failed, and the title over its output. */
  readonly heads: readonly LogLine[];
  readonly body: readonly LogLine[];
}

const RUNNING = /^\s+(?:Running (?:unittests )?\S+|Doc-tests \S+)|^running \d+ tests?$/;
const VERDICT = /^\s*test (.+?)(?: - should panic)? \.\.\. FAILED$/;
const LIBTEST = /^---- (.+?) std(?:out|err) ----$/;
const LIBTEST_OVER = /^(?:failures:|test result: .*)$/;
const LISTED = /^ {4}(\S.*)$/;
const STATUS =
  /^\s+(?:TRY \d+ )?(FAIL|TIMEOUT|ABORT|SIG[A-Z]+|LEAK-FAIL|XFAIL) \[ *>? *[\d.]+s\] +(?:\( *\d+\/\d+\) +)?(\S+) +(\S.*)$/;
const OTHER_STATUS =
  /^\s+(?:TRY \d+ )?(?:PASS|SLOW|LEAK|START|RETRY|SKIP|FLAKY|Summary|Canceling|Cancelling|Starting|Nextest|DELAY|TERMINATING) \[?/;
const NEXTEST = /^[-─]{3,4} STD(?:OUT|ERR): +(\S+) +(\S.*?)(?: -+)?$/;
const NEXTEST_INNER = /^\s+std(?:out|err) ─+$/;
const ECHO = /^error: (?:test run failed|(?:doc)?test failed, to rerun pass)/;

// A test that prints without end: its panic comes at the end of what it printed, yet not behind a book of it.
const MAX_BODY = 2_000;
const MAX_INLINE = 60;

interface Entry {
  readonly id: string;
  /** Without the binary, as libtest says it. */
  readonly name: string;
  verdict: LogLine | null;
  status: LogLine | null;
  title: LogLine | null;
  body: LogLine[];
}

/** Collects what libtest and nextest print of failing tests, line by line. A test said twice is kept as said last. */
export class RustTests {
  private readonly entries = new Map<string, Entry>();
  private readonly inline = new Map<string, LogLine[]>();
  private readonly echoes: LogLine[] = [];
  private open: Entry | null = null;
  private printed: LogLine[] | null = null;
  private listing = false;
  /** Test programs may hold tests of one name: counts the program that runs. */
  private run = 0;
  private fromNextest = false;

  take(line: LogLine): void {
    const { text } = line;
    if (this.takeNextest(line)) return;
    if (ECHO.test(text)) this.echoes.push(line);
    if (this.fromNextest && this.open !== null) {
      const verdict = VERDICT.exec(text);
      if (verdict !== null) this.open.verdict = line;
      else this.keep(line, this.open);
      return;
    }
    if (RUNNING.test(text)) this.run++;
    const title = LIBTEST.exec(text)?.[1];
    if (title !== undefined) {
      this.open = this.entry(title.replace(/ - should panic$/, ""), title.replace(/ - should panic$/, ""));
      this.open.title = line;
      this.listing = false;
      return;
    }
    if (LIBTEST_OVER.test(text)) {
      this.open = null;
      this.printed = null;
      this.listing = text === "failures:";
      return;
    }
    const verdict = VERDICT.exec(text)?.[1];
    if (verdict !== undefined) this.entry(verdict, verdict).verdict = line;
    else if (this.open !== null) this.keep(line, this.open);
    else this.takeLoose(line);
  }

  failed(): readonly FailedRustTest[] {
    return [...this.entries.values()].map(({ id, name, verdict, status, title, body }) => ({
      id,
      heads: [status, verdict, title].flatMap((line) => line ?? []),
      body: body.some(({ text }) => text.trim() !== "") ? body : (this.inline.get(name) ?? []),
    }));
  }

  /** Where cargo or nextest says that tests failed. */
  echo(): LogLine | null {
    return this.echoes[0] ?? null;
  }

  private takeNextest(line: LogLine): boolean {
    const status = STATUS.exec(line.text);
    if (status !== null) {
      const id = `${status[2] ?? ""} ${status[3] ?? ""}`;
      this.fromNextest = true;
      // The final report says everything again.
      this.entries.delete(`nextest ${id}`);
      this.open = this.entry(id, status[3] ?? "");
      this.open.status = line;
      return true;
    }
    if (!this.fromNextest) return false;
    if (OTHER_STATUS.test(line.text) || ECHO.test(line.text)) {
      this.open = null;
      return false;
    }
    const section = NEXTEST.exec(line.text);
    if (section !== null) {
      const known = this.entries.get(`nextest ${section[1] ?? ""} ${section[2] ?? ""}`);
      // Output of tests that passed may be shown too.
      this.open = known ?? null;
      return true;
    }
    return NEXTEST_INNER.test(line.text);
  }

  /** Outside of any test's output: the list of names, or, uncaptured, what tests print while they run. */
  private takeLoose(line: LogLine): void {
    const listed = this.listing ? LISTED.exec(line.text)?.[1] : undefined;
    if (listed !== undefined) {
      const entry = this.entry(listed, listed);
      if (entry.verdict === null && entry.title === null) entry.verdict = line;
      return;
    }
    const thread = PANIC.exec(line.text)?.[1];
    if (thread !== undefined) {
      this.printed = [];
      this.inline.set(thread, this.printed);
    }
    if (this.printed !== null && this.printed.length < MAX_INLINE) this.printed.push(line);
  }

  private keep(line: LogLine, entry: Entry): void {
    if (entry.body.length < MAX_BODY) entry.body.push(line);
  }

  private entry(id: string, name: string): Entry {
    const key = this.fromNextest ? `nextest ${id}` : `${this.run} ${id}`;
    const known = this.entries.get(key);
    if (known !== undefined) return known;
    const fresh: Entry = { id, name, verdict: null, status: null, title: null, body: [] };
    this.entries.set(key, fresh);
    return fresh;
  }
}
