import { actionlint } from "./actionlint.ts";
import { bazel } from "./bazel.ts";
import { biome } from "./biome.ts";
import { black } from "./black.ts";
import { bundler } from "./bundler.ts";
import { cargoBuild, cargoDoc } from "./cargo-build.ts";
import { cargoFmt } from "./cargo-fmt.ts";
import { cargoTest } from "./cargo-test.ts";
import { catch2 } from "./catch2.ts";
import { clangFormat } from "./clang-format.ts";
import { clangTidy } from "./clang-tidy.ts";
import { clippy } from "./clippy.ts";
import { cmake } from "./cmake.ts";
import { codespell } from "./codespell.ts";
import { commitlint } from "./commitlint.ts";
import { composer } from "./composer.ts";
import { conda } from "./conda.ts";
import { coverage } from "./coverage.ts";
import { ctest } from "./ctest.ts";
import { cypress } from "./cypress.ts";
import { docker } from "./docker.ts";
import { docstrings } from "./docstrings.ts";
import { dotnet } from "./dotnet.ts";
import { dotnetFormat } from "./dotnet-format.ts";
import { eslint } from "./eslint.ts";
import { flake8 } from "./flake8.ts";
import { FORMATTERS } from "./formatters.ts";
import { gcc } from "./gcc.ts";
import { ghc } from "./ghc.ts";
import { githubActions } from "./github-actions.ts";
import { goBuild, goVet } from "./go-build.ts";
import { goMod } from "./go-mod.ts";
import { goTest } from "./go-test.ts";
import { gofmt } from "./gofmt.ts";
import { golangciLint } from "./golangci-lint.ts";
import { gradle } from "./gradle.ts";
import { gtest } from "./gtest.ts";
import { hadolint } from "./hadolint.ts";
import { helm } from "./helm.ts";
import { isort } from "./isort.ts";
import { javac } from "./javac.ts";
import { jest } from "./jest.ts";
import { knip } from "./knip.ts";
import { LINK_CHECKERS } from "./link-checkers.ts";
import { make } from "./make.ts";
import { markdownlint } from "./markdownlint.ts";
import { maven } from "./maven.ts";
import { minitest } from "./minitest.ts";
import { mix } from "./mix.ts";
import { mkdocs } from "./mkdocs.ts";
import { mocha } from "./mocha.ts";
import { mypy } from "./mypy.ts";
import { nextBuild } from "./next-build.ts";
import { nix } from "./nix.ts";
import { nodeScript } from "./node-script.ts";
import { nodeTest } from "./node-test.ts";
import { npm } from "./npm.ts";
import { phpstan, psalm } from "./php-analysis.ts";
import { phpunit } from "./phpunit.ts";
import { pip } from "./pip.ts";
import { playwright } from "./playwright.ts";
import { pnpm } from "./pnpm-lockfile.ts";
import { poetry } from "./poetry.ts";
import { preCommit } from "./pre-commit.ts";
import { prettier } from "./prettier.ts";
import { pylint } from "./pylint.ts";
import { pyright } from "./pyright.ts";
import { pytest } from "./pytest.ts";
import { pythonScript } from "./python-script.ts";
import { rspec } from "./rspec.ts";
import { rubocop } from "./rubocop.ts";
import { ruff } from "./ruff.ts";
import { shellcheck } from "./shellcheck.ts";
import { shfmt } from "./shfmt.ts";
import { sphinx } from "./sphinx.ts";
import { stylelint } from "./stylelint.ts";
import { terraform } from "./terraform.ts";
import { terraformFmt } from "./terraform-fmt.ts";
import type { Tool } from "./tool.ts";
import { tsc } from "./tsc.ts";
import { typos } from "./typos.ts";
import { uncommittedChanges } from "./uncommitted-changes.ts";
import { unittest } from "./unittest.ts";
import { uv } from "./uv.ts";
import { vite } from "./vite.ts";
import { vitepress } from "./vitepress.ts";
import { vitest } from "./vitest.ts";
import { webpack } from "./webpack.ts";
import { yamllint } from "./yamllint.ts";
import { yarn } from "./yarn-lockfile.ts";

/** Every tool we can read. Where two answer to one command, the earlier row is asked first. */
export const TOOLS: readonly Tool[] = [
  tsc,
  vitest,
  jest,
  nodeTest,
  mocha,
  cypress,
  playwright,
  pytest,
  unittest,
  coverage,
  npm,
  uncommittedChanges,
  prettier,
  yamllint,
  eslint,
  biome,
  stylelint,
  black,
  isort,
  ruff,
  flake8,
  pylint,
  mypy,
  pyright,
  docstrings,
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
  clangTidy,
  gcc,
  gtest,
  catch2,
  ctest,
  cmake,
  make,
  dotnet,
  rspec,
  minitest,
  bundler,
  phpunit,
  phpstan,
  psalm,
  composer,
  ghc,
  mix,
  docker,
  terraform,
  helm,
  bazel,
  nix,
  githubActions,
  pip,
  uv,
  poetry,
  conda,
  vitepress,
  vite,
  webpack,
  nextBuild,
  sphinx,
  mkdocs,
  ...LINK_CHECKERS,
  codespell,
  typos,
  markdownlint,
  commitlint,
  knip,
  actionlint,
  shellcheck,
  hadolint,
  pythonScript,
  nodeScript,
  ...FORMATTERS,
];
