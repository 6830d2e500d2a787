import type { FailureClass } from "../domain/category.ts";
import { bareLines } from "./bare-lines.ts";
import { changeArgs } from "./change-args.ts";
import { programCall } from "./program-call.ts";
import type { Diagnostic, Tool } from "./tool.ts";

const ERROR = /^\s*(?:\[?ERROR\]? |ERR! )?\s*(ERR_PNPM_\w+)\s+(.*)$/;

interface Kind {
  readonly category: FailureClass;
  readonly file: string | null;
}

const MANIFEST = "package.json";
const LOCK = "pnpm-lock.yaml";
// pnpm.io/errors
const KINDS: readonly (readonly [RegExp, Kind])[] = [
  [
    /OUTDATED_LOCKFILE|LOCKFILE_CONFIG_MISMATCH|BROKEN_LOCKFILE|NO_LOCKFILE|TARBALL_INTEGRITY|FROZEN_LOCKFILE/,
    { category: "dependency_issue", file: LOCK },
  ],
  [
    /NO_MATCHING_VERSION|PEER_DEP_ISSUES|FETCH_404|WORKSPACE_PKG_NOT_FOUND|SPEC_NOT_SUPPORTED|NO_VERSIONS/,
    { category: "dependency_issue", file: MANIFEST },
  ],
  [/UNSUPPORTED_ENGINE|BAD_PM_VERSION/, { category: "environment_error", file: MANIFEST }],
  [/JSON_PARSE/, { category: "syntax_error", file: MANIFEST }],
  [
    /NO_SCRIPT|NO_IMPORTER_MANIFEST_FOUND|NO_PKG_MANIFEST|INVALID_WORKSPACE/,
    { category: "configuration_error", file: MANIFEST },
  ],
  [/FETCH_40[13]/, { category: "secret_or_permission", file: null }],
  [/FETCH_(?:429|5\d\d)|META_FETCH_FAIL|REGISTRIES/, { category: "infra_transient", file: null }],
];
/** A script of the repository failed: whatever it ran says why. */
const NOT_OURS = /RECURSIVE_RUN_FIRST_FAIL|RECURSIVE_EXEC_FIRST_FAIL|RECURSIVE_FAIL/;

export const pnpm: Tool = {
  name: "pnpm",
  kind: "install",
  category: "package_install_error",
  answersTo: (command) => {
    const call = programCall(command);
    return call?.program === "pnpm";
  },
  read: (step) =>
    bareLines(step).flatMap(({ number, text }): Diagnostic[] => {
      const [, code, message = ""] = ERROR.exec(text) ?? [];
      if (code === undefined || NOT_OURS.test(code)) return [];
      const kind = KINDS.find(([pattern]) => pattern.test(code))?.[1];
      const file = kind?.file ?? null;
      return [
        {
          message: message.trim(),
          rule: code,
          lines: [number],
          location: file === null ? null : { file, line: null, col: null },
          ...(kind === undefined ? {} : { category: kind.category }),
        },
      ];
    }),
  fix: {
    /** `pnpm install --frozen-lockfile` → `pnpm install --lockfile-only …`; pnpm freezes the lock file in CI unasked. */
    derive: (command) => {
      if (!isPlainInstall(command)) return null;
      return changeArgs(command, [
        {
          programs: ["pnpm"],
          drop: /^--(?:frozen-lockfile|prefer-frozen-lockfile|offline|prefer-offline|ignore-scripts|prod|dev|lockfile-only|no-frozen-lockfile)(?:=.*)?$|^-[PD]$/,
          dropValued: /^--reporter$/,
          add: ["--lockfile-only", "--no-frozen-lockfile", "--ignore-scripts"],
          append: true,
        },
      ]);
    },
    installs: true,
    mayTouch: (path) => /(?:^|\/)pnpm-lock\.yaml$/.test(path),
    proven: "executed",
  },
};

/** `pnpm install` of what the manifest says, not of named packages; options may stand before and after. */
function isPlainInstall(command: string): boolean {
  const words = (programCall(command)?.args ?? []).map(({ value }) => value);
  const plain = words.filter(
    (word, at) => !word.startsWith("-") && !/^(?:-C|--dir|--filter|-F)$/.test(words[at - 1] ?? ""),
  );
  return plain.length === 1 && (plain[0] === "install" || plain[0] === "i");
}
