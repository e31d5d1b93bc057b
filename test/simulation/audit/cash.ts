// The rule `cash_wrong`: the cash that the daemon names is one that the venue has or had a moment ago.
// News of settlements overtake reads of balances and each other, so a number may be wrong in passing;
// reads put it right, and one that outlasts them is the daemon's own.

import type { VenueMessage } from '../../../src/domain/message.ts';
import type { Room, Rules } from './room.ts';

const EPSILON_USDC = 1e-6;
/** The daemon is asked this often. */
const LOOK_MS = 2_000;
/** What the venue had so long ago may be what the daemon was last told: requests take seconds at most. */
const LAG_MS = 60_000;
/** A number that is wrong for so long, over so many reads of the balances, is not wrong in passing. */
const WRONG_MS = 60_000;
const READS_MIN = 3;

type Past = { readonly usdc: number; readonly untilMs: number };
type Wrong = { readonly sinceMs: number; reads: number };

export class CashRules implements Rules {
  readonly #room: Room;
  #cash;
  #past: Past[] = [];
  #wrong: Wrong | undefined;
  #lookedAtMs = 0;

  constructor(room: Room) {
    this.#room = room;
    this.#cash = room.account.cash;
  }

  /** A new life is told by its first read. */
  onLifeStarts(): void {
    this.#wrong = undefined;
  }

  onMessage(message: VenueMessage): void {
    if (this.#wrong && message.kind === 'balances' && message.outcome.kind === 'ok')
      this.#wrong.reads += 1;
  }

  check(nowMs: number): void {
    const { account } = this.#room;
    if (account.cash !== this.#cash) {
      this.#past.push({ usdc: this.#cash.toNumber(), untilMs: nowMs });
      this.#cash = account.cash;
    }
    if (nowMs - this.#lookedAtMs < LOOK_MS) return;
    this.#lookedAtMs = nowMs;
    this.#past = this.#past.filter(({ untilMs }) => untilMs >= nowMs - LAG_MS);
    this.#look(nowMs);
  }

  #look(nowMs: number): void {
    const { claimedCash, marks, violate } = this.#room;
    const claimed = claimedCash?.();
    if (claimed === undefined || this.#wasEver(Number(claimed))) {
      if (claimed !== undefined) marks.add('cash:compared');
      this.#wrong = undefined;
      return;
    }
    this.#wrong ??= { sinceMs: nowMs, reads: 0 };
    const { sinceMs, reads } = this.#wrong;
    if (nowMs - sinceMs < WRONG_MS || reads < READS_MIN) return;
    violate('cash_wrong', `${claimed} USDC named over ${reads} reads, ${this.#cash} there`);
  }

  #wasEver(usdc: number): boolean {
    const isSame = (other: number) => Math.abs(other - usdc) <= EPSILON_USDC;
    return isSame(this.#cash.toNumber()) || this.#past.some((past) => isSame(past.usdc));
  }
}
