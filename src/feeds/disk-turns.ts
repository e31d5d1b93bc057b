// Reads of files take turns: one that hangs with its disk keeps a thread, and the process has four of them for all its
// files and for the names that it looks up.

/** What else waits for a thread, as the address of the venue does, finds two of them. */
const READS_MAX = 2;

type Waiting = { readonly disk: string; readonly begin: () => void };

export class DiskTurns {
  readonly #busy = new Set<string>();
  /** Each file waits once at the most. */
  readonly #waiting: Waiting[] = [];

  /** One at a time on a disk, so that one that hangs leaves room for others. */
  async take<Read>(disk: string, read: () => Promise<Read>): Promise<Read> {
    await new Promise<void>((begin) => {
      this.#waiting.push({ disk, begin });
      this.#next();
    });
    try {
      return await read();
    } finally {
      this.#busy.delete(disk);
      this.#next();
    }
  }

  #next(): void {
    if (this.#busy.size >= READS_MAX) return;
    const at = this.#waiting.findIndex(({ disk }) => !this.#busy.has(disk));
    const [next] = at < 0 ? [] : this.#waiting.splice(at, 1);
    if (next === undefined) return;
    this.#busy.add(next.disk);
    next.begin();
  }
}
