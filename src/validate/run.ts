import type { Check, CheckRun } from "../domain/check.ts";
import type { Failure } from "../domain/evidence.ts";
import { type SandboxResult, type SandboxRoom, SandboxUnavailable } from "../ports/sandbox.ts";

/** The failures in what a check printed; the evidence stage's own reader, so that their signatures compare with CI's. */
export type ReadFailures = (
  check: Check,
  said: { readonly output: string; readonly exitCode: number | null },
) => readonly Failure[];

/**
 * How long a check may take. Whole test suites of the repositories we looked at need minutes; past five, a repair with
 * several tries no longer ends while somebody waits for it. CI has the last word in any case.
 */
export const CHECK_TIMEOUT_MS = 300_000;
/** Installing compiles native parts now and then; it is done once. */
export const SETUP_TIMEOUT_MS = 900_000;

/** Runs a check on the tree as it is and reads its output. Never throws for what the check does. */
export async function runCheck(
  room: SandboxRoom,
  check: Check,
  readFailures: ReadFailures,
  signal?: AbortSignal,
): Promise<CheckRun> {
  const { notRun, ...ran } = await launch(room, check, timeLimitMs(check), signal);
  const failed = ran.exitCode !== 0;
  const failures = failed && ran.output !== "" ? readFailures(check, ran) : [];
  const signatures = [...new Set(failures.map(({ signature }) => signature))].sort();
  return { check: { ...check, notRun }, ...ran, signatures, failures };
}

/** `build` is the step that failed, so that the check would have judged what an older tree left behind. */
export type PreparedRun =
  | { readonly ended: "ran"; readonly run: CheckRun }
  | { readonly ended: "not-prepared"; readonly build: CheckRun };

/** Runs the steps whose results a check uses (`ValidationPlan.prepare`), then the check. */
export async function runPrepared(
  room: SandboxRoom,
  prepare: readonly Check[],
  check: Check,
  readFailures: ReadFailures,
  signal?: AbortSignal,
): Promise<PreparedRun> {
  for (const step of prepare) {
    const build = await runCheck(room, step, readFailures, signal);
    if (build.exitCode !== 0) return { ended: "not-prepared", build };
  }
  return { ended: "ran", run: await runCheck(room, check, readFailures, signal) };
}

/** How long a check may take. */
export function timeLimitMs({ installs }: Check): number {
  return installs ? SETUP_TIMEOUT_MS : CHECK_TIMEOUT_MS;
}

export interface Launched extends Pick<CheckRun, "exitCode" | "timedOut" | "output" | "ms"> {
  /** Why what it said is about this place and not about the code; null when it may be taken at its word. */
  readonly notRun: string | null;
}

/** Starts a check's command in the room. A room that cannot start it is a result too. */
export async function launch(
  room: SandboxRoom,
  check: Check,
  timeoutMs: number,
  signal?: AbortSignal,
): Promise<Launched> {
  const nothing = { exitCode: null, timedOut: false, output: "", ms: 0 };
  if (check.notRun !== null) return { ...nothing, notRun: check.notRun };
  try {
    const result = await room.run({
      script: check.command,
      shell: check.shell,
      cwd: check.cwd,
      env: check.env,
      network: check.installs ? "setup" : "off",
      timeoutMs,
      ...(signal === undefined ? {} : { signal }),
    });
    const { exitCode, timedOut, output, ms } = result;
    return { exitCode, timedOut, output, ms, notRun: noiseIn(result, check.installs) };
  } catch (error) {
    if (!(error instanceof SandboxUnavailable)) throw error;
    return { ...nothing, notRun: error.message };
  }
}

interface Noise {
  readonly exitCodes: readonly number[] | null;
  readonly output: RegExp;
  /** Only without network. */
  readonly offline: boolean;
  readonly says: (match: RegExpExecArray) => string;
}

/** What a place that lacks something says, as opposed to code that is wrong. */
const NOISE: readonly Noise[] = [
  {
    exitCodes: [126, 127],
    output:
      /(?:^|: )(?:line \d+: |\d+: )?([^\s:]+): (?:command not found|not found|No such file or directory|Permission denied|Is a directory)\s*$/m,
    offline: false,
    says: ([, program]) => `${program} is not installed here`,
  },
  {
    exitCodes: null,
    output: /^(?:pyenv|rbenv|nodenv|goenv): ([^\s:]+): command not found|^rustup: .*?'([^']+)' is not installed/m,
    offline: false,
    says: ([, shim, component]) => `${shim ?? component} is not installed here`,
  },
  {
    exitCodes: [137],
    output: /(?:)/,
    offline: false,
    says: () => "it was killed (exit code 137), most likely by the room's limit of memory",
  },
  {
    exitCodes: null,
    output:
      /\b(?:EAI_AGAIN|ENETUNREACH)\b|Temporary failure in name resolution|Network is unreachable|Could not resolve host/,
    offline: true,
    says: ([word]) => `it wants the network, which is off for checks (${word})`,
  },
];

function noiseIn({ exitCode, timedOut, output }: SandboxResult, online: boolean): string | null {
  if (exitCode === 0 || timedOut) return null;
  if (exitCode === null) return lastLineOf(output, /^\[stopped: (.*)\]$/m) ?? "it was ended by a signal";
  for (const { exitCodes, output: pattern, offline, says } of NOISE) {
    if ((exitCodes !== null && !exitCodes.includes(exitCode)) || (offline && online)) continue;
    const match = pattern.exec(output);
    if (match !== null) return says(match);
  }
  return null;
}

function lastLineOf(output: string, pattern: RegExp): string | null {
  return pattern.exec(output)?.[1] ?? null;
}
