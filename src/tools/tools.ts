import { jest } from "./jest.ts";
import { npm } from "./npm.ts";
import { pytest } from "./pytest.ts";
import type { Tool } from "./tool.ts";
import { tsc } from "./tsc.ts";
import { vitest } from "./vitest.ts";

/** Every tool we can read. Where two answer to one command, the earlier row is asked first. */
export const TOOLS: readonly Tool[] = [tsc, vitest, jest, pytest, npm];
