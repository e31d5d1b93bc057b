// How far something is that takes longer than a moment, and how long it still takes: on standard error, a line that
// is written over on a terminal, and now and then a line of its own elsewhere.

import type { CliIo } from './io.ts';
import { duration } from './status-lines.ts';
import { clip, harmless } from './text.ts';

/** Whoever waits no longer than this is told nothing. */
const FIRST_MS = 2_000;
const TERMINAL_MS = 250;
const LOG_MS = 10_000;
const WIDTH_DEFAULT = 80;

export class Progress {
  readonly #io: CliIo;
  readonly #nowMs: () => number;
  readonly #startedMs: number;
  #shownMs: number | undefined;

  /** @param nowMs - For tests. */
  constructor(io: CliIo, nowMs: () => number = () => performance.now()) {
    this.#io = io;
    this.#nowMs = nowMs;
    this.#startedMs = nowMs();
  }

  /** The text is made only where it is shown. */
  show(text: () => string): void {
    const nowMs = this.#nowMs();
    const isTerminal = this.#io.stderr.isTTY === true;
    const sinceMs = this.#shownMs === undefined ? undefined : nowMs - this.#shownMs;
    const isDue =
      sinceMs === undefined
        ? nowMs - this.#startedMs >= FIRST_MS
        : sinceMs >= (isTerminal ? TERMINAL_MS : LOG_MS);
    if (!isDue) return;
    this.#shownMs = nowMs;
    const line = harmless(text());
    const width = (this.#io.stderr.columns ?? WIDTH_DEFAULT) - 1;
    this.#io.stderr.write(isTerminal ? `\r\u001b[K${clip(line, width)}` : `${line}\n`);
  }

  /** The same for a known part of the whole: `62 % · what, 12 s left`. */
  showPart(part: number, what: () => string): void {
    const done = Number.isFinite(part) ? Math.min(1, Math.max(0, part)) : 0;
    this.show(() => `${Math.floor(100 * done)} % · ${what()}${this.#leftText(done)}`);
  }

  /** What stood on a terminal is gone. */
  clear(): void {
    if (this.#shownMs !== undefined && this.#io.stderr.isTTY === true) {
      this.#io.stderr.write('\r\u001b[K');
    }
  }

  /** As fast as so far. */
  #leftText(done: number): string {
    if (done <= 0) return '';
    const leftMs = ((this.#nowMs() - this.#startedMs) * (1 - done)) / done;
    return `, ${duration(leftMs)} left`;
  }
}
