// Labels come from closed sets. Where a text comes from outside, the set closes when it is full, and no secret
// that is repeated in it becomes a label.

import { redacted } from '../domain/redact.ts';

/** Admits a bounded number of different texts; later ones are `other`. */
export class LabelSet {
  /** What is shown for each text. */
  readonly #known = new Map<string, string>();
  readonly #sizeMax: number;

  constructor(sizeMax: number) {
    this.#sizeMax = sizeMax;
  }

  /** The label for a text, `none` when there is no text. */
  label(text: string | undefined): string {
    if (text === undefined || text === '') return 'none';
    const clipped = text.slice(0, LABEL_LENGTH_MAX);
    const known = this.#known.get(clipped);
    if (known !== undefined) return known;
    if (this.#known.size >= this.#sizeMax) return 'other';
    const shown = redacted(clipped);
    this.#known.set(clipped, shown);
    return shown;
  }
}

/** Longest method and route of the venue, with room. */
const LABEL_LENGTH_MAX = 80;
