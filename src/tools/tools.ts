import { biome } from "./biome.ts";
import { black } from "./black.ts";
import { cargoBuild, cargoDoc } from "./cargo-build.ts";
import { cargoFmt } from "./cargo-fmt.ts";
import { cargoTest } from "./cargo-test.ts";
import { clangFormat } from "./clang-format.ts";
import { clippy } from "./clippy.ts";
import { dotnetFormat } from "./dotnet-format.ts";
import { eslint } from "./eslint.ts";
import { FORMATTERS } from "./formatters.ts";
import { goBuild, goVet } from "./go-build.ts";
import { goMod } from "./go-mod.ts";
import { goTest } from "./go-test.ts";
import { gofmt } from "./gofmt.ts";
import { golangciLint } from "./golangci-lint.ts";
import { gradle } from "./gradle.ts";
import { isort } from "./isort.ts";
import { javac } from "./javac.ts";
import { jest } from "./jest.ts";
import { maven } from "./maven.ts";
import { nodeTest } from "./node-test.ts";
import { npm } from "./npm.ts";
import { pnpm } from "./pnpm-lockfile.ts";
import { preCommit } from "./pre-commit.ts";
import { prettier } from "./prettier.ts";
import { pytest } from "./pytest.ts";
import { rubocop } from "./rubocop.ts";
import { ruff } from "./ruff.ts";
import { shfmt } from "./shfmt.ts";
import { stylelint } from "./stylelint.ts";
import { terraformFmt } from "./terraform-fmt.ts";
import type { Tool } from "./tool.ts";
import { tsc } from "./tsc.ts";
import { uncommittedChanges } from "./uncommitted-changes.ts";
import { vitest } from "./vitest.ts";
import { yarn } from "./yarn-lockfile.ts";

/** Every tool we can read. Where two answer to one command, the earlier row is asked first. */
export const TOOLS: readonly Tool[] = [
  tsc,
  vitest,
  jest,
  nodeTest,
  pytest,
  npm,
  uncommittedChanges,
  prettier,
  eslint,
  biome,
  stylelint,
  black,
  isort,
  ruff,
  gofmt,
  cargoFmt,
  clippy,
  cargoTest,
  cargoBuild,
  cargoDoc,
  goMod,
  goTest,
  goBuild,
  goVet,
  golangciLint,
  maven,
  gradle,
  javac,
  preCommit,
  terraformFmt,
  rubocop,
  dotnetFormat,
  clangFormat,
  shfmt,
  pnpm,
  yarn,
  ...FORMATTERS,
];
