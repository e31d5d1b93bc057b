// A hash over many short lines; they are gathered, since each call of the hash costs more than a line.

import { createHash } from 'node:crypto';

const GATHERED_MAX = 256;

export class Digest {
  readonly #hash = createHash('sha256');
  #lines: string[] = [];

  add(line: string): void {
    this.#lines.push(line);
    if (this.#lines.length >= GATHERED_MAX) this.#take();
  }

  /** The whole of it; nothing is added afterwards. */
  end(): string {
    this.#take();
    return this.#hash.digest('hex');
  }

  #take(): void {
    if (this.#lines.length > 0) this.#hash.update(`${this.#lines.join('\n')}\n`);
    this.#lines = [];
  }
}
