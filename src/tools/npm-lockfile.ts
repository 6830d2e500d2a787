import { withoutOptions } from "./change-args.ts";
import { withArgs } from "./program-call.ts";
import { programOf } from "./run-program.ts";
import type { FixRule } from "./tool.ts";

const INSTALLS = new Set(["ci", "clean-install", "install-clean", "cit", "clean-install-test", "install", "i", "add"]);
/** What decides how dependencies resolve or where the package lies; anything else has no say about a lock file. */
const KEPT = /^(?:--legacy-peer-deps|--strict-peer-deps|--force|-f|--no-optional|--legacy-bundling|--workspaces|-ws)$/;
const KEPT_VALUED =
  /^(?:--prefix|-C|--registry|--userconfig|--workspace|-w|--install-strategy|--lockfile-version|--before)$/;
// Nothing but the lock file, no script of any package, no traffic that has nothing to do with it.
const LOCK_ONLY = ["--package-lock-only", "--ignore-scripts", "--no-audit", "--no-fund"];

/**
 * Brings npm's lock file in line with the manifest: `npm ci` → `npm install --package-lock-only …`. An `npm install` of
 * named packages is no check and has none.
 */
export const npmLockfileFix: FixRule = {
  derive: (command) => {
    const call = programOf(command);
    if (call?.program !== "npm") return null;
    const verb = call.args.findIndex(
      ({ value }, at) => !value.startsWith("-") && !KEPT_VALUED.test(call.args[at - 1]?.value ?? ""),
    );
    if (!INSTALLS.has(call.args[verb]?.value ?? "")) return null;
    const options = [...call.args.slice(0, verb), ...call.args.slice(verb + 1)];
    const rest = withoutOptions(options, { drop: KEPT, dropValued: KEPT_VALUED }).kept;
    if (rest.some((word) => !word.startsWith("-"))) return null;
    const kept = options.filter(
      ({ value }, at) =>
        KEPT.test(value) || KEPT_VALUED.test(value.replace(/=.*$/s, "")) || isValueOf(options[at - 1]?.value),
    );
    return withArgs(call, ["install", ...LOCK_ONLY, ...kept.map(({ raw }) => raw)]);
  },
  installs: true,
  mayTouch: (path) => /(?:^|\/)(?:package-lock|npm-shrinkwrap)\.json$/.test(path),
  proven: "executed",
};

function isValueOf(option: string | undefined): boolean {
  return option !== undefined && !option.includes("=") && KEPT_VALUED.test(option);
}
