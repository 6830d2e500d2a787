/** What an assertion speaks about and how much it demands: 0 cannot fail, 5 demands one exact value, null unknown. */
export interface Demand {
  readonly subject: string;
  readonly strength: number | null;
}

/** Matchers by the last word of their name, lower case, `assert`, `to` and `_` taken off. First row that fits. */
const MATCHERS: readonly (readonly [RegExp, number])[] = [
  [/^(?:deep)?strict(?:deep)?equals?$|^strictsame$/, 5],
  [
    /^(?:deep)?(?:equals?|eql?|same|be|is|isequal|isequalto|issame|issameas|dictequal|listequal|setequal|tupleequal|multilineequal|countequal|arrayequals|jsoneq|yamleq|containsexactly|containexactly|identicalto|matchinlinesnapshot|havebeencalledwith|calledwith|calledoncewith|havebeenlastcalledwith|exactly|xctassertequal|nodiff|equalvalues|eqvalues|array_?equal|frame_?equal|series_?equal|have_?text|havetext|havevalue|havestyle)$/,
    5,
  ],
  [
    /^(?:throwsexactly|throwswith|raisesregex|throwserrormatching|raiseswith|errorcontains|eqerror|throwerrormatchinginlinesnapshot)$/,
    4.5,
  ],
  [
    /^(?:isnone|isnull|null|nil|none|benull|beundefined|isundefined|undefined|be_?nil|beempty|empty|isempty|be_?empty|noerror|nothrow|benan|isnan|ok_?eq)$/,
    4.5,
  ],
  [
    /^(?:almostequals?|approx\w*|closeto|becloseto|indelta|inepsilon|be_?within|allclose|matchsnapshot|snapshot|havebeencalledtimes|calledtimes|callcount|called_?once|errorsis|erroris|erroras)$/,
    4,
  ],
  [/^(?:throws?\w*|raises?\w*|rejects?|raise_?error|warns)$/, 4],
  [
    /^(?:matchobject|containequal|contains?\w*|contain|includes?|in|matches|match|regex|likes?|havelength|haslength|lengthof|len|length|hassize|elementsmatch|subset|startswith|endswith|start_?with|end_?with|objectcontaining|havesize|count|havecount|have_?attributes)$/,
    3,
  ],
  [
    /^(?:greater\w*|less\w*|begreater\w*|beless\w*|above|below|atleast|atmost|gt|gte|lt|lte|beinstanceof|instanceof|isinstance|isinstanceof|isinstance|be_?a|be_?an|be_?kind_?of|haveproperty|hasproperty|property|typeof|a|an|within|between|istype|noteq|ne|notequals?|notsame|havebeencalled|called|havebeencalledonce|error|have_?key|respond_?to|hasfield)$/,
    2,
  ],
  [/^(?:false|isfalse|befalse|falsy|befalsy|be_?false|be_?falsey|notok)$/, 1.5],
  [
    /^(?:true|istrue|betrue|truthy|betruthy|be_?true|be_?truthy|ok|defined|bedefined|exists?|exist|isdefined|notnull|notnil|notnone|isnotnull|isnotnone|isnotnil|notempty|isnotempty|not_?nil|be_?present|be_?valid|notundefined|visible|bevisible|present|predicate|inthedocument|beinthedocument)$/,
    1,
  ],
];

/** Words of a chain that only negate or read well. */
const FILLER = new Set(
  "to be been is that which and has have with at of same but does still also not resolves rejects deep eventually".split(
    " ",
  ),
);

export function strengthOfCall(call: {
  readonly name: string;
  readonly args: string;
  readonly chain: string;
  readonly path: string;
}): Demand {
  const { name, args, chain, path } = call;
  const links = [...chain.matchAll(/(?:\.|->|\s)\s*(\w+)/g)].map((match) => match[1] ?? "");
  const isFluent =
    /(?:^|[.:])(?:expect|assertThat|that|expectTypeOf)$/.test(name) || (/^expect\b/.test(name) && chain !== "");
  if (isFluent) return fluent(args, chain, links);
  const parts = splitArgs(args);
  const last = (name.split(/[.:>]+/).at(-1) ?? "").replace(/^XCTAssert|^ASSERT_|^EXPECT_/, "assert");
  const word = last
    .replace(/^(?:assert|refute|should|verify|must|expect)_?(?=\w)/i, "")
    .replace(/_/g, "")
    .toLowerCase();
  const negated = /^refute/.test(last);
  // An expression is asserted: what counts is the comparison in it.
  if (/^(?:true|assert|ok|istrue|debug)?$/.test(word) || /^(?:self\.)?assertTrue$/.test(name)) {
    return strengthOfComparison(parts[0] ?? "");
  }
  const row = MATCHERS.find(([pattern]) => pattern.test(word));
  if (row === undefined) return { subject: squash(parts[0] ?? ""), strength: null };
  return {
    subject: subjectOf(parts),
    strength: adjust(negated ? Math.min(row[1], 2) : row[1], word, parts, name, path),
  };
}

function fluent(args: string, chain: string, links: readonly string[]): Demand {
  const subject = squash(args);
  const negated = /\b(?:not|to_not|not_to|isNot\w*|doesNot\w*)\b/.test(links.join(" "));
  const matcher =
    links.filter((link) => !FILLER.has(link)).find((link) => matcherRow(link) !== undefined) ?? links.at(-1);
  if (matcher === undefined) return { subject, strength: null };
  const row = matcherRow(matcher);
  if (row === undefined) return { subject, strength: null };
  const at = chain.lastIndexOf(matcher) + matcher.length;
  const given = chain
    .slice(at)
    .trim()
    .replace(/^\(|\)$/g, "")
    .trim();
  if (given !== "" && squash(given) === subject) return { subject, strength: 0 };
  if (isLiteral(args) && (given === "" || isLiteral(given))) return { subject, strength: 0 };
  let strength = row[1];
  if (negated)
    strength =
      strength >= 4.5 && /null|undefined|nil|none|empty/i.test(matcher)
        ? 1
        : Math.min(strength, strength === 5 ? 2 : 1);
  if (!negated && /throw|raise|reject/i.test(matcher)) strength = throwStrength(splitArgs(given));
  return { subject, strength: strength - wildcards(given) };
}

function matcherRow(link: string): readonly [RegExp, number] | undefined {
  const word = link.replace(/^to(?=[A-Z_])/, "").toLowerCase();
  return MATCHERS.find(([pattern]) => pattern.test(word) || pattern.test(word.replace(/_/g, "")));
}

function adjust(base: number, word: string, parts: readonly string[], name: string, path: string): number {
  const [first = "", second = ""] = parts.map(squash);
  if (/^(?:raises?|throws?)\w*$/.test(word) && base === 4)
    return throwStrength(/\.(?:py|java|kt|cs)$/.test(path) ? parts : parts.slice(1));
  if (base < 5) return base - wildcards(parts.join(","));
  if (first === second && first !== "") return 0;
  // An equal comparison with a truth value demands no more than the assertion named after it.
  if (path.endsWith(".py") && /^(?:True|False)$/.test(second || first))
    return second === "True" || first === "True" ? 1 : 1.5;
  if (path.endsWith(".py") && /^None$/.test(second)) return 4.5;
  if (/^assert\.(?:equal|deepEqual)$/.test(name) && /\.[cm]?[jt]sx?$/.test(path)) return 4.5;
  if (path.endsWith(".php") && word === "equals") return 4.5;
  return base - wildcards(second);
}

function throwStrength(parts: readonly string[]): number {
  const given = parts
    .map((part) => part.trim())
    .filter((part) => part !== "" && !/^(?:\(\)|lambda|function|async|\w+\s*=>)/.test(part));
  const [type = ""] = given;
  if (type === "" || /^(?:Base)?Exception(?:\.class)?$|^Throwable(?:\.class)?$|^(?:Standard)?Error$/.test(type)) {
    return given.some((part) => /match\s*=/.test(part)) ? 4 : 2;
  }
  return given.length > 1 && given.slice(1).some((part) => /match\s*=|["'/]/.test(part))
    ? 4.5
    : /^["'`/]/.test(type)
      ? 4.5
      : 4;
}

/** `x == 4` and the like, as Python's `assert`, Rust's `assert!` and assertTrue take them. */
export function strengthOfComparison(expression: string): Demand {
  const text = expression.trim();
  const compared =
    /^([\s\S]*?[^=!<>])(===|!==|==|!=|<=|>=|<|>|\bis not\b|\bis\b|\bnot in\b|\bin\b)(?!=)([\s\S]*)$/.exec(
      outside(text),
    );
  if (/^(?:True|true|1)$/.test(text) || /^["'].*["']$/.test(text)) return { subject: text, strength: 0 };
  if (/\b(?:or|\|\|)\s*(?:True|true|1)\b|\|\|\s*true\b/.test(text)) return { subject: text, strength: 0 };
  if (compared === null) return { subject: squash(text.replace(/^not\s+|^!/, "")), strength: bareStrength(text) };
  const [, left = "", operator = "", right = ""] = compared;
  const subject = squash(text.slice(0, left.length).replace(/^not\s+/, ""));
  const value = squash(text.slice(text.length - right.length));
  if (subject === value || (isLiteral(subject) && isLiteral(value))) return { subject, strength: 0 };
  const lowered = /\bor\b|\|\|/.test(outside(text)) ? 1 : 0;
  return { subject, strength: operatorStrength(operator, value) - lowered - wildcards(value) };
}

function operatorStrength(operator: string, value: string): number {
  if (/^(?:==|===|is)$/.test(operator)) {
    if (/approx\(/.test(value)) return 4;
    if (/^(?:True|true)$/.test(value)) return 1;
    if (/^(?:False|false)$/.test(value)) return 1.5;
    return /^(?:None|null|nil)$/.test(value) ? 4.5 : 5;
  }
  if (operator === "in") return 3;
  return /^(?:None|null|nil)$/.test(value) ? 1 : 2;
}

function bareStrength(text: string): number {
  if (/\.(?:equals|eq|is_eq|Equal)\s*\(|\b(?:Objects\.equals|DeepEqual|isEqual)\s*\(/.test(text)) return 5;
  if (/^(?:isinstance|matches!?|all|any|np\.allclose|math\.isclose)\b/.test(text))
    return /allclose|isclose/.test(text) ? 4 : 2;
  if (/\.(?:contains|includes|startswith|endswith|starts_with|ends_with|startsWith)\s*\(/.test(text)) return 3;
  return /^(?:not\b|!)/.test(text) ? 1.5 : 1;
}

/** The text with everything inside brackets and quotes blanked, same length. */
function outside(text: string): string {
  let depth = 0;
  let quote = "";
  return [...text]
    .map((char) => {
      if (quote !== "") {
        if (char === quote) quote = "";
        return "_";
      }
      if (/["'`]/.test(char)) {
        quote = char;
        return "_";
      }
      if ("([{".includes(char)) return depth++ === 0 ? "_" : "_";
      if (")]}".includes(char)) {
        depth--;
        return "_";
      }
      return depth > 0 ? "_" : char;
    })
    .join("");
}

/** Arguments of a call, split at the outer commas. */
export function splitArgs(args: string): readonly string[] {
  const flat = outside(args);
  const parts: string[] = [];
  let start = 0;
  for (let at = 0; at <= flat.length; at++) {
    if (at < flat.length && flat[at] !== ",") continue;
    parts.push(args.slice(start, at).trim());
    start = at + 1;
  }
  return parts.filter((part) => part !== "");
}

/** The side that is not a literal; the first when both are names. Go's testify passes `t` first. */
function subjectOf(parts: readonly string[]): string {
  const own = parts[0] === "t" ? parts.slice(1) : parts;
  const [first = "", second] = own;
  return squash(second !== undefined && isLiteral(first) ? second : first);
}

function isLiteral(text: string): boolean {
  return /^\s*(?:-?\d[\d._]*\w*|true|false|True|False|null|None|nil|undefined|"[^"]*"|'[^']*'|`[^`$]*`)\s*$/.test(text);
}

function wildcards(text: string): number {
  return /\bexpect\.any(?:thing)?\(|\bmock\.ANY\b|\bANY\b|\bany\(\)|\.\*\/|anything\(\)/.test(text) ? 2 : 0;
}

function squash(text: string): string {
  return text.replace(/\s+/g, "");
}
