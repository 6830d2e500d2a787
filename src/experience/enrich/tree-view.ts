import type { StalenessFact } from "../upkeep/staleness.ts";

/** The tree under repair as far as memory is held against it. */
export interface TreeView {
  readonly paths: ReadonlySet<string>;
  /** A file's text; null when it is not there, or not text. */
  read(path: string): Promise<string | null>;
  /** Commands of the workflow's steps. */
  readonly commands: readonly string[];
  /** Tools that the run's steps ran. */
  readonly tools: ReadonlySet<string>;
}

/** Files that say which package manager a repository uses. */
const MANAGERS: readonly (readonly [string, RegExp])[] = [
  ["npm", /(?:^|\/)(?:package-lock|npm-shrinkwrap)\.json$/],
  ["pnpm", /(?:^|\/)pnpm-lock\.yaml$/],
  ["yarn", /(?:^|\/)yarn\.lock$/],
  ["bun", /(?:^|\/)bun\.lockb?$/],
  ["poetry", /(?:^|\/)poetry\.lock$/],
  ["uv", /(?:^|\/)uv\.lock$/],
  ["pipenv", /(?:^|\/)Pipfile\.lock$/],
  ["cargo", /(?:^|\/)Cargo\.lock$/],
  ["bundle", /(?:^|\/)Gemfile\.lock$/],
  ["composer", /(?:^|\/)composer\.lock$/],
];

/** Package managers of the tree; empty where no lock file says so. */
export function packageManagers({ paths }: TreeView): ReadonlySet<string> {
  return new Set(MANAGERS.filter(([, file]) => [...paths].some((path) => file.test(path))).map(([name]) => name));
}

/** The package manager that a command runs, or null. */
export function managerOf(command: string): string | null {
  return MANAGERS.find(([name]) => new RegExp(`(?:^|[\\s&;|])${name}(?:\\s|$)`, "m").test(command))?.[0] ?? null;
}

/** Whether a path is there, also under another folder when its name is unique. */
export function pathFact(path: string, { paths }: TreeView): StalenessFact {
  if (paths.has(path)) return { what: `${path} exists`, holds: true };
  const name = path.split("/").at(-1) ?? path;
  const moved = [...paths].filter((one) => one === name || one.endsWith(`/${name}`));
  if (moved.length === 1) return { what: `${path} is now ${moved[0]}`, holds: true };
  return { what: `${path} exists`, holds: false };
}
