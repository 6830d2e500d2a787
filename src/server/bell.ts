import type { World } from "../ports/world.ts";

/** Lets several loops sleep until something is to be done, or until their time is up. */
export class Bell {
  readonly #sleepers = new Set<AbortController>();
  readonly #world: Pick<World, "sleep">;

  constructor(world: Pick<World, "sleep">) {
    this.#world = world;
  }

  /** Wakes whoever sleeps now. */
  ring(): void {
    for (const sleeper of this.#sleepers) sleeper.abort();
  }

  /** Resolves when the bell rings, after `ms` at the latest. */
  async sleep(ms: number): Promise<void> {
    const sleeper = new AbortController();
    this.#sleepers.add(sleeper);
    try {
      await this.#world.sleep(ms, sleeper.signal);
    } catch {
      // Woken.
    } finally {
      this.#sleepers.delete(sleeper);
    }
  }
}
