/**
 * A text as a fenced block that it cannot close from inside: the fence is longer than every run of backticks in it
 * (CommonMark closes a block only with a fence at least as long as the opening one). For text of others in prompts and
 * comments. `info` names the language; backticks and line ends in it are dropped. Ends without a line end.
 */
export function fence(text: string, info = ""): string {
  const longest = (text.match(/`+/g) ?? []).reduce((most, run) => Math.max(most, run.length), 0);
  const mark = "`".repeat(Math.max(3, longest + 1));
  const end = text === "" || text.endsWith("\n") ? "" : "\n";
  return `${mark}${info.replace(/[`\r\n]/g, "")}\n${text}${end}${mark}`;
}
