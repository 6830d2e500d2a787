import type { Workbench } from "../../../agent/workbench.ts";
import type { Check } from "../../../domain/check.ts";
import type { LineRange } from "../../../domain/experience.ts";
import type { Switches } from "../../../domain/switches.ts";
import { outline } from "../../../text/code-outline.ts";
import { coveredLines, sayLines } from "./coverage.ts";
import { findingsIn } from "./findings.ts";

export const TOOL_NAMES = ["coverage", "findings", "syntax"] as const;
export type ToolName = (typeof TOOL_NAMES)[number];

/** What roles may ask for; each fact is looked up once a bug and file (FixAgent: tool results are cached per bug). */
export class BugTools {
  private readonly said = new Map<string, Promise<string>>();
  private readonly ran = new Map<string, Promise<readonly LineRange[] | null>>();

  constructor(
    private readonly check: Check,
    private readonly bench: Workbench,
    private readonly switches: Switches["fa"]["tools"],
  ) {}

  /** Tools that are switched on. */
  offered(): readonly ToolName[] {
    const on: Readonly<Record<ToolName, boolean>> = {
      coverage: this.switches.coverage,
      findings: this.switches.static,
      syntax: true,
    };
    return TOOL_NAMES.filter((name) => on[name]);
  }

  /** As text for a prompt; says so when there is nothing. Never rejects for what a command does. */
  ask(name: ToolName, file: string, code: string): Promise<string> {
    const key = `${name} ${file}`;
    const known = this.said.get(key) ?? this.find(name, file, code);
    this.said.set(key, known);
    return known;
  }

  /** Lines that ran, null where that is not known or switched off. */
  coverage(file: string): Promise<readonly LineRange[] | null> {
    if (!this.switches.coverage) return Promise.resolve(null);
    const known = this.ran.get(file) ?? coveredLines(file, this.check, this.bench);
    this.ran.set(file, known);
    return known;
  }

  private async find(name: ToolName, file: string, code: string): Promise<string> {
    if (name === "coverage") {
      const ran = await this.coverage(file);
      return ran === null ? "It could not be recorded here." : `Lines that ran: ${sayLines(ran)}`;
    }
    if (name === "findings") return (await findingsIn(file, this.bench)) || "They have nothing to say about this file.";
    const definitions = outline(file, code);
    if (definitions.length === 0) return "The file's language is not read here.";
    return definitions.map(({ kind, name: own, start, end }) => `${start}-${end} ${kind} ${own}`).join("\n");
  }
}
