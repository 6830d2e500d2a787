import type { AskParts } from "../../agent/ask.ts";
import type { BugShape, FaultLocation, HistoryContext, HistoryHeuristic } from "../../domain/fault.ts";
import type { Switches } from "../../domain/switches.ts";
import { GitFailed } from "../../ports/git.ts";
import { type Blamed, type BlamedPlace, type BlameParts, blameLocations, NOT_BLAMED } from "./blame-locations.ts";
import { judgeLine } from "./judge.ts";
import { payloadOf, type ShownCommit } from "./payload.ts";
import { heuristicFor, shapeOf } from "./shape.ts";

export interface FaultHistoryParts extends Omit<BlameParts, "fallback" | "hygiene"> {
  readonly switches: Pick<Switches, "history" | "historyRetry" | "blamelessFallback" | "product">;
  /** What failed, in words, for the judge. */
  readonly failure: string;
  /** Who may be asked which of several lines it was; null without a model. */
  readonly judge: (() => Promise<AskParts>) | null;
  /** Progress for people, one line each. */
  readonly tell: (line: string) => void;
}

interface Chosen {
  readonly availability: Blamed["availability"];
  readonly shown: ShownCommit | null;
  readonly by: HistoryContext["chosenBy"];
}

/**
 * The history of one fault (papers §2.3–2.5), looked up when it is first asked for: one commit is chosen, each heuristic
 * shows it once. A history that cannot be read is told and is as good as none.
 */
export class FaultHistory {
  readonly shape: BugShape;
  private chosen: Promise<Chosen> | null = null;
  private readonly shown = new Map<HistoryHeuristic, Promise<HistoryContext>>();

  constructor(
    private readonly locations: readonly FaultLocation[],
    private readonly parts: FaultHistoryParts,
  ) {
    this.shape = shapeOf(locations);
  }

  /** See `RepairContext.history`. */
  async ask(asked: { readonly heuristic?: HistoryHeuristic; readonly attempt?: number }): Promise<HistoryContext> {
    const { history, historyRetry } = this.parts.switches;
    // Switched off it is off for whoever asks for a certain view, too.
    const off = history === "none" && ((asked.attempt ?? 0) === 0 || historyRetry === "table");
    const wanted = asked.heuristic ?? heuristicFor(this.shape, asked.attempt ?? 0, history, historyRetry);
    const heuristic = off ? "none" : wanted;
    const known = this.shown.get(heuristic) ?? this.look(heuristic);
    this.shown.set(heuristic, known);
    return known;
  }

  private async look(heuristic: HistoryHeuristic): Promise<HistoryContext> {
    const none = {
      heuristic,
      shape: this.shape,
      availability: "none",
      commit: null,
      chosenBy: null,
      text: "",
    } as const;
    if (heuristic === "none") return none;
    try {
      this.chosen ??= this.choose();
      const { availability, shown, by } = await this.chosen;
      if (shown === null) return { ...none, availability };
      const located = [...new Set(this.locations.map(({ file }) => file))];
      const text = await payloadOf(heuristic, shown, {
        history: this.parts.history,
        head: this.parts.commit,
        located,
      });
      return { heuristic, shape: this.shape, availability, commit: shown.commit, chosenBy: by, text };
    } catch (error) {
      if (!(error instanceof GitFailed)) throw error;
      this.parts.tell(`the history could not be read: ${error.message}`);
      return none;
    }
  }

  private async choose(): Promise<Chosen> {
    const { blamelessFallback, product } = this.parts.switches;
    const asked = { ...this.parts, fallback: blamelessFallback, hygiene: product.historyHygiene };
    const blamed = this.locations.length === 0 ? NOT_BLAMED : await blameLocations(this.locations, asked);
    const { availability, commits, places } = blamed;
    const [first, ...more] = commits;
    if (first === undefined) return { availability, shown: null, by: null };
    const placesOf = (sha: string): readonly BlamedPlace[] => places.filter((place) => place.sha === sha);
    const show = (sha: string, place: BlamedPlace | undefined): ShownCommit | null => {
      const commit = commits.find((one) => one.sha === sha);
      if (commit === undefined || place === undefined) return null;
      const { facts, ...rest } = commit;
      return { commit: rest, facts, file: place.file, line: place.line };
    };
    const firstShown = show(first.sha, placesOf(first.sha)[0]);
    if (more.length === 0) return { availability, shown: firstShown, by: "single" };
    const suspects = product.historyHygiene ? commits.filter(({ inPr }) => inPr) : [];
    // What the red change itself wrote is the likely culprit (papers §2.3, 6); one such commit needs no judge.
    if (suspects.length === 1) return { availability, shown: firstShown, by: "in_pr" };
    const judged = await this.judged(suspects.length > 0 ? suspects.flatMap(({ sha }) => placesOf(sha)) : places);
    return judged === null
      ? { availability, shown: firstShown, by: "first" }
      : { availability, shown: show(judged.sha, judged), by: "judge" };
  }

  private async judged(places: readonly BlamedPlace[]): Promise<BlamedPlace | null> {
    const { judge, failure } = this.parts;
    return judge === null ? null : judgeLine(failure, places, await judge());
  }
}
