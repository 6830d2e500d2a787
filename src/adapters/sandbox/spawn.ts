import { execFile, spawn } from "node:child_process";
import { closeSync, constants, openSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { Socket } from "node:net";
import path from "node:path";
import type { Duplex } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { type Kept, KeptOutput } from "./kept-output.ts";

const execute = promisify(execFile);

export interface Launch {
  /** Absolute path of the program, and its arguments. */
  readonly argv: readonly [string, ...string[]];
  /** The whole environment of the program: nothing is inherited. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly timeoutMs: number;
  /** Any of them ends it. */
  readonly signals: readonly (AbortSignal | undefined)[];
  /** A folder of ours, out of reach of the program, where the pipe for its output is made. */
  readonly folder: string;
  /** Called once it runs, with its file descriptor 3 as a two-way stream; a rejection ends the program and is passed on. */
  readonly onStart?: (pid: number, control: Duplex) => Promise<void>;
  /** Resolves with a sentence when the program must be stopped; `control` is what was said on descriptor 3 so far; aborted by `stop` when it ended. Never rejects. */
  readonly watch?: (control: () => string, stop: AbortSignal) => Promise<string | null>;
  /** Awaited after the program and its group are gone, before the result is given back. */
  readonly onEnd?: (control: string) => Promise<void>;
}

export interface Ended extends Kept {
  /** Null when a signal ended it. */
  readonly exitCode: number | null;
  readonly timedOut: boolean;
  /** What was said on file descriptor 3 after `onStart`. */
  readonly control: string;
}

// Whoever still holds the pipe when the program and its group are gone is out of our reach (it left the group, which
// only happens without a sandbox). What it says later is not the command's output.
const PATIENCE_AFTER_EXIT_MS = 1_000;

/**
 * Runs a program in a process group of its own and collects what it says on standard output and error, in the order it
 * was said. Ends the whole group when the program ends, on time-out and on abort. Rejects only when it cannot be started
 * or when `onStart` rejects.
 */
export async function runProcess(launch: Launch): Promise<Ended> {
  const signal = AbortSignal.any(launch.signals.filter((each) => each !== undefined));
  signal.throwIfAborted();
  const pipe = await openPipe(launch.folder);
  const [file, ...args] = launch.argv;
  const child = spawn(file, args, {
    env: { ...launch.env },
    cwd: launch.cwd,
    detached: true,
    stdio: ["ignore", pipe.write, pipe.write, "pipe"],
  });
  const exited = new Promise<{ code: number | null; error?: Error }>((resolve) => {
    child.once("error", (error) => resolve({ code: null, error }));
    child.once("exit", (code) => resolve({ code }));
  });
  // Its end is our sign that all writers are gone, so our own copy must go first.
  closeSync(pipe.write);
  const kept = new KeptOutput();
  const drained = drain(pipe.read, kept);
  const group = child.pid;
  if (group === undefined) {
    pipe.read.destroy();
    throw (await exited).error ?? new Error(`${file} could not be started`);
  }

  let timedOut = false;
  let stopped: string | null = null;
  const kill = (): void => killGroup(group);
  const timer = setTimeout(() => {
    timedOut = true;
    kill();
  }, launch.timeoutMs);
  signal.addEventListener("abort", kill);
  const control = child.stdio[3] as Duplex;
  control.on("error", () => undefined);
  const said = textOf(control);
  const over = new AbortController();
  const watched = launch.watch?.(said, over.signal).then((reason) => {
    stopped = reason;
    if (reason !== null) kill();
  });
  try {
    await startOrFail(launch, group, control, exited);
    const { code } = await exited;
    await lastWords(drained, kill);
    over.abort();
    await watched;
    await launch.onEnd?.(said());
    const { text, omittedBytes } = kept.read();
    const output = stopped === null ? text : `${text}\n[stopped: ${stopped}]\n`;
    const ours = timedOut || stopped !== null || signal.aborted;
    return { exitCode: ours ? null : code, timedOut, text: output, omittedBytes, control: said() };
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", kill);
    over.abort();
    kill();
    control.destroy();
    pipe.read.destroy();
  }
}

/** Sends SIGKILL to every process of a group; a group that is gone is fine. */
export function killGroup(group: number): void {
  try {
    process.kill(-group, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

async function startOrFail(launch: Launch, pid: number, control: Duplex, exited: Promise<unknown>): Promise<void> {
  if (launch.onStart === undefined) return;
  await Promise.race([launch.onStart(pid, control), exited]);
}

// A few lines are expected; whoever floods us gains nothing.
const MOST_CONTROL_CHARACTERS = 65_536;

function textOf(stream: Duplex): () => string {
  let text = "";
  stream.on("data", (chunk: Buffer) => {
    if (text.length < MOST_CONTROL_CHARACTERS) text += chunk.toString("utf8");
  });
  return () => text;
}

interface Pipe {
  readonly read: Socket;
  /** The file descriptor to hand to the program. */
  readonly write: number;
}

/**
 * A real pipe. Node would give the program a socket, which it cannot open by the name /dev/stderr, and two of them, which
 * would lose the order of what is said.
 */
async function openPipe(folder: string): Promise<Pipe> {
  const home = await mkdtemp(path.join(folder, "pipe-"));
  try {
    const name = path.join(home, "output");
    await execute("/usr/bin/mkfifo", ["-m", "600", name], { env: {} });
    // The reader does not wait for a writer, and the writer finds the reader there: neither call blocks.
    const read = openSync(name, constants.O_RDONLY | constants.O_NONBLOCK);
    const write = openSync(name, constants.O_WRONLY);
    return { read: new Socket({ fd: read, readable: true, writable: false }), write };
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}

function drain(read: Socket, kept: KeptOutput): Promise<void> {
  read.on("data", (chunk: Buffer) => kept.add(chunk));
  return new Promise((resolve) => {
    read.once("close", () => resolve());
    read.once("error", () => resolve());
  });
}

/** The program is gone: what is left of its group is ended, then its last words are awaited. */
async function lastWords(drained: Promise<void>, kill: () => void): Promise<void> {
  kill();
  const patience = new AbortController();
  const enough = sleep(PATIENCE_AFTER_EXIT_MS, undefined, { signal: patience.signal }).catch(() => undefined);
  await Promise.race([drained, enough]);
  patience.abort();
}
