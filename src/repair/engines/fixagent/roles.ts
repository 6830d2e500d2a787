import { z } from "zod";
import { loadPromptTexts, type PromptTexts } from "../../../agent/prompt.ts";
import type { FaRole } from "../../../domain/switches.ts";

/** One of FixAgent's seven roles (papers §3.2): what it answers, how often it may try, whether it may ask for facts. */
export interface Role<A> {
  readonly name: FaRole;
  readonly texts: PromptTexts;
  readonly answer: z.ZodType<A>;
  /** Until its answer can be used. */
  readonly tries: number;
  readonly tools: boolean;
  /** It must follow the values that decide (the rubber-duck rule); who looks up or describes follows none. */
  readonly tracks: boolean;
}

const Path = z.string().min(1).max(400);
const Text = z.string().max(4_000);
const Code = z.string().max(60_000);

function role<A>(name: FaRole, answer: z.ZodType<A>, rest: Omit<Role<A>, "name" | "texts" | "answer">): Role<A> {
  return { name, texts: loadPromptTexts(import.meta.url, `${name}.md`), answer, ...rest };
}

// papers G24: three tries, the Locator five.
const TRIES = 3;
const LOCATOR_TRIES = 5;

export const HELPER = role(
  "helper",
  z.strictObject({ query: z.string().max(1_000), reference: Text, sources: z.array(z.string().max(400)).max(8) }),
  { tries: 1, tools: false, tracks: false },
);

export const REPOFOCUS = role("repofocus", z.strictObject({ files: z.array(Path).max(20) }), {
  tries: TRIES,
  tools: false,
  tracks: false,
});

const FunctionSummary = z.strictObject({
  cls: z.string().max(200).nullable(),
  fn: z.string().max(200),
  params: z.array(z.strictObject({ name: z.string().max(100), meaning: z.string().max(400) })).max(30),
  returns: z.string().max(400),
  desc: z.string().max(600),
});
export type FunctionSummary = z.infer<typeof FunctionSummary>;

export const SUMMARIZER = role("summarizer", z.strictObject({ functions: z.array(FunctionSummary).max(80) }), {
  tries: 1,
  tools: false,
  tracks: false,
});

export const SLICER = role("slicer", z.strictObject({ first: z.string().max(400), last: z.string().max(400) }), {
  tries: TRIES,
  tools: true,
  tracks: true,
});

export const LOCATOR = role(
  "locator",
  z.strictObject({
    marked: Code.nullable(),
    marks: z
      .array(
        z.strictObject({
          line: z.number().int(),
          kind: z.enum(["buggy", "missing"]),
          infill: z.string().max(400).nullable(),
        }),
      )
      .max(50)
      .nullable(),
  }),
  { tries: LOCATOR_TRIES, tools: true, tracks: true },
);

export const FIXER = role(
  "fixer",
  z.strictObject({
    assessment: z
      .array(z.strictObject({ mark: z.string().max(400), shouldChange: z.boolean(), why: z.string().max(600) }))
      .max(50),
    diff: Code,
  }),
  { tries: TRIES, tools: true, tracks: true },
);

export const FIXERPRO = role("fixerpro", z.strictObject({ diff: Code, analysis: Text }), {
  tries: 2, // one more when its diff cannot be placed
  tools: false,
  tracks: true,
});
