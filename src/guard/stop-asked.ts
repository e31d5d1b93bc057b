// Whether a stop that is asked for again is meant.

/**
 * A terminal sends its Ctrl-C to everybody in it, and npm passes it on: what comes within this time is the
 * same request.
 */
const SAME_MS = 1_000;

export class StopAsked {
  #firstAtMs: number | undefined;

  get isAsked(): boolean {
    return this.#firstAtMs !== undefined;
  }

  ask(nowMs: number): 'first' | 'same' | 'second' {
    if (this.#firstAtMs === undefined) {
      this.#firstAtMs = nowMs;
      return 'first';
    }
    return nowMs - this.#firstAtMs > SAME_MS ? 'second' : 'same';
  }
}
