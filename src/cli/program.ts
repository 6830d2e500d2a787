import { Command, CommanderError, Option } from "commander";
import { ENGINES } from "../domain/attempt.ts";
import { EXIT, Interrupted, UsageError } from "./exit.ts";
import { learnMistake, parseCount, parseDays, parseDollars, sourceMistake } from "./option-values.ts";

/**
 * The command line (design §5). Each command loads its own modules when it is called, so that `--help` stays quick.
 * Resolves with the exit code; never rejects for a mistake of the caller.
 */
export async function runProgram(argv: readonly string[]): Promise<number> {
  let exitCode: number = EXIT.done;
  const program = buildProgram((code) => {
    exitCode = code;
  });
  try {
    await program.parseAsync(argv, { from: "user" });
    return exitCode;
  } catch (error) {
    return report(error);
  }
}

type Ended = (exitCode: number) => void;

function buildProgram(ended: Ended): Command {
  const program = new Command("retrace")
    .description("Repairs failing CI: explains what broke, mends it in a sandbox, and proves the patch.")
    .version("0.1.0")
    .exitOverride()
    .showSuggestionAfterError(true)
    .configureOutput({ outputError: (text, write) => write(text.replace(/^error: /, "retrace: ")) })
    .addHelpText(
      "after",
      `
Exit codes: 0 repaired, nothing to repair, already fixed, explained; 1 not repaired, or not a matter of code;
            2 bad usage or unreadable input; 3 something is missing here (retrace doctor says what);
            130 and 143 stopped by SIGINT or SIGTERM, with nothing left behind.`,
    );
  addExplain(program, ended);
  addRepair(program, ended);
  addLearn(program, ended);
  addExperience(program, ended);
  addServe(program);
  addDoctor(program, ended);
  return program;
}

function addExplain(program: Command, ended: Ended): void {
  program
    .command("explain")
    .description("Say what broke in a CI run, why we think so, and what never ran.")
    .argument("<source>", "a raw job log, a run archive (.zip), or an unpacked run archive's folder")
    .option("--workflow <file>", "the workflow file that ran")
    .option("--repo <dir>", "a local clone, to resolve package scripts and file names")
    .option("--run-json <file>", "GitHub's answer to /jobs of the run, or one job of it")
    .option("--json", "print one JSON document (retrace.evidence/1) and nothing else")
    .option("--markdown", "print a GitHub job summary")
    .option("--graph <file>", "also draw the job graph as SVG")
    .action(async (source: string, options) => {
      const { explain } = await import("./explain.ts");
      ended(await explain(source, options));
    });
}

function addRepair(program: Command, ended: Ended): void {
  program
    .command("repair")
    .description(
      "Repair a local clone at the commit that failed, from its CI log (--repo and --log), or a run at GitHub (--github and --run). The clone is left as it is unless --apply or --branch is given.",
    )
    .option("--repo <dir>", "the local clone")
    .option("--log <source>", "a raw job log, a run archive (.zip), or its folder")
    .option(
      "--github <owner/name>",
      "a repository at GitHub; needs GITHUB_TOKEN (GHE_HOST, GHE_PROTOCOL for another host)",
    )
    .option("--run <id>", "the run that failed there")
    .option("--publish", "with --github: push the verified repair and open a draft pull request")
    .option("--at <sha>", "the commit that failed", "HEAD")
    .option("--workflow <file>", "the workflow file that ran (guessed when only one fits the log)")
    .option("--run-json <file>", "GitHub's answer to /jobs of the run, or one job of it")
    .addOption(new Option("--engine <name>", "which engine works").choices(["auto", ...ENGINES]).default("auto"))
    .option("--patch <file>", "write the patch to a file")
    .option("--branch <name>", "commit the repair on a new branch of the clone")
    .option("--apply", "apply the patch to the clone's work tree")
    .option("--as <owner/name>", "the repository's identity (default: owner/name of its origin)")
    .option("--max-usd <n>", "dollars this repair may cost (binds when RETRACE_MODEL_PRICE is set)", parseDollars)
    .addOption(
      new Option("--profile <name>", "product: everything on; paper: what the papers ran, our own additions off")
        .choices(["product", "paper"])
        .default("product"),
    )
    .option("--no-experience", "leave memory out: no earlier repair guides this one")
    .addOption(
      new Option(
        "--localization <arm>",
        "where faults are looked for: what CI says, or, for experiments, lines or whole functions labelled in --locations",
      )
        .choices(["line", "method", "ci"])
        .default("ci"),
    )
    .option(
      "--locations <file>",
      'JSON array of {"file","line"}, {"file","start","end"} or {"file","after"}: lines of the failing commit',
    )
    .option("--json", "print one JSON document (retrace.outcome/1) and nothing else")
    .action(async (options) => {
      const mistake = sourceMistake(options);
      if (mistake !== null) throw new UsageError(mistake);
      if (options.github !== undefined) {
        const { repairGitHub } = await import("./repair-github.ts");
        return ended(await repairGitHub(options));
      }
      const { repair } = await import("./repair.ts");
      ended(await repair(options));
    });
}

function addLearn(program: Command, ended: Ended): void {
  program
    .command("learn")
    .description(
      "Say which change between a red commit and a green one repaired which problem. The clone is only read.",
    )
    .option("--repo <dir>", "the local clone")
    .option("--fail <sha>", "the commit whose run was red")
    .option("--pass <sha>", "the commit whose run was green")
    .option("--log <source>", "the red run's raw job log, run archive (.zip), or its folder")
    .option("--workflow <file>", "the workflow file that ran (guessed when only one fits the log)")
    .option("--run-json <file>", "GitHub's answer to /jobs of the red run, or one job of it")
    .option("--as <owner/name>", "the repository's identity (default: owner/name of its origin)")
    .option("--github <owner/name>", "pull requests at GitHub instead; needs GITHUB_TOKEN")
    .option("--pr <number>", "with --github: this pull request", parseCount)
    .option("--limit <n>", "with --github: so many merged pull requests, newest first (30)", parseCount)
    .option("--since <days>", "with --github: merged in so many days, as 90d", parseDays)
    .option("--json", "print one JSON document (retrace.episode/1, retrace.episodes/1) and nothing else")
    .action(async (options) => {
      const mistake = learnMistake(options);
      if (mistake !== null) throw new UsageError(mistake);
      if (options.github !== undefined) {
        const { learnFromGitHub } = await import("./learn-github.ts");
        return ended(await learnFromGitHub(options));
      }
      const { learn } = await import("./learn.ts");
      ended(await learn(options));
    });
}

function addExperience(program: Command, ended: Ended): void {
  const memory = program.command("experience").description("What was learned: look at it, take it along, forget it.");
  const add = (name: string, description: string): Command => {
    const command = memory.command(name).description(description);
    return name.startsWith("export") ? command : command.option("--json", "print one JSON document and nothing else");
  };
  const scoped = (command: Command): Command =>
    command
      .option("--as <owner/name>", "only this repository's")
      .addOption(new Option("--level <level>", "only this level").choices(["L1", "L2", "L3"]));
  const commands = () => import("./experience.ts");

  scoped(add("list", "Records by repository and workflow, newest first."))
    .option("--all", "retired ones too")
    .action(async (options) => ended(await (await commands()).listExperience(options)));
  add("show", "One record, with what speaks for it.")
    .argument("<id>", "its id, or the beginning of it")
    .action(async (id: string, options) => ended(await (await commands()).showExperience(id, options)));
  scoped(add("search", "Records that share words with a text, best first."))
    .argument("<text...>", "what to look for")
    .option("--limit <n>", "how many at most (10)", parseCount)
    .action(async (words: string[], options) =>
      ended(await (await commands()).searchExperience(words.join(" "), options)),
    );
  add("recurrence", "How much of a repository's failures comes back, and how far memory can help there.")
    .option("--as <owner/name>", "only this repository's")
    .action(async (options) => ended(await (await commands()).tellRecurrence(options)));
  scoped(add("export", "Everything as JSON lines on stdout.")).action(async (options) =>
    ended(await (await commands()).exportExperience(options)),
  );
  add("import", "Take over an export; what breaks a rule is left out and named.")
    .argument("<file>", "what `export` wrote")
    .action(async (file: string, options) => ended(await (await commands()).importExperience(file, options)));
  add("forget", "Forget a record, and what was made from it alone, for good.")
    .argument("<id>", "its id, or the beginning of it")
    .action(async (id: string, options) => ended(await (await commands()).forgetExperience(id, options)));
  add("check", "Read every line again; exit 1 when something is wrong.").action(async (options) =>
    ended(await (await commands()).checkExperience(options)),
  );
  add("rebuild", "Make the index anew from the lines.").action(async (options) =>
    ended(await (await commands()).rebuildExperience(options)),
  );
}

function addDoctor(program: Command, ended: Ended): void {
  program
    .command("doctor")
    .description("Say what is missing on this machine and how to mend it.")
    .option(
      "--server",
      "also what the app needs: its settings, its key, its address, a sandbox with a network for setup",
    )
    .action(async (options: { readonly server?: boolean }) => {
      const { doctor } = await import("./doctor.ts");
      ended(await doctor({ server: options.server === true }));
    });
}

function addServe(program: Command): void {
  program
    .command("serve")
    .description("Run the GitHub App: take webhooks, repair failing runs, open pull requests.")
    .option("--no-worker", "only take and keep webhooks; nothing is worked on")
    .action(async (options: { readonly worker: boolean }) => {
      const { serve } = await import("./serve.ts");
      await serve(options);
    });
}

const EXIT_BY_ERROR: Readonly<Record<string, number>> = {
  UsageError: EXIT.usage,
  UnreadableSource: EXIT.usage,
  EnvironmentError: EXIT.environment,
  ConfigError: EXIT.environment,
  SandboxUnavailable: EXIT.environment,
};

function report(error: unknown): number {
  // Commander has said it already; help and version come this way too, with exit code 0.
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
  if (error instanceof Interrupted) {
    process.stderr.write(`retrace: ${error.message}\n`);
    return error.exitCode;
  }
  const known = error instanceof Error ? EXIT_BY_ERROR[error.name] : undefined;
  const message = error instanceof Error ? error.message : String(error);
  if (known !== undefined) {
    for (const line of message.split("\n")) process.stderr.write(`retrace: ${line}\n`);
    return known;
  }
  // Not a mistake of the caller but ours: the place helps whoever reports it.
  const place = error instanceof Error ? (error.stack?.split("\n")[1]?.trim() ?? "") : "";
  process.stderr.write(`retrace: ${message.split("\n")[0]} (a defect of retrace ${place})\n`);
  return EXIT.environment;
}
