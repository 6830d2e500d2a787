import type { FailureClass } from "../domain/category.ts";
import type { LogLine } from "../domain/ci-run.ts";
import { bareLines } from "./bare-lines.ts";
import { isNetworkTrouble } from "./network-trouble.ts";
import { runs } from "./run-program.ts";
import type { Diagnostic, Tool } from "./tool.ts";

interface Form {
  readonly says: RegExp;
  readonly category: FailureClass;
  /** How many lines below explain it. */
  readonly below: number;
}

// In order: the first that fits decides (bundler's own messages, docs of bundler 2).
const FORMS: readonly Form[] = [
  {
    says: /^Could not find gem '.+' in |^Could not find gems matching |^Could not find \S+ in (?:any of the sources|locally installed gems|rubygems repository)/,
    category: "dependency_issue",
    below: 3,
  },
  {
    says: /^Could not find .+ in locally installed gems$|^Bundler could not find compatible versions for gem/,
    category: "dependency_issue",
    below: 6,
  },
  { says: /^Could not find compatible versions$/, category: "dependency_issue", below: 6 },
  { says: /^Your Ruby version is \S+, but your Gemfile specified /, category: "environment_error", below: 0 },
  {
    says: /^Your Gemfile\.lock .*was generated|^Your bundle only supports platforms /,
    category: "dependency_issue",
    below: 2,
  },
  {
    says: /^(?:The gemspecs? for .+ changed|You are trying to install in deployment mode after changing|The dependencies in your gemfile changed|Some dependencies were (?:added to|deleted from) your gemfile|The list of sources changed|The gemspec .+ changed)/,
    category: "dependency_issue",
    below: 3,
  },
  { says: /^The lockfile (?:is corrupt|contains|has)|^Your lockfile /, category: "dependency_issue", below: 2 },
  {
    says: /^\[!\] There was an error (?:parsing|while loading) `(?:Gemfile|.+\.gemspec)`/,
    category: "syntax_error",
    below: 3,
  },
  {
    says: /^(?:Bundler::|Gem::)?(?:Ext::BuildError|Gem::Ext::BuildError): ERROR: Failed to build gem native extension/,
    category: "package_install_error",
    below: 0,
  },
  {
    says: /^An error occurred while installing \S+ \(.+?\), and Bundler cannot continue\.?$/,
    category: "package_install_error",
    below: 0,
  },
  {
    says: /^ERROR: {2}(?:Error installing |Could not find a valid gem |While executing gem)/,
    category: "package_install_error",
    below: 1,
  },
  {
    says: /^(?:Could not fetch specs from |Could not verify the SSL certificate for |Could not reach host |There was an error (?:fetching|downloading) )/,
    category: "infra_transient",
    below: 1,
  },
  { says: /^Could not locate Gemfile/, category: "configuration_error", below: 0 },
];

export const bundler: Tool = {
  name: "bundler",
  kind: "install",
  category: "dependency_issue",
  answersTo: (command) => runs(command, ["bundle", "bundler", "gem"]),
  read: (step) => {
    const lines = bareLines(step);
    return lines.flatMap((line, at) => readError(line, lines, at));
  },
};

function readError(line: LogLine, lines: readonly LogLine[], at: number): Diagnostic[] {
  const form = FORMS.find(({ says }) => says.test(line.text));
  if (form === undefined) return [];
  // The resolver's reasons stand under an empty line.
  const from = lines[at + 1]?.text.trim() === "" && form.below > 3 ? at + 2 : at + 1;
  const below = lines.slice(from, from + form.below);
  const end = below.findIndex(({ text }) => text.trim() === "" || text.startsWith("##["));
  const told = end === -1 ? below : below.slice(0, end);
  const message = [line, ...told].map(({ text }) => text.trim()).join(" ");
  const category = isNetworkTrouble(message) ? "infra_transient" : form.category;
  const file = /`(Gemfile|[\w./-]+\.gemspec)`/.exec(line.text)?.[1];
  return [
    {
      message: message.slice(0, 1_000),
      lines: [line, ...told].map(({ number }) => number),
      location: file === undefined ? null : { file, line: null, col: null },
      category,
    },
  ];
}
