// Labels come from closed sets. Where a text comes from outside, the set closes when it is full.

/** Admits a bounded number of different texts; later ones are `other`. */
export class LabelSet {
  readonly #known = new Set<string>();
  readonly #sizeMax: number;

  constructor(sizeMax: number) {
    this.#sizeMax = sizeMax;
  }

  /** The label for a text, `none` when there is no text. */
  label(text: string | undefined): string {
    if (text === undefined || text === '') return 'none';
    const clipped = text.slice(0, LABEL_LENGTH_MAX);
    if (this.#known.has(clipped)) return clipped;
    if (this.#known.size >= this.#sizeMax) return 'other';
    this.#known.add(clipped);
    return clipped;
  }
}

/** Longest method and route of the venue, with room. */
const LABEL_LENGTH_MAX = 80;
