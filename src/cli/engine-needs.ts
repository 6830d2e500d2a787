import type { Config } from "../config.ts";
import type { Switches } from "../domain/switches.ts";
import { EnvironmentError } from "./exit.ts";

/** Throws EnvironmentError when an engine that was named lacks what it needs before work can start (design §6). */
export function checkEngine(engine: Switches["engine"], { model, externalCommand }: Config): void {
  if (engine === "auto" || engine === "autofix") return;
  if (engine === "external" && externalCommand === null)
    throw new EnvironmentError(
      "the engine external needs the command of a coding agent: set RETRACE_EXTERNAL_COMMAND (README.md says how)",
    );
  if (model === null)
    throw new EnvironmentError(
      `the engine ${engine} needs a model: set OPENAI_API_KEY or OPENAI_BASE_URL, and RETRACE_MODEL`,
    );
}
