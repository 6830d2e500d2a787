import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { ensureBuilt, retrace } from "./command-line.ts";
import { EvidenceDocument } from "./documents.ts";

// Logs of public projects that are not ours to carry along: measured where they lie beside the checkout.
const SHARED = process.env.RETRACE_SHARED ?? path.resolve(import.meta.dirname, "../../../shared");
const LINKED = path.join(SHARED, "data/linked");
const Jobs = z.array(
  z.object({ steps: z.array(z.object({ name: z.string(), number: z.int(), conclusion: z.string() })) }),
);

interface Linked {
  readonly name: string;
  /** Tool, rule and category of each failure, in order. */
  readonly says: readonly (readonly [string | null, string | null, string])[];
  /** Files named by a location or a message. */
  readonly files: readonly string[];
  readonly command: RegExp;
}

const CASES: readonly Linked[] = [
  {
    name: "commander-2333-lock-out-of-sync",
    says: [["npm", "EUSAGE", "dependency_issue"]],
    files: ["package-lock.json"],
    command: /^npm ci$/,
  },
  {
    name: "flask-5717-whitespace",
    says: [
      ["pre-commit", "trailing-whitespace", "code_formatting"],
      ["pre-commit", "end-of-file-fixer", "code_formatting"],
    ],
    files: ["README.md"],
    command: /^pre-commit run /,
  },
  {
    name: "flask-5712-precommit-many-files",
    says: [
      ["pre-commit", "ruff", "linting"],
      ["pre-commit", "ruff-format", "code_formatting"],
      ["pre-commit", "trailing-whitespace", "code_formatting"],
      ["pre-commit", "end-of-file-fixer", "code_formatting"],
    ],
    files: ["docs/source/conf.py", "flask-docs/patterns/subclassing.html"],
    command: /^pre-commit run /,
  },
];

describe.runIf(existsSync(LINKED))("real red runs", () => {
  beforeAll(ensureBuilt);

  it.each(CASES)(
    "$name is explained by tool, rule, category, file and step",
    async ({ name, says, files, command }) => {
      const folder = path.join(LINKED, name);
      const jobs = Jobs.parse(JSON.parse(readFileSync(path.join(folder, "api_job.json"), "utf8")));
      const failed = jobs[0]?.steps.find(({ conclusion }) => conclusion === "failure");

      const { code, stdout, stderr } = await retrace([
        "explain",
        path.join(folder, "fail.log"),
        "--run-json",
        path.join(folder, "api_job.json"),
        "--json",
      ]);

      const { failures, quality } = EvidenceDocument.parse(JSON.parse(stdout));
      expect([code, stderr, quality.parsedShare]).toEqual([0, "", 1]);
      expect(failures.map(({ tool, rule, category }) => [tool, rule, category])).toEqual(says);
      expect([...new Set(failures.map(({ step }) => JSON.stringify(step)))]).toEqual([
        JSON.stringify({ number: failed?.number, name: failed?.name }),
      ]);
      for (const failure of failures) expect(failure.command).toMatch(command);
      const named = failures.map(({ location, message }) => `${location?.file} ${message}`).join("\n");
      for (const file of files) expect(named).toContain(file);
    },
  );
});
