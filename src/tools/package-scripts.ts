import { PACKAGE_MANAGER_COMMANDS, programCall } from "./program-call.ts";
import { type ShellWord, shellWords } from "./shell-words.ts";
import { type InnerScript, intoFolder, takeAssignments } from "./split-script.ts";

/** The part of what is known about a repository that this file asks for. */
interface PackageFacts {
  packageScripts(folder: string): Readonly<Record<string, string>> | null;
}

type Manager = "npm" | "pnpm" | "yarn" | "bun";

/** A request to run one script of a package. */
interface ScriptCall {
  readonly folder: string;
  readonly name: string;
  /** Given to the script's last command, as written. */
  readonly args: readonly string[];
}

/** npm's short names; only these scripts may be called without `run`. */
const LIFECYCLE: Readonly<Record<string, string>> = {
  test: "test",
  t: "test",
  tst: "test",
  start: "start",
  stop: "stop",
  restart: "restart",
};
const RUN_WORDS = new Set(["run", "run-script", "rum", "urn"]);
const FOLDER_OPTIONS = new Set(["--prefix", "-C", "--dir", "--cwd"]);
const WORKSPACE_OPTIONS = new Set(["-w", "--workspace", "--filter", "-F"]);
/** Options of the managers that take a value which says nothing about the script. */
const OTHER_VALUED = new Set(["--loglevel", "--reporter", "--workspace-concurrency", "--script-shell", "--userconfig"]);
/** Every package of a repository at once: which these are the facts do not say. */
const MANY = new Set(["-r", "--recursive", "--workspaces", "-ws", "workspaces", "foreach"]);
/** Folders where repositories keep the packages of a workspace. */
const WORKSPACE_ROOTS = ["", "packages/", "apps/", "libs/", "modules/", "services/", "examples/"];

/** What a command that runs package scripts stands for, before and after scripts included; null when it is none. */
export function packageScriptCalls(command: string, cwd: string, facts: PackageFacts): readonly InnerScript[] | null {
  const parallel = scriptRunner(command, cwd, facts);
  if (parallel !== null) return parallel;
  const call = scriptCall(withoutPrefixes(command), cwd, facts);
  return call === null ? null : expand(call, facts);
}

/** Words in front of a package manager that change nothing about the script: `sudo`, `CI=1`, `cross-env A=b`. */
function withoutPrefixes(command: string): readonly ShellWord[] {
  const words = takeAssignments(shellWords(command)).rest;
  const start = words.findIndex((word) => ["npm", "pnpm", "yarn", "bun", "node"].includes(word.value));
  const prefix = words.slice(0, Math.max(0, start)).map((word) => word.value);
  const harmless = prefix.every((word) =>
    /^(?:sudo|npx|env|cross-env|command|time|exec|corepack|xvfb-run|-a|-E|\w+=.*)$/.test(word),
  );
  return start > 0 && harmless ? words.slice(start) : words;
}

function scriptCall(words: readonly ShellWord[], cwd: string, facts: PackageFacts): ScriptCall | null {
  const manager = words[0]?.value;
  if (manager === "node") return nodeRun(words, cwd, facts);
  if (manager !== "npm" && manager !== "pnpm" && manager !== "yarn" && manager !== "bun") return null;
  const place = { folder: cwd, workspace: null as string | null };
  const rest = takeOptions(words.slice(1), place, cwd);
  if (rest === null) return null;
  let [name, ...after] = rest;
  if (manager === "yarn" && name?.value === "workspace") {
    place.workspace = after[0]?.value ?? null;
    [name, ...after] = after.slice(1);
  }
  const runs = name !== undefined && RUN_WORDS.has(name.value);
  if (runs) {
    const inner = takeOptions(after, place, cwd);
    if (inner === null) return null;
    [name, ...after] = inner;
  }
  if (name === undefined) return null;
  const script = runs ? name.value : shorthand(manager, name.value);
  if (script === null) return null;
  const args = manager === "npm" ? npmArgs(after, place, cwd) : after.map((word) => word.raw);
  if (args === null) return null;
  // npm takes its options after the name too: they may have moved the place.
  const moved = packageFolder(place, facts);
  if (moved === null || facts.packageScripts(moved)?.[script] === undefined) return null;
  return { folder: moved, name: script, args: args[0] === "--" ? args.slice(1) : args };
}

function nodeRun(words: readonly ShellWord[], cwd: string, facts: PackageFacts): ScriptCall | null {
  const folder = packageFolder({ folder: cwd, workspace: null }, facts);
  const name = words[1]?.value === "--run" ? words[2]?.value : undefined;
  if (folder === null || name === undefined || facts.packageScripts(folder)?.[name] === undefined) return null;
  const args = words.slice(3).map((word) => word.raw);
  return { folder, name, args: args[0] === "--" ? args.slice(1) : args };
}

/** Which script a name called without `run` is, by each manager's rules. */
function shorthand(manager: Manager, name: string): string | null {
  // `bun test` and `bun build` are bun's own, never the scripts.
  if (manager === "bun") return name === "build" || PACKAGE_MANAGER_COMMANDS.has(name) ? null : name;
  const lifecycle = LIFECYCLE[name];
  if (lifecycle !== undefined) return lifecycle;
  return manager === "npm" || PACKAGE_MANAGER_COMMANDS.has(name) ? null : name;
}

/** The words after leading options; folder and workspace options move `place`. Null when many packages are meant. */
function takeOptions(
  words: readonly ShellWord[],
  place: { folder: string; workspace: string | null },
  cwd: string,
): readonly ShellWord[] | null {
  let at = 0;
  for (; words[at]?.value.startsWith("-") === true; at++) {
    const [option = "", inline] = splitOption(words[at]?.value ?? "");
    if (option === "--") return words.slice(at);
    if (MANY.has(option)) return null;
    const value = (): string | null => inline ?? words[++at]?.value ?? null;
    if (FOLDER_OPTIONS.has(option)) place.folder = intoFolder(cwd, value());
    // For pnpm `-w` means the root and takes no value; the name after it is then the script.
    else if (option === "-w" && inline === undefined && !looksLikePackage(words, at)) place.workspace = null;
    else if (WORKSPACE_OPTIONS.has(option)) place.workspace = value();
    else if (OTHER_VALUED.has(option)) value();
  }
  return MANY.has(words[at]?.value ?? "") ? null : words.slice(at);
}

function looksLikePackage(words: readonly ShellWord[], at: number): boolean {
  return words.length > at + 2 || /[/@]/.test(words[at + 1]?.value ?? "");
}

function splitOption(word: string): readonly [string, string | undefined] {
  const equals = word.indexOf("=");
  return equals === -1 ? [word, undefined] : [word.slice(0, equals), word.slice(equals + 1)];
}

/** npm takes options anywhere; only what follows `--`, and plain words, reach the script. */
function npmArgs(
  words: readonly ShellWord[],
  place: { folder: string; workspace: string | null },
  cwd: string,
): readonly string[] | null {
  const args: string[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at];
    if (word === undefined) break;
    if (word.value === "--") return [...args, ...words.slice(at + 1).map((each) => each.raw)];
    if (MANY.has(word.value)) return null;
    if (!word.value.startsWith("-")) args.push(word.raw);
    else if (FOLDER_OPTIONS.has(word.value) || WORKSPACE_OPTIONS.has(word.value)) {
      takeOptions(words.slice(at, at + 2), place, cwd);
      if (WORKSPACE_OPTIONS.has(word.value)) place.workspace = words[at + 1]?.value ?? null;
      at++;
    } else takeOptions([word], place, cwd);
  }
  return args;
}

/** The nearest folder with a package, or the one of the workspace that was named; null when there is none. */
function packageFolder(
  place: { readonly folder: string; readonly workspace: string | null },
  facts: PackageFacts,
): string | null {
  if (place.workspace !== null) {
    const name = place.workspace.replace(/^\.\//, "").replace(/\/$/, "");
    const names = [name, name.replace(/^@[^/]+\//, "")];
    const candidates = names.flatMap((each) =>
      WORKSPACE_ROOTS.map((root) => intoFolder(place.folder, `${root}${each}`)),
    );
    return candidates.find((folder) => facts.packageScripts(folder) !== null) ?? null;
  }
  const parts = place.folder === "" ? [] : place.folder.split("/");
  for (let length = parts.length; length >= 0; length--) {
    const folder = parts.slice(0, length).join("/");
    if (facts.packageScripts(folder) !== null) return folder;
  }
  return null;
}

function expand({ folder, name, args }: ScriptCall, facts: PackageFacts): readonly InnerScript[] {
  const scripts = facts.packageScripts(folder) ?? {};
  const own = scripts[name] ?? "";
  return [
    { script: scripts[`pre${name}`] ?? "", cwd: folder },
    { script: args.length === 0 ? own : `${own} ${args.join(" ")}`, cwd: folder },
    { script: scripts[`post${name}`] ?? "", cwd: folder },
  ].filter(({ script }) => script !== "");
}

/** `run-s`, `run-p`, `npm-run-all` and `concurrently`: programs that start several scripts. */
function scriptRunner(command: string, cwd: string, facts: PackageFacts): readonly InnerScript[] | null {
  const call = programCall(command);
  if (call === null) return null;
  const values = call.args.map((word) => word.value);
  if (["run-s", "run-p", "npm-run-all", "npm-run-all2"].includes(call.program)) {
    return namedScripts(plainWords(values, RUN_ALL_VALUED), cwd, facts);
  }
  if (call.program !== "concurrently") return null;
  return plainWords(values, CONCURRENTLY_VALUED).flatMap((word) => {
    const named = /^(?:npm|pnpm|yarn|bun|node):(\S+)(.*)$/.exec(word);
    if (named === null) return [{ script: word, cwd }];
    return namedScripts([`${named[1] ?? ""}${named[2] ?? ""}`], cwd, facts) ?? [{ script: word, cwd }];
  });
}

const RUN_ALL_VALUED = new Set(["--max-parallel", "--npm-path"]);
const CONCURRENTLY_VALUED = new Set(
  "-n --names -c --prefix-colors -p --prefix -s --success -m --max-processes -l --prefix-length -t --timestamp-format --restart-tries --restart-after --kill-signal --name-separator --default-input-target --teardown".split(
    " ",
  ),
);

function plainWords(values: readonly string[], valued: ReadonlySet<string>): readonly string[] {
  return values.filter((value, at) => !value.startsWith("-") && !valued.has(values[at - 1] ?? ""));
}

/** Scripts by name or pattern (`lint:*` takes one more part, `lint:**` any); null when one is not there. */
function namedScripts(patterns: readonly string[], cwd: string, facts: PackageFacts): readonly InnerScript[] | null {
  const folder = packageFolder({ folder: cwd, workspace: null }, facts);
  if (folder === null) return null;
  const known = Object.keys(facts.packageScripts(folder) ?? {});
  const found: InnerScript[] = [];
  for (const pattern of patterns) {
    const [name = "", ...args] = pattern.split(/\s+/);
    const matcher = scriptPattern(name);
    const names = known.filter((script) => matcher.test(script));
    if (names.length === 0) return null;
    found.push(
      ...names.flatMap((script) => expand({ folder, name: script, args: args.filter((arg) => arg !== "--") }, facts)),
    );
  }
  return found;
}

function scriptPattern(pattern: string): RegExp {
  const escaped = pattern
    .split(/(\*\*?)/)
    .map((part) => (part === "**" ? ".*" : part === "*" ? "[^:]*" : part.replace(/[.+?^${}()|[\]\\]/g, "\\$&")))
    .join("");
  return new RegExp(`^${escaped}$`);
}
