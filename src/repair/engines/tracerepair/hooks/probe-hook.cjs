// Loaded before the program (node --require). Defines what the probes call; writes one file for each test.
"use strict";
const fs = require("node:fs");
const path = require("node:path");
const util = require("node:util");
const vm = require("node:vm");
const nodeModule = require("node:module");

// Taken now: a test may put others in their place.
const { openSync, writeSync, appendFileSync } = fs;
const { dir, tree, labels, limitBytes } = JSON.parse(fs.readFileSync(path.join(__dirname, "settings.json"), "utf8"));
const MOST_TESTS = 200;
const SHOWN = {
  depth: 2,
  breakLength: Infinity,
  maxArrayLength: 20,
  maxStringLength: 100,
  showProxy: true,
  customInspect: false,
  getters: false,
};
const tests = new Map();
const who = `${process.pid}-${process.hrtime.bigint()}`;

function probe(id, ...values) {
  try {
    const log = logOf(nameOfTest(this ?? globalThis));
    if (log === null || log.bytes > limitBytes) return;
    const shown = values.length === 0 ? "" : ` = ${util.inspect(values[0], SHOWN).replace(/\s+/g, " ").slice(0, 120)}`;
    const line = `${labels[id] ?? id}${shown}\n`;
    log.bytes += writeSync(log.file, line);
    if (!log.seen.has(id)) {
      log.seen.add(id);
      writeSync(log.first, line);
    }
  } catch {}
}

function logOf(test) {
  const known = tests.get(test);
  if (known !== undefined) return known;
  if (tests.size >= MOST_TESTS) return null;
  const name = `${who}-${tests.size}`;
  const log = {
    file: openSync(path.join(dir, `${name}.log`), "a"),
    first: openSync(path.join(dir, `${name}.first`), "a"),
    seen: new Set(),
    bytes: 0,
  };
  tests.set(test, log);
  appendFileSync(path.join(dir, "names"), `${name}\t${test.replace(/\s+/g, " ")}\n`);
  return log;
}

/** Jest and Vitest know the running test; elsewhere it is where the stack enters the repository. */
function nameOfTest(realm) {
  for (const expect of [realm.expect, realm[Symbol.for("expect-global")]]) {
    const name = expect?.getState?.()?.currentTestName;
    if (typeof name === "string" && name !== "") return name;
  }
  return placeOfTest();
}

// A stack costs far more than a line: after so many in one process only some are looked at.
const EACH_UNTIL = 2000;
const THEN_EVERY = 50;
let stacks = 0;
let lastPlace = "";

function placeOfTest() {
  stacks += 1;
  if (stacks > EACH_UNTIL && stacks % THEN_EVERY !== 0) return lastPlace;
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 100;
  const stack = String(new Error("where").stack);
  Error.stackTraceLimit = limit;
  const inside = stack.split("\n").filter((line) => line.includes(`${tree}/`) && !line.includes("/node_modules/"));
  const [, file = "", row = ""] = /\(?(?:file:\/\/)?(\/[^()]*?):(\d+):\d+\)?$/.exec(inside.at(-1) ?? "") ?? [];
  lastPlace = file === "" ? "" : `@${path.relative(tree, file)}:${row}`;
  return lastPlace;
}

const property = { value: probe, configurable: true, enumerable: false, writable: true };
Object.defineProperty(globalThis, "__rtProbe", property);
// Jest runs tests in contexts of their own.
const { createContext } = vm;
vm.createContext = (object, ...rest) => {
  const context = createContext(object, ...rest);
  try {
    Object.defineProperty(context, "__rtProbe", property);
  } catch {}
  return context;
};
nodeModule.syncBuiltinESMExports();
