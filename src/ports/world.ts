/** Time, chance and names, handed in so that a run can be repeated exactly. Nothing else in `src` asks the system for them. */
export interface World {
  now(): Date;
  /** Milliseconds that never run backwards; only differences mean something. */
  monotonicMs(): number;
  /** In [0, 1). */
  random(): number;
  /** 128 random bits as 32 hex digits, not to be guessed by what runs in the sandbox. */
  nonce(): string;
  /** `prefix_` and a name no other call returns; sorts by time of making. */
  id(prefix: string): string;
  /** Resolves after `ms`; rejects with the signal's reason when it aborts first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}
