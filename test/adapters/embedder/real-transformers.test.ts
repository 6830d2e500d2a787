import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, it } from "vitest";
import { transformersEmbedder } from "../../../src/adapters/embedder/transformers-embedder.ts";
import { writeTinyModel } from "./tiny-model.ts";

// The package is optional and large (half a gigabyte): it is tried where it is installed, here or in the folder that the variable names.
const INSTALLED = process.env.RETRACE_TEST_TRANSFORMERS ?? path.join(import.meta.dirname, "../../..");

function isThere(): boolean {
  try {
    createRequire(path.join(INSTALLED, "package.json")).resolve("@huggingface/transformers");
    return true;
  } catch {
    return false;
  }
}

it.skipIf(!isThere())(
  "the real package opens a model that was made here, and gives the middle of its words",
  async () => {
    const folder = mkdtempSync(path.join(tmpdir(), "real-transformers-"));
    try {
      symlinkSync(path.join(INSTALLED, "node_modules"), path.join(folder, "node_modules"));
      writeTinyModel(path.join(folder, "tiny"), {
        cart: [1, 0, 0],
        basket: [1, 0, 0],
        lint: [0, 1, 0],
        rule: [0, 0, 1],
      });

      const vectors = await transformersEmbedder(path.join(folder, "tiny")).embed([
        "Cart",
        "basket",
        "lint rule",
        "lint",
      ]);

      const half = Math.SQRT1_2;
      expect(vectors.map((vector) => [...vector].map((value) => Number(value.toFixed(6))))).toEqual(
        [
          [1, 0, 0],
          [1, 0, 0],
          [0, half, half],
          [0, 1, 0],
        ].map((row) => row.map((value) => Number(value.toFixed(6)))),
      );
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
);
