// GitHub takes 65,536 characters and answers 502 to some bodies above 30,000 (platform facts): details go last and are cut.
const BODY_CHARACTERS = 30_000;

/** A heading and its text; nothing without a text. */
export function section(title: string, text: string): string {
  return text === "" ? "" : `### ${title}\n\n${text}`;
}

/** The parts that are not empty, one below the other, as far as a body bears them. */
export function assemble(parts: readonly string[]): string {
  // Whole sections only: a cut inside of a fence would swallow what follows it.
  const kept: string[] = [];
  let left = BODY_CHARACTERS;
  for (const part of parts.filter((part) => part !== "")) {
    const fits = part.length <= left;
    kept.push(fits ? part : `${part.split("\n")[0]}\n\n(left out here: ${part.length} characters)`);
    if (fits) left -= part.length;
  }
  return kept.join("\n\n");
}

/** White space of any kind as single spaces. */
export function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

/** Untrusted text as a sentence of ours: no markup that opens something, no mention of anybody. Code marks stay. */
export function plain(text: string): string {
  return oneLine(text)
    .replace(/</g, "&lt;")
    .replace(/@(?=\w)/g, "@\u200b") // no name to GitHub, the same to the eye
    .replace(/\\*\[/g, "\\[")
    .replace(/^([#>*+-])/, "\\$1");
}

/** Untrusted text as inline code: no line breaks, no backticks that end it, no mention of anybody. */
export function code(text: string): string {
  return `\`${oneLine(text).replaceAll("`", "ˋ").slice(0, 300)}\``;
}

/** The same in a row of a table. */
export function cell(text: string): string {
  return code(text).replaceAll("|", "\\|");
}
