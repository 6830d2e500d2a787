/**
 * Turns text into vectors that lie near each other when the texts mean alike. Vectors of different embedders are never
 * compared: an index belongs to one `id`.
 */
export interface Embedder {
  /** Name, model and version: a change means another index. */
  readonly id: string;
  readonly dimensions: number;
  /**
   * One vector of length 1 for each text, in order (all zeros for a text without words). Rejects with EmbedderFailed, one
   * line without secrets.
   */
  embed(texts: readonly string[]): Promise<readonly Float32Array[]>;
}

export class EmbedderFailed extends Error {
  override readonly name = "EmbedderFailed";
}
