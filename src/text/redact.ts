import { SECRET_FORMATS } from "./secret-formats.ts";

export interface Redaction {
  readonly text: string;
  readonly redactions: number;
  /** How many of each kind. */
  readonly kinds: Readonly<Record<string, number>>;
}

/** See `redactCounting`. */
export function redact(text: string): string {
  return redactCounting(text).text;
}

/**
 * A text without its secrets: token formats, private keys, credentials in URLs and headers, values of secret-like names,
 * random-looking values of any name, e-mail addresses, and whose home a path lies in (papers §13.4). Each leaves
 * `[redacted:kind]` behind (homes: `~`). Hashes, placeholders, GitHub's `***` and expressions in code stay. The number of
 * lines stays the same, doing it twice changes nothing more, and time is linear in the length. A key block is only known as a
 * whole: give it the whole text, not line by line.
 */
export function redactCounting(text: string): Redaction {
  const kinds: Record<string, number> = {};
  let current = text;
  // A replaced secret can uncover the beginning of another that was glued to it; more than two layers were never seen.
  for (let round = 0; round < 4; round++) {
    const next = redactOnce(current, kinds);
    if (next === current) break;
    current = next;
  }
  return { text: current, redactions: Object.values(kinds).reduce((sum, count) => sum + count, 0), kinds };
}

const MARK = "[redacted:";

function redactOnce(text: string, kinds: Record<string, number>): string {
  const mark = (kind: string): string => {
    kinds[kind] = (kinds[kind] ?? 0) + 1;
    return `${MARK}${kind}]`;
  };
  let out = redactKeyBlocks(text, mark);
  out = out.replace(FORMATS, (match, ...groups) => {
    const format = SECRET_FORMATS[groups.slice(0, SECRET_FORMATS.length).findIndex((group) => group !== undefined)];
    return format === undefined || format.unless?.(match) ? match : mark(format.kind);
  });
  out = out.replace(MASK_COMMAND, (match, before: string, value: string) =>
    value.startsWith(MARK) || value.startsWith("***") ? match : before + mark("masked-value"),
  );
  out = out.replace(URL_CREDENTIALS, (match, scheme: string, user: string, password: string | undefined) => {
    if (password === undefined) return isRandom(user, 20) ? `${scheme}${mark("url-credentials")}@` : match;
    return isPlaceholder(password) ? match : `${scheme}${user}:${mark("url-credentials")}@`;
  });
  out = out.replace(HEADER, (match, before: string, value: string) =>
    /\d|=$/.test(value) && !isPlaceholder(value) ? before + mark("authorization") : match,
  );
  out = redactNamedValues(out, mark);
  out = out.replace(ASSIGNMENT, (match, name: string, between: string, value: string) =>
    HASH_NAMES.test(name) || HASH_VALUE.test(value) || !isRandom(value, 24)
      ? match
      : name + between + mark("random-value"),
  );
  out = out.replace(EMAIL, (match, local: string, domain: string) =>
    isHarmlessAddress(local, domain) ? match : mark("email"),
  );
  return out.replace(HOME, (match, before: string, user: string) => {
    if (MACHINE_ACCOUNTS.has(user.toLowerCase())) return match;
    kinds["home-path"] = (kinds["home-path"] ?? 0) + 1;
    return `${before}~`;
  });
}

type Mark = (kind: string) => string;

const FORMATS = new RegExp(SECRET_FORMATS.map(({ pattern }) => `(${pattern})`).join("|"), "g");

/** The runner's own command to hide a value, as `set -x` or an echo shows it. */
const MASK_COMMAND = /(::add-mask::)([^\s"']+)/g;

const URL_CREDENTIALS = /([a-zA-Z][a-zA-Z0-9+.-]{1,20}:\/\/)([^\s/:@"'<>[\]]{0,256})(?::([^\s/@"'<>]{1,1024}))?@/g;

const HEADER = /(\b(?:bearer|basic)[ \t]{1,4})([A-Za-z0-9._~+/-]{16,}={0,2})/gi;

/* ------------------------------------------------------------------ private keys */

const KEY_BEGIN = /-----BEGIN [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----/g;
const KEY_END = /-----END [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----/g;
const KEY_BODY = /(?:(?:\\[rn]|[\s"'+,])*[A-Za-z0-9+/=]{16,})*/y;
// The largest keys in use (RSA 16384, GPG with subkeys) stay below; a mention of BEGIN in prose must not eat the log.
const KEY_MAX = 16_384;

function redactKeyBlocks(text: string, mark: Mark): string {
  if (!text.includes("PRIVATE KEY")) return text;
  const ends = [...text.matchAll(KEY_END)].map((match) => ({ start: match.index, end: match.index + match[0].length }));
  let out = "";
  let done = 0;
  let nextEnd = 0;
  for (const begin of text.matchAll(KEY_BEGIN)) {
    if (begin.index < done) continue;
    const bodyStart = begin.index + begin[0].length;
    while (nextEnd < ends.length && (ends[nextEnd]?.start ?? 0) < bodyStart) nextEnd++;
    const end = ends[nextEnd];
    const closed = end !== undefined && end.start - bodyStart <= KEY_MAX;
    KEY_BODY.lastIndex = bodyStart;
    const bodyEnd = closed ? end.start : bodyStart + (KEY_BODY.exec(text)?.[0].length ?? 0);
    const body = text.slice(bodyStart, bodyEnd);
    if (!/[A-Za-z0-9+/]{16}/.test(body)) continue;
    const stop = closed ? end.end : bodyEnd;
    out += text.slice(done, begin.index) + mark("private-key") + body.replace(/[^\n]+/g, "");
    done = stop;
  }
  return out + text.slice(done);
}

/* ------------------------------------------------------------------ values of secret-like names */

const SECRET_WORD =
  "(?:pass(?:word|wd|phrase)|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|(?:auth|account|signing|encryption|deploy|license|service)[_-]?key|credentials?|client[_-]?secret)";
// What may follow the word and still name the secret itself; `token_count`, `tokens`, `password_field` do not.
const SECRET_SUFFIX = "(?:[_-]?(?:key|id|value|prod|production|dev|staging|test|ci|base64|b64|[0-9]{1,4}))?";
const NAMED_VALUE = new RegExp(
  `(${SECRET_WORD}${SECRET_SUFFIX}\\\\?["'\`]?[ \\t]{0,8}(?::=|=>|=(?!=)|:(?!:)|(?<=--[a-z-]{0,40})[ \\t])[ \\t]{0,8})(\\\\?"[^"\\n\\\\]{0,4096}|\\\\?'[^'\\n\\\\]{0,4096}|\`[^\`\\n\\\\]{0,4096}|[^\\s"'\`]{1,4096})`,
  "gi",
);

/** What follows the value in a connection string or a query. */
const FURTHER_FIELDS = /[;&,][A-Za-z][\w-]{0,40}=.*$/;

function redactNamedValues(text: string, mark: Mark): string {
  return text.replace(NAMED_VALUE, (match, before: string, raw: string, offset: number, whole: string) => {
    const quote = /^\\?["'`]/.exec(raw)?.[0] ?? "";
    const value = quote === "" ? raw.replace(FURTHER_FIELDS, "").replace(/[,;)}\]]+$/, "") : raw.slice(quote.length);
    const rest = raw.slice(quote.length + value.length);
    const place = { name: nameBefore(whole, offset), before, quoted: quote !== "", next: rest.charAt(0) };
    if (value.length < 4 || isPlaceholder(value) || isCode(value, place)) return match;
    return before + quote + mark("named-secret") + rest;
  });
}

/** What stands before the secret-like word on its line, as far as it matters. */
function nameBefore(text: string, offset: number): string {
  const near = text.slice(Math.max(0, offset - 80), offset);
  return near.slice(near.lastIndexOf("\n") + 1);
}

interface ValuePlace {
  readonly name: string;
  readonly before: string;
  readonly quoted: boolean;
  readonly next: string;
}

/** Whether what looks like a value is an expression, a type, or a word of a sentence. */
function isCode(value: string, { name, before, quoted, next }: ValuePlace): boolean {
  // Words with blanks between them are a message ("password": "Password is required"), unless the name says otherwise.
  if (quoted) return /\s/.test(value) && !/passphrase/i.test(before);
  if (/[()[\]{}|&<>]/.test(value) && !isRandom(value, 16)) return true;
  if (/^\.{0,2}\/[\w.-]+\/[\w./-]+$/.test(value) && !isRandom(value, 24)) return true;
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(value)) return true;
  if (/^=/.test(value)) return true;
  if (!/^[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*[!?]?$/.test(value)) return /^[\d.]+$/.test(value) && value.length < 6;
  if (/\d/.test(value) && !value.includes(".")) return false;
  // A name is left: code where it is one term among others, a setting where it stands alone.
  const spaced = /[ \t][=:]|=[ \t]/.test(before) || next !== "";
  const shouting = /^[A-Z0-9_-]+(?:["'`]?[ \t]*[=:])/.test(before);
  if (before.trimEnd().endsWith(":")) return next !== "" || /[A-Z.]/.test(value) || /[A-Za-z)\]]\s+[\w-]*$/.test(name);
  return value.includes(".") || (spaced && !shouting);
}

const PLACEHOLDER_WORDS = new Set(
  "true false null none nil undefined string str number int bool boolean any unknown object bytes inherit write read required optional missing invalid expected password passwd secret token postgres mysql mariadb root admin guest user test testing example changeme dummy fake mock placeholder redacted masked hidden empty default sample foobar".split(
    " ",
  ),
);

function isPlaceholder(value: string): boolean {
  if (value.startsWith(MARK) || value.startsWith("***") || value === "") return true;
  if (/^(?:\\?\$|%[A-Za-z_]+%|\{\{|<[^>]*>?|#\{|@@)/.test(value)) return true;
  if (/\$\{\{?|\$\(/.test(value)) return true;
  if (/^(.)\1*$/.test(value) || /^(?:x{3,}|\.{3,}|…)/i.test(value)) return true;
  if (/(?:^|[_-])(?:your|my|example|dummy|fake|changeme|placeholder|redacted)(?:[_-]|$)/i.test(value)) return true;
  return PLACEHOLDER_WORDS.has(value.toLowerCase());
}

/* ------------------------------------------------------------------ random-looking values */

const ASSIGNMENT =
  /((?<![\w.])[A-Za-z_][\w.-]{0,60})(\\?["']?[ \t]{0,8}(?::=|=>|=|:)[ \t]{0,8}\\?["']?)([A-Za-z0-9+/_=-]{24,})/g;
/** Names whose values look random and are public: checksums, ids of commits and caches, versions of resolved packages. */
const HASH_NAMES =
  /(?:^|[_.-])(?:sha\d*|hash(?:es)?|integrity|checksums?|digest|md5|h1|commit|rev|revision|etag|resolved|fingerprint|key_?id|node_?id|signature|cache)$|cache[_-]?key|hash$/i;
const HASH_VALUE = /^(?:sha\d{1,3}[-:=]|[A-Fa-f0-9-]+$)/;

/** Bits per character above which a value of 24 characters or more is taken for random (papers §13.4). */
const RANDOM_BITS = 4.3;

function isRandom(whole: string, shortest: number): boolean {
  if (whole.length < shortest) return false;
  // Paths, cache keys and file names are words, numbers and hashes between separators: what is left when they are gone?
  const value = whole
    .split(/[/_.-]/)
    .filter((part) => !/^(?:[A-Za-z]?[a-z]*\d{0,4}|[0-9a-f]+|\d+)$/.test(part))
    .join("");
  if (value.length < Math.min(shortest, 20) || !/\d/.test(value) || !/[a-z]/i.test(value)) return false;
  // Names of symbols fall into words; random text changes class at every other character.
  const runs = value.match(/[A-Z]?[a-z]+|[A-Z]+|\d+/g) ?? [];
  if (value.length / runs.length > 4) return false;
  // Shorter values cannot reach the full bound: n characters hold at most log2(n) bits each.
  return entropyBits(whole) > (whole.length < 24 ? Math.min(RANDOM_BITS, 0.8 * Math.log2(whole.length)) : RANDOM_BITS);
}

function entropyBits(value: string): number {
  // Beyond a few hundred characters the estimate does not change any more.
  const sample = value.slice(0, 512);
  const counts = new Map<string, number>();
  for (const char of sample) counts.set(char, (counts.get(char) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / sample.length) * Math.log2(count / sample.length);
  return bits;
}

/* ------------------------------------------------------------------ people */

const EMAIL = /(?<![\w.%+-])([\w.%+-]{1,64})@((?:[A-Za-z0-9-]{1,63}\.){1,5}[A-Za-z]{2,24})(?![\w-])/g;

function isHarmlessAddress(local: string, domain: string): boolean {
  // `git@host` is an SSH address, `name@1.2.3-rc.next` a version; the rest is reserved for examples (RFC 2606) or nobody's.
  if (local === "git" || /^v?\d+\./.test(domain)) return true;
  return /^(?:no-?reply@github\.com)$|@(?:[\w-]+\.)*(?:example\.(?:com|org|net)|test|example|invalid|localhost|local)$/i.test(
    `${local}@${domain}`,
  );
}

const HOME = /((?<![\w.~-])(?:\/home\/|\/Users\/|[A-Za-z]:\\{1,2}Users\\{1,2}))([A-Za-z0-9][\w.-]{0,63})(?=[/\\])/g;
/** Accounts of CI machines and images: the same for everybody, and part of the evidence. */
const MACHINE_ACCOUNTS = new Set([
  "runner",
  "runneradmin",
  "travis",
  "circleci",
  "vsts",
  "vsts_azpcontainer",
  "jenkins",
  "node",
  "conda",
  "public",
]);
