/** What a repository allows (design §7). Values here are the defaults of `.github/retrace.yml`. */
export interface Policy {
  readonly enabled: boolean;
  readonly mode: "pull-request" | "push" | "suggestion" | "comment";
  readonly workflows: readonly string[];
  readonly branches: readonly string[];
  readonly authors: { readonly allow: readonly string[]; readonly deny: readonly string[] };
  readonly limits: Limits;
  readonly protectedPaths: readonly string[];
  readonly rerunFlaky: boolean;
  readonly validate: { readonly setup: readonly string[]; readonly commands: readonly string[] };
  readonly commit: { readonly prefix: string; readonly signOff: boolean };
  readonly labels: readonly string[];
  readonly skipLabel: string;
  readonly welcome: boolean;
  readonly experience: { readonly learn: boolean; readonly share: boolean; readonly autoOff: boolean };
  readonly engines: { readonly order: "auto" | readonly string[] };
}

export interface Limits {
  readonly usdPerRepair: number;
  readonly usdPerDay: number;
  readonly tokensPerRepair: number;
  readonly ciMinutesPerDay: number;
  readonly repairsPerDay: number;
  readonly openPullRequests: number;
  readonly attemptsPerFailure: number;
  /** Files and lines a patch may touch; they do not bind autofix. */
  readonly files: number;
  readonly lines: number;
}

export const DEFAULT_POLICY: Policy = {
  enabled: true,
  mode: "pull-request",
  workflows: ["*"],
  branches: ["*"],
  authors: { allow: ["*"], deny: [] },
  limits: {
    usdPerRepair: 3,
    usdPerDay: 30,
    tokensPerRepair: 2_000_000,
    ciMinutesPerDay: 120,
    repairsPerDay: 20,
    openPullRequests: 3,
    attemptsPerFailure: 2,
    files: 30,
    lines: 600,
  },
  protectedPaths: [".github/workflows/**", "**/CODEOWNERS"],
  rerunFlaky: true,
  validate: { setup: [], commands: [] },
  commit: { prefix: "fix(ci): ", signOff: false },
  labels: ["retrace"],
  skipLabel: "retrace-skip",
  welcome: false,
  experience: { learn: true, share: false, autoOff: true },
  engines: { order: "auto" },
};
