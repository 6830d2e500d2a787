/** One command of a script, as a shell would start it, with the folder it would start in. */
export interface SimpleCommand {
  /** Without assignments in front, redirections kept out; e.g. `prettier --check .`. */
  readonly text: string;
  /** Relative to the repository; "" is its root. */
  readonly cwd: string;
  /** Assignments in front of the command. */
  readonly env: Readonly<Record<string, string>>;
  /** The commands that led here, outermost first: [`npm run lint`]. */
  readonly via: readonly string[];
}

/** What a repository's files say about its own command names; every answer null when nothing is known. */
export interface CommandFacts {
  /** `scripts` of the package.json in a folder ("" is the root). */
  packageScripts(folder: string): Readonly<Record<string, string>> | null;
  /** The recipe lines of a make target in a folder's Makefile. */
  makeTarget(folder: string, target: string): readonly string[] | null;
}

export const NO_FACTS: CommandFacts = { packageScripts: () => null, makeTarget: () => null };
