import { addedLines, countLines, removedLines } from "../../text/diff.ts";
import { matchesGlob } from "../../text/glob.ts";
import { redactCounting } from "../../text/redact.ts";
import { isManifest } from "./file-kind.ts";
import type { GuardRule } from "./patch-view.ts";

/** Rules on the patch as a whole: which files, how many, of what kind. They bind formatter-only changes too. */
export const PATCH_RULES: readonly GuardRule[] = [
  {
    name: "protected-path",
    looksAt: "files the repository's settings protect",
    find: ({ files, policy }) =>
      files.flatMap((file) =>
        policy.protectedPaths
          .filter((glob) => matchesGlob(glob, file.path) || (file.oldPath !== null && matchesGlob(glob, file.oldPath)))
          .slice(0, 1)
          .map((glob) => ({ file: file.path, line: null, message: `protected by ${glob}` })),
      ),
  },
  {
    name: "binary-file",
    looksAt: "files nobody can read in a review",
    find: ({ files }) =>
      files
        .filter(({ diff }) => diff.binary)
        .map(({ path }) => ({ file: path, line: null, message: "a binary file changed" })),
  },
  {
    name: "too-many-files",
    looksAt: "the limit of files, except for a tool's own fixes",
    find: ({ files, policy, engine }) =>
      engine === "autofix" || files.length <= policy.limits.files
        ? []
        : [
            {
              file: files[0]?.path ?? "",
              line: null,
              message: `${files.length} files changed, ${policy.limits.files} are allowed`,
            },
          ],
  },
  {
    name: "too-many-lines",
    looksAt: "the limit of lines added and removed, except for a tool's own fixes",
    find({ files, policy, engine }) {
      const { added, removed } = countLines(files.map(({ diff }) => diff));
      if (engine === "autofix" || added + removed <= policy.limits.lines) return [];
      return [
        {
          file: files[0]?.path ?? "",
          line: null,
          message: `${added + removed} lines changed, ${policy.limits.lines} are allowed`,
        },
      ];
    },
  },
  {
    name: "file-mode",
    looksAt: "files turned into links or submodules",
    find: ({ files }) =>
      files
        .filter(({ diff }) => /^(?:120000|160000)$/.test(diff.newMode ?? "") && diff.oldMode !== diff.newMode)
        .map(({ path }) => ({ file: path, line: null, message: "became a link or a submodule" })),
  },
  {
    name: "lockfile-alone",
    looksAt: "lockfiles changed without a manifest, unless the lockfile is what the check complains about",
    find: ({ files, lockfileIsTheCheck }) =>
      lockfileIsTheCheck || files.some(({ path }) => isManifest(path))
        ? []
        : files
            .filter(({ kind }) => kind === "lockfile")
            .map(({ path }) => ({ file: path, line: null, message: "changed although no manifest did" })),
  },
  {
    name: "snapshot-rewritten",
    looksAt: "snapshots and golden files changed without a change of the code they show",
    find: ({ changed }) =>
      changed.some(({ kind }) => kind === "source")
        ? []
        : changed
            .filter(
              ({ kind, diff, oldKind }) =>
                (kind === "snapshot" || oldKind === "snapshot") &&
                diff.status !== "added" &&
                !(diff.status === "renamed" && diff.hunks.length === 0),
            )
            .map(({ path, diff }) => ({
              file: path,
              line: diff.hunks[0]?.newStart ?? null,
              message: "rewritten although no code changed",
            })),
  },
  {
    name: "secret",
    looksAt: "added lines with credentials in them",
    find: ({ files }) =>
      files.flatMap((file) => {
        const known = new Set(removedLines(file.diff).flatMap(({ text }) => text.match(/[\w+/=.-]{12,}/g) ?? []));
        const added = addedLines(file.diff);
        const text = added.map((line) => line.text).join("\n");
        const clean = redactCounting(text).text.split("\n");
        return added.flatMap(({ text: line, newLine }, at) => {
          const kinds = [...(clean[at] ?? "").matchAll(/\[redacted:([\w-]+)\]/g)].map((match) => match[1] ?? "");
          const bad = kinds.find((kind) => isSecretHere(kind, file.kind));
          if (bad === undefined || line.includes(`[redacted:${bad}]`)) return [];
          const values = line.match(/[\w+/=.-]{12,}/g) ?? [];
          if (values.length > 0 && values.every((value) => known.has(value))) return [];
          return [{ file: file.path, line: newLine, message: `an added line holds a secret (${bad})` }];
        });
      }),
  },
];

/** Addresses and homes are no secrets; made-up passwords are what tests and lockfiles are full of. */
function isSecretHere(kind: string, fileKind: string): boolean {
  if (kind === "email" || kind === "home-path") return false;
  const guessed = kind === "named-secret" || kind === "random-value" || kind === "url-credentials";
  return !(
    guessed &&
    (fileKind === "test" ||
      fileKind === "test-setup" ||
      fileKind === "lockfile" ||
      fileKind === "snapshot" ||
      fileKind === "prose")
  );
}
