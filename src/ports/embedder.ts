/**
 * Turns text into vectors that lie near each other when the texts mean alike. Vectors of different embedders are never
 * compared: an index belongs to one `id`.
 */
export interface Embedder {
  /** Kind, place and model: a change means another index. */
  readonly id: string;
  /** How many texts it is best given at a time. */
  readonly batch: number;
  /** One vector of length 1 for each text, in order, all of one dimension. Rejects with EmbedderFailed, one line without secrets. */
  embed(texts: readonly string[]): Promise<readonly Float32Array[]>;
}

export class EmbedderFailed extends Error {
  override readonly name = "EmbedderFailed";
}
