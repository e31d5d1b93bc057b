// One token's own book on the YES axis, without our own orders: what a market order for that token
// meets, since it does not cross into the sibling's book. @spec Endpoints › POST /orders/market

import type { BookSide } from '../../domain/message.ts';
import { type MicroShares, microShares } from '../../domain/shares.ts';
import type { TickGrid, Ticks } from '../../domain/ticks.ts';
import type { AxisBook } from '../../strategy/contract.ts';
import type { OutcomeSide, TokenBook } from './axis.ts';
import { type Levels, NO_RANK, priceOf, rankOf } from './levels.ts';
import type { OwnSide } from './own.ts';

/** The NO book appears mirrored: its asks are bids for YES at the complement. */
export class TokenAxisBook implements AxisBook {
  readonly #grid: TickGrid;
  readonly #bids: SideOfOthers;
  readonly #asks: SideOfOthers;

  constructor(token: TokenBook, outcome: OutcomeSide) {
    this.#grid = token.mirror.grid;
    this.#bids = new SideOfOthers(token, outcome === 'yes' ? 'bid' : 'ask');
    this.#asks = new SideOfOthers(token, outcome === 'yes' ? 'ask' : 'bid');
  }

  bestBid(): Ticks | undefined {
    return priceOf(this.#grid, 'bid', this.#bids.nextBelow(this.#grid.ticksPerUnit));
  }

  bestAsk(): Ticks | undefined {
    return priceOf(this.#grid, 'ask', this.#asks.nextBelow(this.#grid.ticksPerUnit));
  }

  bidSizeAt(price: Ticks): MicroShares {
    return microShares(this.#bids.at(rankOf(this.#grid, 'bid', price)));
  }

  askSizeAt(price: Ticks): MicroShares {
    return microShares(this.#asks.at(rankOf(this.#grid, 'ask', price)));
  }

  nextBid(below: Ticks): Ticks | undefined {
    return priceOf(this.#grid, 'bid', this.#bids.nextBelow(rankOf(this.#grid, 'bid', below)));
  }

  nextAsk(above: Ticks): Ticks | undefined {
    return priceOf(this.#grid, 'ask', this.#asks.nextBelow(rankOf(this.#grid, 'ask', above)));
  }
}

/** A rank is also the complement's view, so mirroring needs no arithmetic. */
class SideOfOthers {
  readonly #levels: Levels;
  readonly #own: OwnSide;

  constructor(token: TokenBook, side: BookSide) {
    this.#levels = token.mirror.levels(side);
    this.#own = token.own.side(side);
  }

  at(rank: number): number {
    return this.#own.others(rank, this.#levels.at(rank));
  }

  nextBelow(rank: number): number {
    let at = rank;
    do at = this.#levels.nextBelow(at);
    while (at !== NO_RANK && this.at(at) === 0);
    return at;
  }
}
