// Carries out one match: holds move, the book shrinks, everyone concerned is told.

import type { Account } from './account.ts';
import { opposite } from './axis.ts';
import type { ExchangeContext } from './context.ts';
import type { ExchangeOrder } from './exchange-order.ts';
import { holdMatched } from './ledger.ts';
import { legOf, type MatchPoint, type Party } from './legs.ts';
import type { OrderLifecycle } from './order-lifecycle.ts';
import type { Trade, TradeLeg } from './trade.ts';

export class Fills {
  readonly #context: ExchangeContext;
  readonly #lifecycle: OrderLifecycle;

  constructor(context: ExchangeContext, lifecycle: OrderLifecycle) {
    this.#context = context;
    this.#lifecycle = lifecycle;
  }

  /** Matches a taker with a maker at the maker's price; the taker announces itself at its end. */
  match(taker: Party, maker: Party, point: MatchPoint): Trade {
    const trade: Trade = {
      tradeId: this.#context.hashes.next(),
      taker: legOf(taker, point.takerSide, point),
      maker: legOf(maker, opposite(point.takerSide), point),
      matchedAtMs: this.#context.clock.nowMs(),
    };
    this.#context.emit({ kind: 'matched', trade });
    holdMatched(trade.taker);
    holdMatched(trade.maker);
    if (maker.order) this.#shrinkMaker(maker.order, point.quantityMicro);
    this.#tellPositions(trade);
    this.#tellPublic(trade);
    return trade;
  }

  /** Tells the trades channel of a trade among external orders. */
  tellPublic(leg: TradeLeg): void {
    this.#context.emit({
      kind: 'tradeExecuted',
      token: { market: leg.market, index: leg.index },
      priceTicks: leg.priceTicks,
      sizeMicro: leg.quantityMicro,
      takerSide: leg.side,
      atMs: this.#context.clock.nowMs(),
    });
  }

  #shrinkMaker(order: ExchangeOrder, quantityMicro: number): void {
    const isGone = order.restingMicro() === 0;
    this.#context.books.of(order.terms.market).reduce(order, quantityMicro, isGone);
    this.#lifecycle.levelChanged(order);
    this.#lifecycle.announce(order);
  }

  #tellPositions(trade: Trade): void {
    for (const leg of [trade.taker, trade.maker]) {
      if (!leg.order) continue;
      this.#context.emit(positionMove(leg, 1));
    }
  }

  /** A minted or merged set consumed the book of the maker's token, from its other side. */
  #tellPublic(trade: Trade): void {
    const { taker, maker } = trade;
    this.tellPublic(taker);
    if (taker.index === maker.index) return;
    this.tellPublic({ ...maker, side: maker.side === 'BUY' ? 'SELL' : 'BUY' });
  }
}

/** The provisional move of a position; `sign` is -1 when a failed settlement takes it back. */
export function positionMove(
  leg: TradeLeg,
  sign: 1 | -1,
): {
  readonly kind: 'positionMoved';
  readonly account: Account;
  readonly token: { readonly market: TradeLeg['market']; readonly index: TradeLeg['index'] };
  readonly deltaMicro: number;
  readonly averagePrice: string;
} {
  const direction = leg.side === 'BUY' ? sign : -sign;
  return {
    kind: 'positionMoved',
    account: leg.account,
    token: { market: leg.market, index: leg.index },
    deltaMicro: direction * leg.quantityMicro,
    averagePrice: leg.priceText,
  };
}
