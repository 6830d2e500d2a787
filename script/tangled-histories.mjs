// Entangled histories of known truth: 2 to 5 problems repaired over several commits, mixed with attempts that were taken
// back or written anew, with work that has nothing to do with them, in files that problems share. Everything follows
// from the seed. Each changed line remembers the problem it was changed for.

const NOUNS = "order invoice basket ticket parcel ledger member garden booking recipe voucher sensor".split(" ");
const VERBS = "count merge price label sort trim scale check".split(" ");

/** A generator of numbers in [0, 1) that gives the same ones for the same seed. */
function numbers(seed) {
  let state = (seed * 2654435761 + 97) >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

const title = (word) => word[0].toUpperCase() + word.slice(1);

/** The project before anything broke: modules of small functions, their tests, a manifest. */
function project(random) {
  const tree = new Map();
  for (const noun of NOUNS) {
    const type = title(noun);
    const lines = [
      `import { clamp } from "./numbers.js";`,
      "",
      `export interface ${type} {`,
      "  id: string;",
      "  size: number;",
      `}`,
      "",
    ];
    for (const verb of VERBS) {
      lines.push(
        `export function ${verb}${type}(${noun}: ${type}, by: number): number {`,
        `  const ${verb}Limit = ${Math.floor(random() * 90) + 10};`,
        `  const ${verb}Start = ${noun}.size + by;`,
        `  if (${verb}Start > ${verb}Limit) {`,
        `    return clamp(${verb}Limit, ${noun}.size);`,
        "  }",
        `  return clamp(${verb}Start, ${verb}Limit);`,
        "}",
        "",
      );
    }
    tree.set(`src/${noun}.ts`, lines);
    const tests = [
      `import { expect, test } from "vitest";`,
      `import { ${VERBS.map((verb) => `${verb}${type}`).join(", ")} } from "../src/${noun}.js";`,
      "",
    ];
    for (const verb of VERBS)
      tests.push(
        `test("${verb}s the ${noun}", () => {`,
        `  expect(${verb}${type}({ id: "a", size: 1 }, 2)).toBe(3);`,
        "});",
        "",
      );
    tree.set(`test/${noun}.test.ts`, tests);
  }
  tree.set("src/numbers.ts", [
    "export function clamp(value: number, limit: number): number {",
    "  return Math.min(value, limit);",
    "}",
    "",
  ]);
  tree.set("package.json", [
    "{",
    '  "name": "shop",',
    '  "version": "1.0.0",',
    '  "dependencies": {',
    '    "zod": "4.0.0"',
    "  },",
    '  "devDependencies": {',
    '    "vitest": "4.0.0"',
    "  }",
    "}",
  ]);
  tree.set("package-lock.json", [
    "{",
    '  "name": "shop",',
    '  "packages": {',
    '    "node_modules/zod": {',
    '      "version": "4.0.0"',
    "    }",
    "  }",
    "}",
  ]);
  tree.set("README.md", ["# Shop", "", "Sells things.", "", "## Use", "", "Run `npm start`."]);
  return tree;
}

const find = (tree, file, text) => {
  const at = tree.get(file).findIndex((line) => line.includes(text));
  if (at === -1) throw new Error(`${file} has no line with ${text}`);
  return at;
};

/* ------------------------------------------------------------------ problems: what is broken, how CI says it, how it is repaired */

// Each gives: `broken(tree)` the state at the failing commit, `log(tree)` the job that says so, `edits` the repair in
// parts, each an edit of lines found by their text.
const KINDS = {
  missingProperty: ({ noun, verb, other }) => {
    const type = title(noun);
    const file = `src/${noun}.ts`;
    const user = `src/${other}.ts`;
    return {
      broken: (tree) => {
        tree.get(user).splice(1, 0, `import type { ${type} } from "./${noun}.js";`);
        tree
          .get(user)
          .push(
            `export function ${verb}${type}Weight(${noun}: ${type}): number {`,
            `  return ${noun}.${verb}Weight * 2;`,
            "}",
            "",
          );
      },
      job: "types",
      log: (tree) => {
        const line = find(tree, user, `.${verb}Weight`) + 1;
        return [`${user}(${line},15): error TS2339: Property '${verb}Weight' does not exist on type '${type}'.`];
      },
      mark: `'${verb}Weight'`,
      edits: [
        { file, after: "  size: number;", add: [`  ${verb}Weight: number;`] },
        {
          file,
          replace: `  const ${verb}Limit = `,
          with: (line) => [line.replace(`${verb}Limit = `, `${verb}Limit = ${noun}.${verb}Weight + `)],
        },
      ],
    };
  },
  wrongArgument: ({ noun, verb }) => {
    const type = title(noun);
    const file = `src/${noun}.ts`;
    return {
      broken: (tree) => {
        tree.get(file)[find(tree, file, `return clamp(${verb}Start, ${verb}Limit)`)] =
          `  return clamp(String(${verb}Start), ${verb}Limit);`;
      },
      job: "types",
      log: (tree) => [
        `${file}(${find(tree, file, `String(${verb}Start)`) + 1},16): error TS2345: Argument of type 'string' is not assignable to parameter of type 'number'.`,
      ],
      mark: file,
      edits: [{ file, replace: `String(${verb}Start)`, with: () => [`  return clamp(${verb}Start, ${verb}Limit);`] }],
      context: type,
    };
  },
  assertion: ({ noun, verb }) => {
    const type = title(noun);
    const file = `src/${noun}.ts`;
    const test = `test/${noun}.test.ts`;
    return {
      broken: (tree) => {
        tree.get(file)[find(tree, file, `const ${verb}Start`)] = `  const ${verb}Start = ${noun}.size - by;`;
      },
      job: "tests",
      log: (tree) => {
        const line = find(tree, test, `${verb}${type}({`) + 1;
        return [
          ` FAIL  ${test} > ${verb}s the ${noun}`,
          "AssertionError: expected -1 to be 3 // Object.is equality",
          "",
          "- Expected",
          "+ Received",
          "",
          "- 3",
          "+ -1",
          "",
          ` ❯ ${test}:${line}:${20}`,
          "",
        ];
      },
      mark: `${verb}s the ${noun}`,
      edits: [
        {
          file,
          replace: `const ${verb}Start = ${noun}.size - by`,
          with: () => [`  const ${verb}Start = ${noun}.size + by;`],
        },
        { file, replace: `if (${verb}Start > ${verb}Limit) {`, with: () => [`  if (${verb}Start >= ${verb}Limit) {`] },
      ],
    };
  },
  crash: ({ noun, verb }) => {
    const type = title(noun);
    const file = `src/${noun}.ts`;
    const test = `test/${noun}.test.ts`;
    return {
      broken: (tree) => {
        tree.get(file)[find(tree, file, `const ${verb}Start`)] =
          `  const ${verb}Start = ${noun}.parts.${verb}.length + by;`;
      },
      job: "tests",
      log: (tree) => {
        const line = find(tree, file, `.parts.${verb}`) + 1;
        const called = find(tree, test, `${verb}${type}({`) + 1;
        return [
          ` FAIL  ${test} > ${verb}s the ${noun}`,
          `TypeError: Cannot read properties of undefined (reading '${verb}')`,
          ` ❯ ${verb}${type} ${file}:${line}:30`,
          ` ❯ ${test}:${called}:10`,
          "",
        ];
      },
      mark: `${verb}s the ${noun}`,
      edits: [
        {
          file,
          replace: `.parts.${verb}.length`,
          with: () => [`  const ${verb}Start = safe${title(verb)}${type}(${noun}) + by;`],
        },
        {
          file: "src/numbers.ts",
          append: [
            `export function safe${title(verb)}${type}(value: { size?: number }): number {`,
            `  return value.size ?? ${noun.length};`,
            "}",
            "",
          ],
        },
        {
          file,
          after: `import { clamp } from "./numbers.js";`,
          add: [`import { safe${title(verb)}${type} } from "./numbers.js";`],
        },
      ],
    };
  },
  unusedImport: ({ noun, verb }) => {
    const file = `src/${noun}.ts`;
    return {
      broken: (tree) => {
        tree.get(file).splice(1, 0, `import { ${verb}Table } from "./tables.js";`);
      },
      job: "lint",
      log: (tree) => [
        `/home/runner/work/shop/shop/${file}`,
        `  ${find(tree, file, `${verb}Table`) + 1}:10  error  '${verb}Table' is defined but never used  @typescript-eslint/no-unused-vars`,
        "",
      ],
      after: ["✖ 1 problem (1 error, 0 warnings)", ""],
      mark: "never used",
      edits: [{ file, replace: `import { ${verb}Table }`, with: () => [] }],
    };
  },
  formatting: ({ noun, verb, other }) => {
    const files = [`src/${noun}.ts`, `src/${other}.ts`];
    return {
      broken: (tree) => {
        for (const file of files) {
          const at = find(tree, file, `const ${verb}Limit`);
          tree.get(file)[at] = tree.get(file)[at].replace(" = ", "=").replace("  const", "     const");
        }
      },
      job: "format",
      log: () => [
        "Checking formatting...",
        ...files.map((file) => `[warn] ${file}`),
        "[warn] Code style issues found in 2 files. Run Prettier with --write to fix.",
      ],
      mark: "prettier",
      edits: files.map((file) => ({
        file,
        replace: `     const ${verb}Limit`,
        with: (line) => [line.replace("     const", "  const").replace("=", " = ")],
      })),
    };
  },
  missingPackage: ({ noun, verb }) => {
    const file = `src/${noun}.ts`;
    const name = `${verb}-${noun}`;
    return {
      broken: (tree) => {
        tree.get(file).splice(0, 0, `import ${verb}Lib from "${name}";`);
        tree.get(file)[find(tree, file, `const ${verb}Limit`)] = `  const ${verb}Limit = ${verb}Lib();`;
      },
      job: "types",
      log: () => [`${file}(1,22): error TS2307: Cannot find module '${name}' or its corresponding type declarations.`],
      mark: name,
      edits: [
        { file: "package.json", after: '"dependencies": {', add: [`    "${name}": "2.1.0",`] },
        {
          file: "package-lock.json",
          after: '"packages": {',
          add: [`    "node_modules/${name}": {`, '      "version": "2.1.0"', "    },"],
        },
      ],
    };
  },
  renamedExport: ({ noun, verb, other }) => {
    const type = title(noun);
    const file = `src/${other}.ts`;
    const third = `src/${noun === "sensor" ? "order" : "sensor"}.ts`;
    const users = [...new Set([file, third])];
    return {
      broken: (tree) => {
        for (const user of users) {
          tree.get(user).splice(1, 0, `import { old${title(verb)}${type} } from "./${noun}.js";`);
          tree
            .get(user)
            .push(`export const ${verb}${type}In${title(user.slice(4, -3))} = old${title(verb)}${type};`, "");
        }
      },
      job: "types",
      log: (tree) =>
        users.map(
          (user) =>
            `${user}(${find(tree, user, `import { old${title(verb)}${type} }`) + 1},10): error TS2305: Module '"./${noun}.js"' has no exported member 'old${title(verb)}${type}'.`,
        ),
      mark: `old${title(verb)}${type}`,
      edits: users.flatMap((user) => [
        {
          file: user,
          replace: `import { old${title(verb)}${type} }`,
          with: () => [`import { ${verb}${type} } from "./${noun}.js";`],
        },
        {
          file: user,
          replace: `= old${title(verb)}${type};`,
          with: (line) => [line.replace(`old${title(verb)}${type}`, `${verb}${type}`)],
        },
      ]),
    };
  },
};

/* ------------------------------------------------------------------ work that has nothing to do with any problem */

const UNRELATED = [
  ({ noun, verb }) => ({
    file: `src/${noun}.ts`,
    append: [
      `export function describe${title(verb)}${title(noun)}(): string {`,
      `  return "the ${verb} of a ${noun}";`,
      "}",
      "",
    ],
  }),
  ({ noun }) => ({ file: "README.md", append: ["", `## About the ${noun}`, "", `A ${noun} has a size.`] }),
  ({ noun, verb }) => ({
    file: `src/${noun}.ts`,
    replace: `return clamp(${verb}Limit, ${noun}.size);`,
    with: () => [`    return clamp(${noun}.size, ${verb}Limit);`],
  }),
  () => ({ file: "package.json", replace: '"version": "1.0.0"', with: () => ['  "version": "1.1.0",'] }),
  ({ noun, verb }) => ({
    file: `src/${noun}.ts`,
    after: `export function ${verb}${title(noun)}(`,
    add: [`  // a ${noun} of any size`],
  }),
  ({ noun, verb }) => ({
    file: `test/${noun}.test.ts`,
    append: [
      `test("${verb} of an empty ${noun}", () => {`,
      `  expect(${verb}${title(noun)}({ id: "", size: 0 }, 0)).toBe(0);`,
      "});",
      "",
    ],
  }),
];

/** One history: `commits` of whole files, `log` files by name, the truth by line. */
export function tangledHistory(seed) {
  const random = numbers(seed);
  const pick = (list) => list[Math.floor(random() * list.length)];
  const shuffled = (list) =>
    list
      .map((one) => [random(), one])
      .sort((a, b) => a[0] - b[0])
      .map(([, one]) => one);
  const tree = project(random);
  // Few modules, so that problems meet in the same files.
  const modules = shuffled(NOUNS).slice(0, 3);
  const verbs = shuffled(VERBS);
  const count = 2 + Math.floor(random() * 4);
  const kinds = shuffled(Object.keys(KINDS)).slice(0, count);
  const problems = kinds.map((kind, index) => {
    const noun = modules[index % 2];
    const other = modules[(index + 1) % 2];
    return { id: `p${index + 1}`, kind, ...KINDS[kind]({ noun, verb: verbs[index], other }) };
  });
  for (const problem of problems) problem.broken(tree);
  const state = new Map(
    [...tree].map(([file, lines]) => [file, lines.map((text) => ({ text, born: null, from: null }))]),
  );
  const atFail = new Map([...state].map(([file, lines]) => [file, [...lines]]));
  const logs = logsOf(problems, tree);

  // Who does what, in which commit.
  const tasks = [];
  problems.forEach((problem, index) => {
    for (const edit of problem.edits) tasks.push({ for: problem.id, edit, index });
  });
  const freeVerbs = verbs.slice(count);
  const unrelated = shuffled(UNRELATED).slice(0, 2 + Math.floor(random() * 3));
  for (const [index, make] of unrelated.entries()) {
    // One in three lies in a function that a problem is in.
    const verb = random() < 0.35 ? verbs[index % count] : freeVerbs[index % freeVerbs.length];
    tasks.push({ for: null, edit: make({ noun: modules[index % 3], verb }), index: count + index });
  }

  const commits = [];
  const snapshot = (subject) =>
    commits.push({
      subject,
      files: new Map([...state].map(([file, lines]) => [file, `${lines.map(({ text }) => text).join("\n")}\n`])),
    });
  snapshot("the red commit");

  // An attempt that is taken back, on the first problem's own file; one that is written anew.
  const victim = problems[0].edits[0];
  const attempt = { file: victim.file, append: ["export const workaround = true;", "export const patience = 3;", ""] };
  const before = new Map([...state].map(([file, lines]) => [file, [...lines]]));
  apply(state, attempt, "attempt", "attempt");
  const touched = modules[0];
  const wrong = {
    file: `src/${touched}.ts`,
    replace: `const ${freeVerbs.at(-1)}Start`,
    with: (line) => [`${line} // maybe here?`],
  };
  apply(state, wrong, "attempt", "attempt");
  snapshot("try something");

  const order = shuffled(tasks);
  const half = Math.ceil(order.length / 2);
  run(order.slice(0, half));
  // Taken back: the lines of before come back as they were.
  restore(state, before, "attempt");
  snapshot('Revert "try something"');
  run(order.slice(half));
  supersede();

  function run(list) {
    for (let at = 0; at < list.length; ) {
      // Two in one commit now and then: a commit that serves two problems.
      const size = random() < 0.5 ? 2 : 1;
      for (const task of list.slice(at, at + size)) apply(state, task.edit, task.for, task.for ?? "unrelated");
      snapshot(pick(["wip", "fix ci", "more", "address review", "cleanup"]));
      at += size;
    }
  }

  /** The first line a problem added is written anew, for the same problem. */
  function supersede() {
    for (const [file, lines] of state) {
      const at = lines.findIndex(({ born }) => born === "p1");
      if (at === -1 || !/;$/.test(lines[at].text)) continue;
      const text = /^\s*import|^\s*"|^export|^\s+return/.test(lines[at].text) ? null : `${lines[at].text} // settled`;
      if (text === null) continue;
      lines[at] = { text, born: "p1", from: null };
      snapshot("better");
      return file;
    }
    return null;
  }

  return {
    seed,
    problems: problems.map(({ id, kind, mark, edits, job }) => ({
      id,
      kind,
      mark,
      job,
      files: [...new Set(edits.map(({ file }) => file))],
    })),
    commits: commits.map(({ subject, files }) => ({ subject, files })),
    logs,
    truth: { atFail, atPass: state, removed: state.removed ?? new Map() },
  };
}

/** Applies an edit to lines; what goes away remembers for whom. */
function apply(state, edit, tag, label) {
  const lines = state.get(edit.file);
  const made = (text) => ({ text, born: label, from: tag });
  if (edit.append !== undefined) return void lines.push(...edit.append.map(made));
  const at = lines.findIndex(({ text }) => text.includes(edit.after ?? edit.replace));
  if (at === -1) throw new Error(`${edit.file} has no line with ${edit.after ?? edit.replace}`);
  if (edit.after !== undefined) return void lines.splice(at + 1, 0, ...edit.add.map(made));
  const old = lines[at];
  old.gone = label;
  lines.splice(at, 1, ...edit.with(old.text).map(made));
}

/** Takes every line of an attempt away and brings back what it had taken. */
function restore(state, before, label) {
  for (const [file, lines] of state) {
    const old = before.get(file);
    for (let at = lines.length - 1; at >= 0; at -= 1) {
      if (lines[at].born !== label) continue;
      const back = old.find((line) => line.gone === label && lines[at].text.startsWith(line.text));
      if (back !== undefined) {
        back.gone = undefined;
        lines.splice(at, 1, back);
      } else lines.splice(at, 1);
    }
  }
}

const COMMANDS = {
  types: "npx tsc --noEmit",
  tests: "npx vitest run",
  lint: "npx eslint src",
  format: "npx prettier --check .",
};

/** One raw log for each job, as a run archive names them. */
function logsOf(problems, tree) {
  const logs = {};
  Object.entries(COMMANDS).forEach(([job, command], index) => {
    const own = problems.filter((problem) => problem.job === job);
    const said = [...own.flatMap((problem) => problem.log(tree)), ...own.flatMap((problem) => problem.after ?? [])];
    const lines = [
      `##[group]Run ${command}`,
      `\u001b[36;1m${command}\u001b[0m`,
      "shell: /usr/bin/bash -e {0}",
      "##[endgroup]",
      ...said,
      ...(own.length > 0 ? [`##[error]Process completed with exit code 1.`] : []),
    ];
    const time = (at) => `2026-02-03T04:05:${String(at % 60).padStart(2, "0")}.0000000Z`;
    logs[`${index}_${job}.txt`] = lines.map((line, at) => `${time(at)} ${line}`).join("\n");
  });
  return logs;
}
