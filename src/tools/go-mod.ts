import { bareLines } from "./bare-lines.ts";
import { readGoModules } from "./go-modules.ts";
import { withArgs } from "./program-call.ts";
import { programOf } from "./run-program.ts";
import type { Tool } from "./tool.ts";

export const goMod: Tool = {
  name: "go mod",
  kind: "install",
  category: "dependency_issue",
  answersTo: (command) => {
    const call = programOf(command);
    return call?.program === "go" && call.args[0]?.value === "mod";
  },
  read: (step) => readGoModules(bareLines(step)),
  fix: {
    /** `go mod tidy -diff`, `go mod verify` and `go mod download` → `go mod tidy`. */
    derive: (command) => {
      const call = programOf(command);
      const [mod, verb, ...rest] = call?.program === "go" ? call.args.map(({ value }) => value) : [];
      if (call === null || mod !== "mod") return null;
      if (verb === "tidy" && !rest.some((arg) => /^--?diff(?:=true)?$/.test(arg))) return null;
      if (verb !== "tidy" && verb !== "verify" && verb !== "download") return null;
      const kept = verb === "tidy" ? rest.filter((arg) => !/^--?diff/.test(arg)) : [];
      return withArgs(call, ["mod", "tidy", ...kept]);
    },
    installs: true,
    mayTouch: (path) => /(?:^|\/)go\.(?:mod|sum)$/.test(path),
    proven: "derivation-only",
  },
};
