import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { toolPrefixes } from "../../../src/adapters/sandbox/prefixes.ts";

describe("the prefixes of the operator's tools", () => {
  let home: string;

  beforeEach(() => {
    home = realpathSync(mkdtempSync(path.join(tmpdir(), "prefixes-test-")));
    for (const folder of [".ssh", ".cargo", "project"]) mkdirSync(path.join(home, folder));
    writeFileSync(path.join(home, ".cargo/credentials.toml"), "token");
  });

  afterEach(() => {
    rmSync(home, { recursive: true, force: true });
  });

  const make = (...folders: string[]): void => {
    for (const folder of folders) mkdirSync(path.join(home, folder), { recursive: true });
  };

  it.each([
    { tool: "pyenv", on: ".pyenv/shims", binds: [".pyenv"], copies: [".pyenv/shims"], env: { PYENV_ROOT: ".pyenv" } },
    {
      tool: "rustup",
      on: ".cargo/bin",
      also: [".rustup/toolchains"],
      binds: [".cargo/bin", ".rustup"],
      env: { RUSTUP_HOME: ".rustup" },
    },
    { tool: "nvm", on: ".nvm/versions/node/v20.1.0/bin", binds: [".nvm/versions/node/v20.1.0"] },
    {
      tool: "volta",
      on: ".volta/bin",
      also: [".volta/tools"],
      binds: [".volta/bin", ".volta/tools"],
      env: { VOLTA_HOME: ".volta" },
    },
    {
      tool: "asdf",
      on: ".asdf/shims",
      binds: [".asdf"],
      copies: [".asdf/shims"],
      env: { ASDF_DIR: ".asdf", ASDF_DATA_DIR: ".asdf" },
    },
    {
      tool: "sdkman",
      on: ".sdkman/candidates/java/current/bin",
      binds: [".sdkman/candidates/java"],
      env: { JAVA_HOME: ".sdkman/candidates/java/current" },
    },
    { tool: "go install", on: "go/bin", also: ["go/pkg"], binds: ["go/bin"] },
  ])("show what $tool needs and no more of the home", async ({ on, also = [], binds, copies = [], env = {} }) => {
    make(on, ...also);
    const inHome = (each: string): string => path.join(home, each);

    expect(await toolPrefixes(`/usr/bin:${inHome(on)}`, home, [])).toEqual({
      binds: binds.map(inHome),
      copies: copies.map(inHome),
      searchPath: ["/usr/bin", inHome(on)],
      env: Object.fromEntries(Object.entries(env).map(([name, value]) => [name, inHome(value)])),
    });
  });

  it("follow a per-shell folder of links, as fnm makes, to what stays", async () => {
    make("share/fnm/node-versions/v20.1.0/installation/bin", "run");
    symlinkSync("../share/fnm/node-versions/v20.1.0/installation", path.join(home, "run/4711"));

    expect(await toolPrefixes(path.join(home, "run/4711/bin"), home, [])).toMatchObject({
      binds: [path.join(home, "share/fnm/node-versions/v20.1.0")],
      searchPath: [path.join(home, "share/fnm/node-versions/v20.1.0/installation/bin")],
    });
  });

  it("show the packages that npm's own prefix links to", async () => {
    make(".npm-global/bin", ".npm-global/lib/node_modules/@shelf/paint/bin", ".npm-global/lib/node_modules/other");
    writeFileSync(path.join(home, ".npm-global/lib/node_modules/@shelf/paint/bin/paint.cjs"), "");
    symlinkSync("../lib/node_modules/@shelf/paint/bin/paint.cjs", path.join(home, ".npm-global/bin/paint"));

    const { binds } = await toolPrefixes(path.join(home, ".npm-global/bin"), home, []);

    expect(binds).toEqual(
      [".npm-global/bin", ".npm-global/lib/node_modules/@shelf/paint"].map((each) => path.join(home, each)),
    );
  });

  it("show what the links of ~/.local/bin point to", async () => {
    make(".local/bin", ".local/share/uv/tools/ruff/bin", ".local/lib/secret");
    writeFileSync(path.join(home, ".local/share/uv/tools/ruff/bin/ruff"), "");
    symlinkSync("../share/uv/tools/ruff/bin/ruff", path.join(home, ".local/bin/ruff"));

    const { binds } = await toolPrefixes(path.join(home, ".local/bin"), home, []);

    expect(binds).toEqual([path.join(home, ".local/bin"), path.join(home, ".local/share/uv/tools/ruff")]);
  });

  it.each(["", ".", "bin", "/no/such/folder"])("leave out a search path entry like '%s'", async (entry) => {
    expect(await toolPrefixes(entry, home, [])).toEqual({ binds: [], copies: [], searchPath: [], env: {} });
  });

  it("never show a whole home, or a folder that holds what is kept apart", async () => {
    make("tools/data");

    const { binds } = await toolPrefixes(`${home}:${home}/tools`, home, [`${home}/tools/data`]);

    expect(binds).toEqual([]);
  });
});
