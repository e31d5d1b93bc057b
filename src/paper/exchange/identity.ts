// Ids, hashes and credentials of the venue, all derived, so that the same seed gives the same venue.

import { createHash } from 'node:crypto';

/** A token id that depends on nothing but where the outcome is listed. */
export function derivedTokenId(eventSlug: string, marketSlug: string, outcomeIndex: 0 | 1): string {
  return `0x${sha256(`token:${eventSlug}:${marketSlug}:${outcomeIndex}`)}`;
}

/** A short database-like id. */
export function derivedId(kind: string, name: string): string {
  return `${kind}_${sha256(`${kind}:${name}`).slice(0, 20)}`;
}

export type KeyTexts = {
  readonly apiKey: string;
  readonly apiSecret: string;
  readonly apiPassphrase: string;
};

/** The credentials of an account; every regeneration gives others. */
export function derivedKeys(seed: number, account: string, generation: number): KeyTexts {
  const part = (what: string): string => sha256(`${what}:${seed}:${account}:${generation}`);
  return {
    apiKey: `key_${part('key').slice(0, 32)}`,
    apiSecret: Buffer.from(part('secret'), 'hex').toString('base64'),
    apiPassphrase: part('passphrase').slice(0, 24),
  };
}

/** One hash of the seed and a count makes so many names: making a hash costs more than matching an order. */
const NAMES = 16;
const NAME_BYTES = 32;

/** Counts up and hashes: hashes look random and never repeat within one venue. */
export class HashSource {
  readonly #seed: number;
  #count = 0;
  #block = '';

  constructor(seed: number) {
    this.#seed = seed;
  }

  next(): string {
    const place = this.#count % NAMES;
    if (place === 0) this.#block = blockOf(`names:${this.#seed}:${this.#count}`);
    this.#count += 1;
    const start = place * 2 * NAME_BYTES;
    return `0x${this.#block.slice(start, start + 2 * NAME_BYTES)}`;
  }
}

function blockOf(text: string): string {
  return createHash('shake256', { outputLength: NAMES * NAME_BYTES })
    .update(text)
    .digest('hex');
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
