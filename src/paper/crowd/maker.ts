// A maker of the crowd: quotes both tokens of one market around its own view of the fair value,
// which is late and mistaken, and changes that view only when it has really moved.

import type { Market } from '../../domain/market.ts';
import type { BookSide } from '../../domain/message.ts';
import type { TickGrid } from '../../domain/ticks.ts';
import { addMs, type UnixMs } from '../../domain/time.ts';
import type { Desk } from '../exchange/desk.ts';
import type { CrowdAccount } from './account.ts';
import { fromLogOdds, logOdds } from './belief.ts';
import type { LadderShape } from './ladder.ts';
import { MakerSide } from './maker-side.ts';
import type { MarketProfile } from './profile.ts';
import type { Random } from './random.ts';

export type MakerOptions = {
  readonly desk: Desk;
  readonly grid: TickGrid;
  readonly market: Market;
  readonly account: CrowdAccount;
  readonly random: Random;
  readonly profile: MarketProfile;
  /** 0 for the boldest maker of the market; each further one keeps more distance. */
  readonly rank: number;
  /** How busy the crowd is; 1 is the usual pace. */
  readonly activity: number;
};

/** Time in which a maker's error about the fair value is forgotten. */
const ERROR_LASTS_MS = 30_000;
/** A maker clears its account this often, for orders whose cancel did not work. */
const SWEEP_EVERY_MS = 300_000;
/** Chance, at each look, that a maker draws back from one side for a while. */
const THIN_CHANCE = 0.004;
/** What is left of the sizes on such a side. */
const THIN_SIZE = 0.25;
/** A view that moved less than this is the same view: requoting it would only lose the queue. */
const HOLD_TICKS = 0.6;

type Ladder = {
  readonly side: MakerSide;
  readonly token: 'yes' | 'no';
  /** The side of the market it serves, on the YES axis. */
  readonly axisSide: BookSide;
};

export class Maker {
  readonly #options: MakerOptions;
  readonly #ladders: readonly Ladder[];
  readonly #halfSpreadTicks: number;
  readonly #spacingTicks: number;
  #error: number;
  #anchorTicks: number | undefined;
  #lookedAtMs: UnixMs;
  #nextLookMs: UnixMs;
  #nextSweepMs: UnixMs;
  #thin: { readonly axisSide: BookSide; readonly untilMs: UnixMs } | undefined;

  constructor(options: MakerOptions) {
    const { desk, grid, profile, random, rank } = options;
    this.#options = options;
    this.#ladders = laddersOf(options);
    // A finer grid is quoted tighter in price and wider in ticks.
    this.#spacingTicks = grid.ticksPerUnit === 100 ? 1 : 2;
    this.#halfSpreadTicks = this.#spacingTicks * profile.makerHalfSpreadTicks * (1 + rank / 2);
    this.#error = profile.makerError * random.normal();
    this.#lookedAtMs = desk.nowMs();
    this.#nextLookMs = desk.nowMs();
    this.#nextSweepMs = addMs(desk.nowMs(), SWEEP_EVERY_MS * (0.5 + random.uniform()));
  }

  /** Looks at the market when it is time to; `fairValueAt` tells what it was worth some time ago. */
  act(fairValueAt: (agoMs: number) => number): void {
    const { desk, account, profile, grid } = this.#options;
    const nowMs = desk.nowMs();
    if (nowMs < this.#nextLookMs || account.isResting) return;
    this.#nextLookMs = addMs(nowMs, this.#pauseMs());
    this.#err(nowMs);
    this.#drawBack(nowMs);
    if (nowMs >= this.#nextSweepMs) this.#sweep(nowMs);
    const view = logOdds(fairValueAt(profile.makerLagMs)) + this.#error;
    this.#requote(fromLogOdds(view) * grid.ticksPerUnit);
  }

  stop(): void {
    this.#options.account.cancelAll();
    for (const ladder of this.#ladders) ladder.side.forget();
  }

  #pauseMs(): number {
    const pace = Math.min(10, Math.max(0.5, this.#options.activity));
    return (400 + 800 * this.#options.random.uniform()) / pace;
  }

  /** The error fades, and fresh error takes its place at the same pace. */
  #err(nowMs: UnixMs): void {
    const { profile, random } = this.#options;
    const kept = Math.exp(-(nowMs - this.#lookedAtMs) / ERROR_LASTS_MS);
    const fresh = profile.makerError * Math.sqrt(1 - kept * kept) * random.normal();
    this.#error = kept * this.#error + fresh;
    this.#lookedAtMs = nowMs;
  }

  #drawBack(nowMs: UnixMs): void {
    const { random } = this.#options;
    if (this.#thin && nowMs >= this.#thin.untilMs) this.#thin = undefined;
    if (this.#thin || !random.chance(THIN_CHANCE)) return;
    const axisSide = random.chance(0.5) ? 'bid' : 'ask';
    this.#thin = { axisSide, untilMs: addMs(nowMs, 5_000 + random.exponential(15_000)) };
  }

  #sweep(nowMs: UnixMs): void {
    this.#nextSweepMs = addMs(nowMs, SWEEP_EVERY_MS);
    this.stop();
  }

  #requote(viewTicks: number): void {
    const hold = Math.max(HOLD_TICKS, this.#halfSpreadTicks / 4);
    const anchorTicks = this.#anchorTicks ?? viewTicks;
    const hasMoved = Math.abs(viewTicks - anchorTicks) >= hold;
    this.#anchorTicks = hasMoved ? viewTicks : anchorTicks;
    // Old orders leave before new ones come, so that the account's own sides do not meet.
    for (const ladder of this.#ladders) ladder.side.prune(this.#shapeOf(ladder));
    for (const ladder of this.#ladders) {
      const share = this.#isThin(ladder) ? THIN_SIZE : 1;
      ladder.side.fill(this.#shapeOf(ladder), this.#options.profile.makerLevelShares * share);
    }
  }

  #shapeOf(ladder: Ladder): LadderShape {
    const { grid, profile } = this.#options;
    const anchor = this.#anchorTicks ?? grid.ticksPerUnit / 2;
    return {
      centerTicks: ladder.token === 'yes' ? anchor : grid.ticksPerUnit - anchor,
      halfSpreadTicks: this.#halfSpreadTicks,
      spacingTicks: this.#spacingTicks,
      levels: this.#isThin(ladder) ? 1 : profile.makerLevels,
    };
  }

  #isThin(ladder: Ladder): boolean {
    return this.#thin?.axisSide === ladder.axisSide;
  }
}

function laddersOf(options: MakerOptions): readonly Ladder[] {
  const { yes, no } = options.market;
  const side = (token: 'yes' | 'no', bookSide: BookSide): MakerSide =>
    new MakerSide({
      ...options,
      tokenId: token === 'yes' ? yes.tokenId : no.tokenId,
      siblingId: token === 'yes' ? no.tokenId : yes.tokenId,
      side: bookSide,
    });
  return [
    { token: 'yes', axisSide: 'bid', side: side('yes', 'bid') },
    { token: 'yes', axisSide: 'ask', side: side('yes', 'ask') },
    { token: 'no', axisSide: 'ask', side: side('no', 'bid') },
    { token: 'no', axisSide: 'bid', side: side('no', 'ask') },
  ];
}
