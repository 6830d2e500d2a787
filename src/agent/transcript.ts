/** The record of one attempt, kept for people and for replay. Writers redact before they append. */
export interface Transcript {
  append(entry: Readonly<Record<string, unknown>>): Promise<void>;
}

export const NO_TRANSCRIPT: Transcript = { append: async () => {} };
