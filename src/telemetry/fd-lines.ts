// Lines to a file descriptor: a pipe that nobody reads, a disk that is full, or one that hangs. None of them
// holds up whoever writes, and at the end nobody is waited for longer than agreed.

import { write as writeFd, writeSync } from 'node:fs';
import process from 'node:process';

/** Bytes that may wait for a reader: some ten thousand lines. */
const WAITING_BYTES_MAX = 4_000_000;
/** Bytes of one write. */
const CHUNK_BYTES = 65_536;
/** A pipe that is full is tried again this often. */
const AGAIN_MS = 100;
/** What a healthy descriptor takes no longer than; behind one that hangs nothing is written in line. */
const HUNG_MS = 200;

export class FdLines {
  readonly #fd: number;
  readonly #onDropped: (linesTotal: number) => void;
  #lines: string[] = [];
  #waitingBytes = 0;
  #dropped = 0;
  #droppedTold = 0;
  /** Since when a write is under way. */
  #writingSinceMs: number | undefined;
  #isInFlight = false;
  readonly #drained = new Set<() => void>();

  /** @param onDropped - Notified of all lines that were given up, when some are new and there is room for a word. */
  constructor(fd: number, onDropped: (linesTotal: number) => void = () => {}) {
    this.#fd = fd;
    this.#onDropped = onDropped;
  }

  /** Lines that were given up since nobody took them. */
  get dropped(): number {
    return this.#dropped;
  }

  /** Never blocks and never throws. */
  write(line: string): void {
    if (this.#waitingBytes + line.length > WAITING_BYTES_MAX) {
      this.#dropped += 1;
      return;
    }
    this.#lines.push(line);
    this.#waitingBytes += line.length;
    UNWRITTEN.add(this);
    if (!this.#isInFlight) this.#next();
  }

  /** When everything has been written, given up, or has taken too long. */
  async flush(withinMs: number): Promise<void> {
    if (!this.#isInFlight) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, withinMs);
      this.#drained.add(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }

  /** The process ends here and now: what still waits is written in line, as far as it is taken at once. */
  writeOut(): void {
    const { length } = this.#lines;
    if (length === 0 || this.#isHung) return;
    try {
      writeSync(this.#fd, this.#lines.join(''));
    } catch {
      this.#dropped += length;
    }
    this.#lines = [];
  }

  get #isHung(): boolean {
    const sinceMs = this.#writingSinceMs;
    return sinceMs !== undefined && performance.now() - sinceMs > HUNG_MS;
  }

  #next(): void {
    const [text, count] = this.#takeChunk();
    this.#isInFlight = count > 0;
    if (count > 0) {
      this.#writeAll(Buffer.from(text), count);
      return;
    }
    UNWRITTEN.delete(this);
    for (const tell of this.#drained) tell();
    this.#drained.clear();
  }

  #takeChunk(): readonly [text: string, count: number] {
    let bytes = 0;
    let count = 0;
    while (count < this.#lines.length && bytes < CHUNK_BYTES) {
      bytes += this.#lines[count]?.length ?? 0;
      count += 1;
    }
    const text = this.#lines.splice(0, count).join('');
    this.#waitingBytes -= bytes;
    return [text, count];
  }

  #writeAll(bytes: Buffer, count: number): void {
    this.#writingSinceMs = performance.now();
    writeFd(this.#fd, bytes, (error, written) => {
      this.#writingSinceMs = undefined;
      if (isBusy(error)) {
        setTimeout(() => this.#writeAll(bytes, count), AGAIN_MS).unref();
        return;
      }
      if (error === null && written < bytes.length) {
        this.#writeAll(bytes.subarray(written), count);
        return;
      }
      // A reader that went away, a disk without room: neither must take the daemon with it.
      if (error !== null) this.#dropped += count;
      else this.#tellDropped();
      this.#next();
    });
  }

  /** Something was taken just now; a word that is lost itself is said again with the next one that is. */
  #tellDropped(): void {
    if (this.#dropped === this.#droppedTold) return;
    this.#droppedTold = this.#dropped;
    this.#onDropped(this.#dropped);
  }
}

/** Those with something to write when the process ends. */
const UNWRITTEN = new Set<FdLines>();
process.on('exit', () => {
  for (const each of UNWRITTEN) each.writeOut();
});

function isBusy(error: NodeJS.ErrnoException | null): boolean {
  return error?.code === 'EAGAIN' || error?.code === 'EBUSY';
}
