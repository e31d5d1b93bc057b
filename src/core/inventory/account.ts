// Cash of the account between two reads of the balances, and what a read proves.

import type { Balances } from '../../domain/message.ts';
import type { UnixMs } from '../../domain/time.ts';
import { nanoOf } from '../risk/nano.ts';

/** Settlements remembered between two reads; reads come every few seconds. */
const FLOWS_MAX = 10_000;
/** Differences below a micro-dollar are rounding, not money. */
const EPSILON_NANO = 1_000;

type Flow = { readonly atMs: UnixMs; readonly nano: number };

/** Unexplained changes remembered; reads come every few seconds and few of them differ. */
const SURPRISES_MAX = 1_000;
/** A settlement frame and the read that shows it may come in either order, this far apart. */
const SURPRISE_KEPT_MS = 300_000;

export type CashProof = 'agrees' | 'differs';

export class Account {
  #cashNano: number | undefined;
  #availableNano: number | undefined;
  #onHoldNano = 0;
  #askedAtMs: UnixMs | undefined;
  #flows: Flow[] = [];
  /** Changes of cash that no settlement we knew of explained when they were read. */
  #surprises: Flow[] = [];
  /** Matches of an earlier life whose settlement nobody may have heard of. */
  #mayHaveSettledNano: readonly number[] = [];

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

  /**
   * Cash that an earlier life knew of: the first read shows whether anything happened since.
   * @param pendingNano - Cash of the matches that it left unsettled, oldest first.
   */
  restore(cashNano: number, pendingNano: readonly number[]): void {
    this.#cashNano = cashNano;
    this.#mayHaveSettledNano = pendingNano;
  }

  /** A trade of ours settled. */
  onFlow(nano: number, atMs: UnixMs): void {
    const heardOf = this.#mayHaveSettledNano.indexOf(nano);
    if (heardOf !== -1) this.#mayHaveSettledNano = this.#mayHaveSettledNano.toSpliced(heardOf, 1);
    this.#flows.push({ atMs, nano });
    if (this.#flows.length > FLOWS_MAX) this.#flows.shift();
  }

  /**
   * Takes over a read. It agrees when cash moved by just the settlements we know of: then no
   * buy or sell settled that nobody told us about. A settlement whose frame comes after the read
   * that showed it surprises twice, in opposite directions, and so not at all.
   */
  onBalances(balances: Balances, askedAtMs: UnixMs): CashProof {
    const cash = nanoOf(balances.cashBalance);
    const expected = this.cashNano;
    this.#flows = this.#flows.filter((flow) => flow.atMs > askedAtMs);
    this.#cashNano = cash;
    this.#availableNano = nanoOf(balances.availableBalance);
    this.#onHoldNano = nanoOf(balances.usdcOnHold);
    this.#askedAtMs = askedAtMs;
    if (expected !== undefined && !this.#hasSettledUnheard(cash - expected)) {
      this.#remember({ atMs: askedAtMs, nano: cash - expected });
    }
    return Math.abs(this.surpriseNano) <= EPSILON_NANO ? 'agrees' : 'differs';
  }

  /** Cash of the last minutes that nothing we know explains. */
  get surpriseNano(): number {
    return this.#surprises.reduce((sum, each) => sum + each.nano, 0);
  }

  /** Unexplained cash since a moment, by the time of the read that showed it. */
  surpriseSince(atMs: UnixMs): number {
    let sum = 0;
    for (const each of this.#surprises) if (each.atMs >= atMs) sum += each.nano;
    return sum;
  }

  /** What was unexplained is explained now. */
  explain(nano: number, atMs: UnixMs): void {
    this.#surprises.push({ atMs, nano: -nano });
  }

  /** Whether a read shows just the oldest of what an earlier life left pending, settled. */
  #hasSettledUnheard(change: number): boolean {
    let sum = 0;
    const last = this.#mayHaveSettledNano.findIndex((nano) => {
      sum += nano;
      return Math.abs(sum - change) <= EPSILON_NANO;
    });
    if (last === -1) return false;
    this.#mayHaveSettledNano = this.#mayHaveSettledNano.slice(last + 1);
    return true;
  }

  #remember(surprise: Flow): void {
    const kept = this.#surprises.filter((each) => surprise.atMs - each.atMs < SURPRISE_KEPT_MS);
    if (Math.abs(surprise.nano) > EPSILON_NANO) kept.push(surprise);
    this.#surprises = kept.slice(-SURPRISES_MAX);
  }
}
