import { type ProgramCall, programCall } from "./program-call.ts";

// Node's own options that take the next word.
const NODE_VALUED = new Set(["-r", "--require", "--import", "--loader", "--experimental-loader", "-C", "--conditions"]);
// They run another program and only watch it.
const WATCHERS = new Set(["c8", "nyc"]);

/**
 * The program that a simple command runs in the end: also a package's script given to node (`node
 * node_modules/jest/bin/jest.js` runs `jest`), and what coverage tools watch. Null for an empty command.
 */
export function programOf(command: string): ProgramCall | null {
  const call = programCall(command);
  if (call === null) return null;
  if (call.program === "node") return scriptOfNode(call) ?? call;
  if (WATCHERS.has(call.program))
    return (
      rest(
        call,
        call.args.findIndex(({ value }) => !value.startsWith("-")),
      ) ?? call
    );
  if (call.program !== "coverage" || call.args[0]?.value !== "run") return call;
  return rest(call, call.args.findIndex(({ value }) => value === "-m") + 1) ?? call;
}

/** Whether a simple command runs one of these programs. */
export function runs(command: string, programs: readonly string[]): boolean {
  const call = programOf(command);
  return call !== null && programs.includes(call.program);
}

function scriptOfNode(call: ProgramCall): ProgramCall | null {
  for (let i = 0; i < call.args.length; i++) {
    const value = call.args[i]?.value ?? "";
    if (/^(?:--test|-e|-p|--eval|--print|--check|-c)$/.test(value)) return null;
    if (NODE_VALUED.has(value)) i++;
    else if (!value.startsWith("-")) return /(?:^|[\\/])node_modules[\\/]/.test(value) ? rest(call, i) : null;
  }
  return null;
}

/** The same call with the program standing at one of its arguments; null when there is none. */
function rest(call: ProgramCall, at: number): ProgramCall | null {
  const word = call.args[at];
  if (at < 0 || word === undefined) return null;
  const inner = programCall(
    call.args
      .slice(at)
      .map(({ raw }) => raw)
      .join(" "),
  );
  if (inner === null) return null;
  return {
    ...inner,
    runner: [...call.runner, call.written, ...call.args.slice(0, at).map(({ raw }) => raw), ...inner.runner],
    program: inner.program.replace(/\.[cm]?js$/, ""),
  };
}
