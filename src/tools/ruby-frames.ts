import type { StackFrame } from "../domain/evidence.ts";
import { relativePath } from "./repository-path.ts";

const FRAME = /^\s*(?:from )?(\S[^:]*?\.(?:rb|rake|ru|gemspec|erb)|Rakefile|Gemfile):(\d+):in [`'](.+?)'\s*$/;
// Gems that were installed beside or inside the checkout.
const FOREIGN = /(?:^|\/)(?:gems|vendor\/bundle|rubygems|ruby\/\d)[/-]|^<internal:/;

/** A frame of a Ruby trace that lies in the repository; null for any other line. */
export function rubyFrame(text: string): StackFrame | null {
  const [, path, line, fn] = FRAME.exec(text) ?? [];
  if (path === undefined || FOREIGN.test(path)) return null;
  const file = relativePath(path);
  return file === null ? null : { file, line: Number(line), fn: fn ?? null };
}
