import type { Tool } from "./tool.ts";

/** Every tool we can read. Where two answer to one command, the earlier row is asked first. */
export const TOOLS: readonly Tool[] = [];
