// Cash of the account between two reads of the balances, and what a read proves.

import type { Balances } from '../../domain/message.ts';
import type { UnixMs } from '../../domain/time.ts';
import { nanoOf } from '../risk/nano.ts';

/** Settlements remembered between two reads; reads come every few seconds. */
const FLOWS_MAX = 10_000;
/** Differences below a micro-dollar are rounding, not money. */
const EPSILON_NANO = 1_000;

type Flow = { readonly atMs: UnixMs; readonly nano: number };

export type CashProof = 'agrees' | 'differs' | 'first';

export class Account {
  #cashNano: number | undefined;
  #availableNano: number | undefined;
  #onHoldNano = 0;
  #askedAtMs: UnixMs | undefined;
  #flows: Flow[] = [];

  /** Cash with every settlement since the last read, `undefined` before the first. */
  get cashNano(): number | undefined {
    if (this.#cashNano === undefined) return undefined;
    let cash = this.#cashNano;
    for (const flow of this.#flows) cash += flow.nano;
    return cash;
  }

  /** What the venue called available when it was last read. */
  get availableNano(): number | undefined {
    return this.#availableNano;
  }

  get onHoldNano(): number {
    return this.#onHoldNano;
  }

  get askedAtMs(): UnixMs | undefined {
    return this.#askedAtMs;
  }

  /** A trade of ours settled. */
  onFlow(nano: number, atMs: UnixMs): void {
    this.#flows.push({ atMs, nano });
    if (this.#flows.length > FLOWS_MAX) this.#flows.shift();
  }

  /**
   * Takes over a read. It agrees when cash moved by just the settlements we know of: then no
   * buy or sell settled that nobody told us about.
   */
  onBalances(balances: Balances, askedAtMs: UnixMs): CashProof {
    const cash = nanoOf(balances.cashBalance);
    const expected = this.cashNano;
    this.#flows = this.#flows.filter((flow) => flow.atMs > askedAtMs);
    this.#cashNano = cash;
    this.#availableNano = nanoOf(balances.availableBalance);
    this.#onHoldNano = nanoOf(balances.usdcOnHold);
    this.#askedAtMs = askedAtMs;
    if (expected === undefined) return 'first';
    return Math.abs(expected - cash) <= EPSILON_NANO ? 'agrees' : 'differs';
  }
}
