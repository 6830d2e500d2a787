import { afterEach, describe, expect, it } from "vitest";
import type { Check } from "../../../../src/domain/check.ts";
import { coveredLines } from "../../../../src/repair/engines/fixagent/coverage.ts";
import { canRun, openRealBench, plainCheck } from "../../../fakes/real-bench.ts";

const CASES = [
  {
    what: "a script, line by line",
    program: "node",
    file: "size.cjs",
    files: {
      "size.cjs":
        'module.exports = function size(n) {\n  if (n > 10) {\n    return "large";\n  }\n  return "small";\n};\n',
      "check.cjs": 'const size = require("./size.cjs");\nif (size(3) !== "tiny") process.exit(1);\n',
    },
    command: "node check.cjs",
    ran: [
      { start: 1, end: 2 },
      { start: 5, end: 6 },
    ],
  },
  {
    what: "a module of Python, also in a thread",
    program: "python3",
    file: "pkg/size.py",
    files: {
      "pkg/__init__.py": "",
      "pkg/size.py":
        'def size(n):\n    if n > 10:\n        return "large"\n    return "small"\n\n\ndef other():\n    return 1\n',
      "check.py":
        "import threading\nfrom pkg.size import size\nt = threading.Thread(target=lambda: size(3))\nt.start()\nt.join()\nraise SystemExit(1)\n",
    },
    command: "python3 check.py",
    ran: [
      { start: 1, end: 2 },
      { start: 4, end: 4 },
      { start: 7, end: 7 },
    ],
  },
  {
    what: "a package of Go",
    program: "go",
    file: "size/size.go",
    files: {
      "go.mod": "module example.com/size\n\ngo 1.19\n",
      "size/size.go":
        'package size\n\nfunc Size(n int) string {\n\tif n > 10 {\n\t\treturn "large"\n\t}\n\treturn "small"\n}\n',
      "size/size_test.go":
        'package size\n\nimport "testing"\n\nfunc TestSize(t *testing.T) {\n\tif Size(3) != "tiny" {\n\t\tt.Fatal("no")\n\t}\n}\n',
    },
    command: "go test ./...",
    ran: [
      { start: 3, end: 4 },
      { start: 7, end: 7 },
    ],
  },
] as const;

let close: (() => Promise<void>) | null = null;
afterEach(async () => {
  await close?.();
  close = null;
});

describe("the lines that ran in a failing check", () => {
  it.for(CASES)("tells $what", async ({ program, file, files, command, ran }, { skip }) => {
    skip(!canRun(program), `${program} is not installed`);
    const opened = await openRealBench(files, false);
    close = opened.close;
    const check: Check = plainCheck(command);

    expect(await coveredLines(file, check, opened.bench)).toEqual(ran);
    expect(await opened.bench.copy.snapshot()).toBe(opened.bench.copy.base);
  });
});
