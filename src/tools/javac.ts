import { bareLines } from "./bare-lines.ts";
import { readJvmCompile } from "./jvm-compile.ts";
import { runs } from "./run-program.ts";
import type { Tool } from "./tool.ts";

export const javac: Tool = {
  name: "javac",
  kind: "build",
  category: "type_checking",
  answersTo: (command) => runs(command, ["javac", "kotlinc", "groovyc", "ant"]),
  read: (step) => readJvmCompile(bareLines(step)),
};
