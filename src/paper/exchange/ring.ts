// A list that keeps its newest entries and forgets the rest.

export interface Ring<Entry> {
  push(entry: Entry): void;
  /** Newest first. */
  newest(count: number): readonly Entry[];
  readonly size: number;
}

/** A ring of at most `countMax` entries; it trims in blocks, so a push stays cheap. */
export function ring<Entry>(countMax: number): Ring<Entry> {
  let entries: Entry[] = [];
  return {
    push(entry) {
      entries.push(entry);
      if (entries.length >= countMax * 2) entries = entries.slice(-countMax);
    },
    newest(count) {
      const kept = Math.min(count, countMax, entries.length);
      return entries.slice(entries.length - kept).reverse();
    },
    get size() {
      return Math.min(entries.length, countMax);
    },
  };
}
