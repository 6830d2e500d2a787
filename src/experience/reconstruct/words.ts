// Words of languages and of error messages: they name nothing of a repository.
const COMMON = new Set(
  `abstract any array as assert async await boolean bool break case catch class const continue declare def default delete
  do else enum error exception expected export extends false final finally fn for from func function get go if implements
  import in instanceof int interface is it let map module mut name namespace new nil none not null number object of or and
  package pass private property protected public raise readonly receiver ref require return self set static str string
  struct super switch symbol test then this throw throws true try type typeof undefined union unknown use val value var
  void while with yield actual found got missing cannot does exist exists defined declared never used argument arguments
  assignable parameter line file path main call called received toBe toEqual expect describe`.split(/\s+/),
);

/** The identifiers in a text, common words left out. */
export function namesIn(text: string): readonly string[] {
  return (text.match(/[A-Za-z_$][\w$]*/g) ?? []).filter((name) => isTelling(name));
}

/** Whether a word can stand for one thing in a repository. */
export function isTelling(name: string): boolean {
  return name.length >= 3 && !COMMON.has(name) && !COMMON.has(name.toLowerCase());
}

const FILE_NAME = /\.(?:[cm]?[jt]sx?|json|py|go|rs|java|rb|md|ya?ml|toml|css|html|txt|lock|cfg|ini)$/;

/**
 * What a message quotes or writes as a name: `'total'`, `"left-pad"`, `` `parse` ``, `Cart.add`, `parse_row`. The words
 * around it are the tool's, these are the repository's.
 */
export function namedIn(message: string): readonly string[] {
  const quoted = [...message.matchAll(/'([^'\n]{1,120})'|"([^"\n]{1,120})"|`([^`\n]{1,120})`|‘([^’\n]{1,120})’/g)].map(
    (match) => match[1] ?? match[2] ?? match[3] ?? match[4] ?? "",
  );
  const shaped = (
    message.match(
      /(?<![\w./\\-])(?:[a-z]+[A-Z]\w*|[A-Z][a-z]+[A-Z]\w*|\w+_\w+|[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+)\b(?![\\/-])/g,
    ) ?? []
  ).filter((name) => !FILE_NAME.test(name));
  // A quoted type or name is taken apart; a package, a path or a sentence is not: its parts are words of any repository.
  const identifiers = quoted.filter(
    (text) => !FILE_NAME.test(text) && /^[\w$.<>|&[\]{}(),:;?= ]+$/.test(text) && !/[a-z] [a-z]/.test(text),
  );
  const packages = quoted.filter((text) => /^@?[a-z0-9][\w.-]*(?:\/[\w.-]+)?$/i.test(text) && /[-/@]/.test(text));
  return [...new Set([...packages, ...[...identifiers, ...shaped].flatMap(namesIn)])];
}

/** Words that only one of two texts has; all of both when they have the same ones. */
export function wordsThatDiffer(before: string, after: string): ReadonlySet<string> {
  const [old, young] = [new Set(namesIn(before)), new Set(namesIn(after))];
  const differing = [...[...old].filter((word) => !young.has(word)), ...[...young].filter((word) => !old.has(word))];
  return new Set(differing.length > 0 ? differing : [...old, ...young]);
}

/** Whether a text holds the name as a word of its own. */
export function mentions(text: string, name: string): boolean {
  let from = text.indexOf(name);
  while (from !== -1) {
    if (!/[\w$]/.test(text.charAt(from - 1)) && !/[\w$]/.test(text.charAt(from + name.length))) return true;
    from = text.indexOf(name, from + 1);
  }
  return false;
}
