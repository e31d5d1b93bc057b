// The machine under a replayed daemon. What Node tells of its own process is that of the replay, so that these
// series say what the simulated host does: when its process began, and how late its loop turned.

/** A daemon of a few markets at rest. */
const RESIDENT_BYTES = 140e6;
const BUSY_PART = 0.03;

export class Machine {
  readonly #tickMs: number;
  #beganAtMs = 0;
  #turnedAtMs = 0;
  #lagsMs: number[] = [];

  constructor(tickMs: number) {
    this.#tickMs = tickMs;
  }

  onProcessBegins(atMs: number): void {
    this.#beganAtMs = atMs;
    this.#turnedAtMs = atMs;
    this.#lagsMs = [];
  }

  /** The loop turned; a turn is late by what it came behind its period. */
  onTurn(atMs: number): void {
    this.#lagsMs.push(Math.max(0, atMs - this.#turnedAtMs - this.#tickMs));
    this.#turnedAtMs = atMs;
  }

  /** Values of this moment, by series; the delays of the loop since they were asked for last. */
  series(atMs: number): ReadonlyMap<string, number> {
    const lags = this.#lagsMs.sort((one, other) => one - other);
    this.#lagsMs = [];
    const at = (part: number) => (lags[Math.floor(part * (lags.length - 1))] ?? 0) / 1_000;
    return new Map([
      ['bookend_process_start_time_seconds', this.#beganAtMs / 1_000],
      ['bookend_process_cpu_seconds_total', (BUSY_PART * (atMs - this.#beganAtMs)) / 1_000],
      ['bookend_process_resident_memory_bytes', RESIDENT_BYTES],
      ['bookend_nodejs_eventloop_lag_p50_seconds', at(0.5)],
      ['bookend_nodejs_eventloop_lag_p99_seconds', at(0.99)],
    ]);
  }
}
