import { describe, expect, it } from "vitest";
import {
  insertProbes,
  mechanicalPlan,
  type WantedProbe,
} from "../../../../src/repair/engines/tracerepair/probes/insert-probes.ts";
import { interference } from "../../../../src/repair/engines/tracerepair/probes/interference.ts";
import { probeLanguageOf } from "../../../../src/repair/engines/tracerepair/probes/languages.ts";
import type { ProbeLanguage } from "../../../../src/repair/engines/tracerepair/probes/probe-language.ts";
import { isPure } from "../../../../src/repair/engines/tracerepair/probes/pure-expression.ts";

function language(path: string): ProbeLanguage {
  const found = probeLanguageOf(path);
  if (found === null) throw new Error(`no probes for ${path}`);
  return found;
}

const value = (line: number, expression: string, when: WantedProbe["when"]): WantedProbe => ({
  kind: "value",
  line,
  expression,
  when,
  why: "",
});
const marker = (line: number, when: WantedProbe["when"]): WantedProbe => ({
  kind: "marker",
  line,
  expression: null,
  when,
  why: "",
});
const condition = (line: number): WantedProbe => ({
  kind: "condition",
  line,
  expression: null,
  when: "before",
  why: "",
});

function probed(path: string, lines: readonly string[], wanted: readonly WantedProbe[]) {
  const source = `${lines.join("\n")}\n`;
  const result = insertProbes(path, source, { start: 1, end: lines.length }, wanted, language(path));
  return { ...result, wrong: interference(path, source, result.text, language(path)) };
}

describe("probes that the syntax tree puts in", () => {
  it.each<[string, readonly string[], readonly WantedProbe[], readonly string[]]>([
    [
      "sum.js",
      [
        "function sum(list) {",
        "  'use strict';",
        "  let 合計 = '🙂'",
        "  for (const n of list) total += n",
        "  return total",
        "}",
      ],
      [value(1, "list.length", "inside"), value(3, "合計", "after"), value(5, "total", "after"), condition(4)],
      [
        "function sum(list) {",
        `  'use strict'; ;try{globalThis.__rtProbe?.("p1a",list.length)}catch{}`,
        `  let 合計 = '🙂' ;try{globalThis.__rtProbe?.("p2a",合計)}catch{}`,
        "  for (const n of list) total += n",
        `  try{globalThis.__rtProbe?.("p3b",total)}catch{} return total`,
        "}",
      ],
    ],
    [
      "pick.ts",
      [
        "const pick = (a: number) => {",
        "  if (a > limit.max) {",
        "    return 1;",
        "  } else {",
        "    b();",
        "  }",
        "};",
      ],
      [condition(2), marker(5, "before")],
      [
        "const pick = (a: number) => {",
        '  try{(globalThis as any).__rtProbe?.("p1b",a)}catch{} try{(globalThis as any).__rtProbe?.("p2b",limit.max)}catch{} if (a > limit.max) {',
        '    try{(globalThis as any).__rtProbe?.("p3b")}catch{} return 1;',
        "  } else {",
        '    try{(globalThis as any).__rtProbe?.("p4b")}catch{} try{(globalThis as any).__rtProbe?.("p5b")}catch{} b();',
        "  }",
        "};",
      ],
    ],
    [
      "half.py",
      ["def half(n):", '    """Half."""', "    if n > 1: return n", "    x = n / 3; y = x", "    return x"],
      [value(1, "n", "inside"), value(4, "x", "after"), marker(3, "after"), value(5, "self.x", "before"), condition(3)],
      [
        "def half(n):",
        '    """Half."""; retrace_probe_("p1a", lambda: n)',
        '    retrace_probe_("p4l", lambda: n)',
        '    if n > 1: retrace_probe_("p5b"); return n',
        '    retrace_probe_("p3n")',
        '    x = n / 3; retrace_probe_("p2a", lambda: x); y = x',
        '    retrace_probe_("p4l", lambda: self.x)',
        "    return x",
      ],
    ],
    [
      "half.go",
      ["package half", "func Half(n int) int {", "\tx := n / 3", "\tif x > 2 { return 2 }", "\treturn x", "}"],
      [value(2, "n", "inside"), value(3, "x", "after"), condition(4)],
      [
        "package half",
        "func Half(n int) int {",
        '\tretraceProbe("p1b", func() interface{} { return n }); x := n / 3 ;retraceProbe("p2a", func() interface{} { return x })',
        '\tretraceProbe("p3b", func() interface{} { return x }); if x > 2 { retraceProbe("p4b", nil); return 2 }',
        "\treturn x",
        "}",
      ],
    ],
    [
      "Half.java",
      ["class Half extends Base {", "  Half(int n) {", "    super(n);", "    this.n = n;", "  }", "}"],
      [value(2, "n", "inside"), value(4, "this.n", "after")],
      [
        "class Half extends Base {",
        "  Half(int n) {",
        '    super(n); ;try { RetraceProbe.hit("p1a", n); } catch (Throwable retraceIgnored) {}',
        '    this.n = n; ;try { RetraceProbe.hit("p2a", this.n); } catch (Throwable retraceIgnored) {}',
        "  }",
        "}",
      ],
    ],
  ])("stand as statements of their own in %s", (path, lines, wanted, expected) => {
    const { text, wrong } = probed(path, lines, wanted);

    if (path === "half.py")
      expect(text.replace(/"p\d+/g, '"p')).toBe(`${expected.join("\n")}\n`.replace(/"p\d+/g, '"p'));
    else expect(text).toBe(`${expected.join("\n")}\n`);
    expect(wrong).toBeNull();
  });

  it.each([
    ["a.js", "a.b?.c[0]", true],
    ["a.js", "this.#x", true],
    ["a.js", "f()", false],
    ["a.js", "a = 1", false],
    ["a.js", "a++", false],
    ["a.js", "a); evil(", false],
    ["a.js", "await a", false],
    ["a.js", "`${f()}`", false],
    ["a.ts", "new A", false],
    ["a.py", "self.x.y", true],
    ["a.py", "d['k']", false],
    ["a.py", "(x := 1)", false],
    ["a.py", "f'{g()}'", false],
    ["a.py", "x, y", false],
    ["a.go", "a.b[i].c", true],
    ["a.go", "<-ch", false],
    ["a.go", "f(x)", false],
    ["a.java", "this.a[0].b", true],
    ["a.java", "i++", false],
    ["a.js", "", false],
  ])("in %s %j can be read without doing anything: %s", (path, expression, pure) => {
    expect(isPure(expression, language(path))).toBe(pure);
  });

  it.each([
    ["changes a statement", (text: string) => text.replace("n * 2", "n * 3")],
    ["leaves one out", (text: string) => text.replace("return x", "")],
    ["calls something", (text: string) => text.replace(",n)}", ",n.pop())}")],
    ["assigns something", (text: string) => text.replace(",n)}", ",n=1)}")],
    [
      "hides in a string",
      (text: string) => text.replace('"two"', '"two ;try{globalThis.__rtProbe?.("p9a",n)}catch{}"'),
    ],
  ])("are refused when somebody %s", (_, spoil) => {
    const lines = ["function twice(n) {", '  const name = "two"', "  const x = n * 2", "  return x", "}"];
    const { text } = probed("twice.js", lines, [value(1, "n", "inside")]);

    expect(interference("twice.js", `${lines.join("\n")}\n`, text, language("twice.js"))).toBeNull();
    expect(interference("twice.js", `${lines.join("\n")}\n`, spoil(text), language("twice.js"))).not.toBeNull();
  });

  it("are not put where they cannot stand, and it is said why", () => {
    const { text, refused } = probed(
      "short.js",
      ["const short = (n) => n * 2;"],
      [value(1, "n", "before"), value(9, "n", "after")],
    );

    expect([text, refused]).toEqual([
      "const short = (n) => n * 2;\n",
      ["line 1: there is no statement to put a probe at", "line 9: it lies outside of the function"],
    ]);
  });

  it("stand before the comment behind a statement", () => {
    const lines = ["function f(a) {", "  const x = a // why", "  return x", "}"];
    const { text, wrong } = probed("f.js", lines, [value(2, "x", "after")]);

    expect(text.split("\n")[1]).toBe('  const x = a ;try{globalThis.__rtProbe?.("p1a",x)}catch{} // why');
    expect(wrong).toBeNull();
  });

  it("can be planned without a model", () => {
    const source = "function f(a) {\n  const x = a;\n  if (x) {\n    g();\n  }\n}\n";

    expect(mechanicalPlan("f.js", source, { start: 1, end: 6 }, language("f.js"))).toEqual([
      { kind: "marker", line: 1, expression: null, when: "inside", why: "entered" },
      { kind: "value", line: 2, expression: "x", when: "after", why: "what is set" },
      { kind: "condition", line: 3, expression: null, when: "before", why: "which way it goes" },
    ]);
  });
});
