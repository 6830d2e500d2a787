// CSI (colours, cursor), OSC (titles, links; ended by BEL or ST), and the two-character escapes of ECMA-48.
// The parameter run is bounded: a log of nothing but escapes must cost linear time.
const ESCAPES =
  /\u001b\[[0-?]{0,64}[ -/]{0,8}[@-~]|\u001b\][^\u0007\u001b\n]{0,2048}(?:\u0007|\u001b\\)|\u001b[PX^_][^\u001b\n]{0,2048}\u001b\\|\u001b[ -/]?[0-Z\\^-~]/g;

/** The text without terminal escapes (colours, cursor moves, titles, hyperlinks). What follows a broken escape stays. */
export function stripAnsi(text: string): string {
  return text.includes("\u001b") ? text.replace(ESCAPES, "").replaceAll("\u001b", "") : text;
}
