/** What the group at the beginning of a step tells: `##[group]Run …` up to `##[endgroup]`. */
export interface StepHeader {
  readonly command: string | null;
  readonly uses: string | null;
  readonly shell: string | null;
  readonly env: Readonly<Record<string, string>>;
  readonly with: Readonly<Record<string, string>>;
}

const USES = /^(?:docker:\/\/\S+|\.{1,2}\/\S*|[\w.-]+\/[\w./-]+@\S+)$/;
// Self-hosted runners wrap each step in a container hook, run by the runner's own Node.
const HOOK = /^shell: \S*[\\/]externals[\\/]node\d*[\\/]/;
const SECTION = /^(with|env):$/;
const ENTRY = /^ {2}([\w.-]+): ?(.*)$/;

/**
 * Reads the lines between `##[group]Run <title>` and `##[endgroup]`. Null when it is a group that the step's own program
 * opened under such a name: only the runner prints `shell:` under a command and a reference behind `Run` for an action.
 */
export function readStepHeader(title: string, body: readonly string[], complete: boolean): StepHeader | null {
  const shellAt = body.findIndex((line) => line.startsWith("shell: "));
  if (HOOK.test(body[shellAt] ?? "")) return null;
  // A script may be called like a local action (`./run-tests`), but an action has no shell.
  const uses = shellAt === -1 && USES.test(title) ? title : null;
  if (uses === null && shellAt === -1 && complete) return null;
  const sections = readSections(uses === null ? body.slice(shellAt + 1) : body);
  if (uses !== null) return { command: null, uses, shell: null, ...sections };
  const script = (shellAt === -1 ? body : body.slice(0, shellAt)).join("\n");
  const shell = shellAt === -1 ? null : (body[shellAt] ?? "").slice("shell: ".length);
  return { command: script === "" ? title : script, uses: null, shell: shell && readShell(shell), ...sections };
}

// The program may lie under `C:\\Program Files`: its path ends at `.exe`, elsewhere at the first space.
const PROGRAM = /^(.*?\.exe(?= |$)|\S+)(.*)$/i;

/** `/usr/bin/bash -e {0}` → `bash -e {0}`: the name as a workflow writes it, without the runner's path. */
function readShell(shell: string): string {
  const [, program = "", rest = ""] = PROGRAM.exec(shell) ?? [];
  const name = program.slice(Math.max(program.lastIndexOf("/"), program.lastIndexOf("\\")) + 1);
  return name.replace(/\.exe$/i, "").toLowerCase() + rest;
}

function readSections(lines: readonly string[]): Pick<StepHeader, "env" | "with"> {
  const found: { with: Record<string, string>; env: Record<string, string> } = { with: {}, env: {} };
  let section: Record<string, string> | null = null;
  let key: string | null = null;
  for (const line of lines) {
    const name = SECTION.exec(line)?.[1];
    if (name === "with" || name === "env") {
      section = found[name];
      key = null;
      continue;
    }
    const entry = ENTRY.exec(line);
    if (section !== null && entry) {
      key = entry[1] ?? "";
      Object.defineProperty(section, key, {
        value: entry[2] ?? "",
        enumerable: true,
        writable: true,
        configurable: true,
      });
    } else if (section !== null && key !== null) {
      // Values of several lines go on without indentation.
      section[key] += `\n${line}`;
    }
  }
  return found;
}
