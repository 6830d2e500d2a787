import { type Contexts, resolveText } from "./resolve-expressions.ts";
import type { RunJob } from "./run.ts";

interface SetupAction {
  readonly uses: RegExp;
  readonly runtime: string;
  readonly input: string;
}

const SETUP_ACTIONS: readonly SetupAction[] = [
  { uses: /^actions\/setup-node@/, runtime: "node", input: "node-version" },
  { uses: /^actions\/setup-python@/, runtime: "python", input: "python-version" },
  { uses: /^astral-sh\/setup-uv@/, runtime: "python", input: "python-version" },
  { uses: /^actions\/setup-go@/, runtime: "go", input: "go-version" },
  { uses: /^actions\/setup-java@/, runtime: "java", input: "java-version" },
  { uses: /^actions\/setup-dotnet@/, runtime: "dotnet", input: "dotnet-version" },
  { uses: /^ruby\/setup-ruby@/, runtime: "ruby", input: "ruby-version" },
  { uses: /^shivammathur\/setup-php@/, runtime: "php", input: "php-version" },
  { uses: /^denoland\/setup-deno@/, runtime: "deno", input: "deno-version" },
  { uses: /^oven-sh\/setup-bun@/, runtime: "bun", input: "bun-version" },
  { uses: /^pnpm\/action-setup@/, runtime: "pnpm", input: "version" },
  {
    uses: /^(?:dtolnay\/rust-toolchain|actions-rs\/toolchain|actions-rust-lang\/setup-rust-toolchain)@/,
    runtime: "rust",
    input: "toolchain",
  },
];

// `dtolnay/rust-toolchain@1.75.0` names the version itself.
const VERSION_REF = /^dtolnay\/rust-toolchain@(stable|beta|nightly\S*|\d[\d.]*)$/;

/** Versions that a job's setup actions name, the log's values before the file's: GitHub had resolved them. */
export function runtimesOf(job: RunJob, contexts: Contexts): Readonly<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const step of job.steps) {
    const uses = step.definition?.uses ?? step.logs.find((log) => log.uses !== null)?.uses ?? null;
    const setup = uses === null ? undefined : SETUP_ACTIONS.find((action) => action.uses.test(uses));
    if (setup === undefined || uses === null) continue;
    const shown = step.logs.find((log) => log.uses !== null)?.with[setup.input];
    const written = step.definition?.with[setup.input];
    const version =
      shown ?? (written === undefined ? undefined : resolveText(written, contexts).text) ?? VERSION_REF.exec(uses)?.[1];
    if (version !== undefined && version.trim() !== "") found[setup.runtime] = version.trim();
  }
  return found;
}
