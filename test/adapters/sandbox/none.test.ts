import { performance } from "node:perf_hooks";
import { describe } from "vitest";
import { unsandboxed } from "../../../src/adapters/sandbox/none.ts";
import { sandboxContract } from "../../contracts/sandbox-contract.ts";

describe("no sandbox, asked for by name", () => {
  sandboxContract(({ rooms }) =>
    unsandboxed({
      searchPath: process.env.PATH ?? "/usr/bin:/bin",
      home: process.env.HOME ?? "/root",
      folder: rooms,
      setupEnv: {},
      world: { monotonicMs: () => performance.now() },
    }),
  );
});
