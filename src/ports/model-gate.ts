import type { Usage } from "../domain/usage.ts";

/** A way to the model's endpoint for a program that must not hold its key nor reach anything else. */
export interface ModelGates {
  /** Rejects when the socket cannot be made. */
  open(watch: GateWatch): Promise<ModelGate>;
}

export interface GateWatch {
  /** Asked before each call: why it may not be made, or null. */
  readonly refusal: () => string | null;
  /** Told of each call that was answered. */
  readonly charge: (usage: Usage) => void;
}

export interface ModelGate {
  /** Unix socket that speaks HTTP: the endpoint's own paths below `/v1`. */
  readonly socket: string;
  /** Name of the model to ask for. */
  readonly model: string;
  close(): Promise<void>;
}
