import { entitiesIn } from "../../agent/cite.ts";
import type { ProblemRepair } from "../../domain/experience.ts";

/** What a record names that a level above it may not name. */
export interface Names {
  readonly paths: ReadonlySet<string>;
  readonly symbols: ReadonlySet<string>;
  /** Changed lines, without white space. */
  readonly edits: ReadonlySet<string>;
  /** Owner, repository, workflow. */
  readonly places: ReadonlySet<string>;
}

// What a log quotes and what a change defines is the repository's own; plain words among it stand in any sentence.
const QUOTED = /['"`‘]([A-Za-z_$][\w$]*)['"`’]/g;
const DEFINED =
  /\b(?:function|class|interface|type|enum|const|let|var|def|fn|struct|trait|func|module)\s+(?:\([^)]*\)\s*)?([A-Za-z_$][\w$]*)/g;

// Shorter pieces of code stand in any sentence.
const LEAST_EDIT = 12;
const LEAST_SYMBOL = 4;

/** The names of one concrete record; `lines` are the changed lines of its hunks. */
export function namesOf(z: ProblemRepair, lines: readonly string[], repo: string, workflow: string | null): Names {
  const paths = new Set(z.r.hunks.flatMap(({ path, oldPath }) => [path, ...(oldPath === null ? [] : [oldPath])]));
  for (const path of [...paths]) {
    const base = path.slice(path.lastIndexOf("/") + 1);
    // A name that every repository has (package.json, tsconfig.json) tells nothing about this one.
    if (!isPublic(base)) paths.add(base);
    else if (base === path) paths.delete(path);
  }
  const quoted = [z.p.statement, ...z.p.signals].flatMap(({ value }) =>
    [...value.matchAll(QUOTED)].map(([, name]) => name ?? ""),
  );
  const defined = lines.flatMap((line) => [...line.matchAll(DEFINED)].map(([, name]) => name ?? ""));
  const symbols = [
    ...z.a.flatMap((artifact) => artifact.symbols),
    ...[...quoted, ...defined].filter(isCompound),
  ].filter((name) => name.length >= LEAST_SYMBOL && !isPublic(name));
  const edits = lines.map(squeeze).filter((line) => line.length >= LEAST_EDIT);
  const workflowName = workflow === null ? [] : [workflow, workflow.slice(workflow.lastIndexOf("/") + 1)];
  return {
    paths,
    symbols: new Set(symbols),
    edits: new Set(edits),
    places: new Set([
      repo,
      ...repo.split("/").filter((part) => part.length >= LEAST_SYMBOL && part !== "local"),
      ...workflowName,
    ]),
  };
}

/** What a strategy (L2) says that only its episode should; one line each. */
export function leaksOfStrategy(texts: readonly string[], names: Names): readonly string[] {
  return texts.flatMap((text) => {
    const path = [...names.paths].find((one) => hasWord(text, one));
    if (path !== undefined) return [`names the path ${path}: say its role`];
    const symbol = [...names.symbols].find((one) => hasWord(text, one));
    if (symbol !== undefined) return [`names the symbol ${symbol}: say its role`];
    const edit = [...names.edits].find((one) => squeeze(text).includes(one));
    return edit === undefined ? [] : [`repeats a changed line: say what it does`];
  });
}

/** The same for a pattern (L3): nothing that can be looked up may be left but public names. */
export function leaksOfPattern(texts: readonly string[], names: Names): readonly string[] {
  const known = leaksOfStrategy(texts, names);
  if (known.length > 0) return known;
  return texts.flatMap((text) => {
    const place = [...names.places].find((one) => hasWord(text.toLowerCase(), one.toLowerCase()));
    if (place !== undefined) return [`names ${place}`];
    const entity = entitiesIn(text).find((one) => looksPrivate(one, names));
    return entity === undefined ? [] : [`names ${entity}: nothing of the repository may be left`];
  });
}

/** Public: tools, packages, rules, error classes, files that every repository of a kind has. */
const PUBLIC =
  /^(?:package(?:-lock)?\.json|npm-shrinkwrap\.json|tsconfig[\w.-]*\.json|yarn\.lock|pnpm-lock\.yaml|pyproject\.toml|setup\.(?:py|cfg)|requirements[\w-]*\.txt|(?:poetry|uv|Cargo|Gemfile|composer)\.lock|Cargo\.toml|go\.(?:mod|sum)|Gemfile|pom\.xml|build\.gradle|Makefile|Dockerfile|README\.md|\.?[\w-]*eslint[\w.-]*|\.?prettier[\w.-]*|\.editorconfig|\.npmrc|\.nvmrc|GitHub|JavaScript|TypeScript|ESLint|PyPI|CI|[A-Z]\w*(?:Error|Exception|Warning)|[A-Z]{1,6}-?\d{2,6}|v?\d+(?:\.\d+)+|(?:no|prefer|require|consistent)-[\w-]+|node_modules|(?:npm|npx|yarn|pnpm|pip|uv|poetry|cargo|go|bundle|mvn|gradle|make|pytest|tsc|eslint|prettier|ruff|black|vitest|jest|mypy)(?: [\w:.@<>-]+)*)$/;

function isPublic(name: string): boolean {
  return PUBLIC.test(name);
}

function looksPrivate(entity: string, { paths }: Names): boolean {
  if (isPublic(entity) || /^<[\w -]+>$/.test(entity)) return false;
  // `source/test` in a sentence; a folder of this repository is none.
  if (/^[a-z]+\/[a-z]+$/.test(entity)) return [...paths].some((path) => path.includes(entity));
  return /[/\\]/.test(entity) || /\.\w{1,5}$/.test(entity) || isCompound(entity);
}

/** Written as only names in code are. */
function isCompound(name: string): boolean {
  return /\w_\w/.test(name) || /[a-z][A-Z]/.test(name);
}

function hasWord(text: string, word: string): boolean {
  for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + 1)) {
    if (!/[\w$]/.test(text.charAt(at - 1)) && !/[\w$]/.test(text.charAt(at + word.length))) return true;
  }
  return false;
}

function squeeze(text: string): string {
  return text.replace(/\s+/g, "");
}
