// What has settled: per account, platform-wide, and as candles.

import type { TokenId } from '../../domain/ids.ts';
import type { Side } from '../../domain/order.ts';
import type { Clock, UnixMs } from '../../domain/time.ts';
import type { NanoUsdc } from './amounts.ts';
import { CandleBook } from './candles.ts';
import { ring } from './ring.ts';
import type { Trade, TradeLeg } from './trade.ts';

export type ActivityRecord = {
  readonly tradeId: string;
  readonly tokenId: TokenId;
  readonly marketId: string;
  readonly marketTitle: string;
  readonly outcomeName: string;
  readonly side: Side;
  readonly price: string;
  readonly quantityMicro: number;
  readonly txHash: string;
  readonly atMs: UnixMs;
};

/** Platform-wide trades that `GET /activity` can page through. */
const ACTIVITY_KEPT = 10_000;

export class History {
  readonly #clock: Clock;
  readonly activity = ring<ActivityRecord>(ACTIVITY_KEPT);
  /** One entry per listed token that ever traded. */
  readonly #candles = new Map<TokenId, CandleBook>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  candles(tokenId: TokenId): CandleBook | undefined {
    return this.#candles.get(tokenId);
  }

  /** One leg settled: it goes into the trades of its account. */
  settled(
    leg: TradeLeg,
    settlement: {
      readonly tradeId: string;
      readonly txHash: string;
      readonly realizedPnlNano: NanoUsdc;
    },
  ): void {
    if (leg.account.kind === 'recorded') return;
    const { costNano, feeNano, quantityMicro, side } = leg;
    const outcome = leg.market.outcome(leg.index);
    // Written out, as the record of a trade below: two of these are made by each, and a spread costs more.
    leg.account.trades.push({
      tradeId: settlement.tradeId,
      txHash: settlement.txHash,
      realizedPnlNano: settlement.realizedPnlNano,
      tokenId: outcome.tokenId,
      marketId: leg.market.market.id,
      marketTitle: leg.market.market.title,
      outcomeName: outcome.name,
      price: leg.priceText,
      side,
      quantityMicro,
      costNano,
      feeNano,
      atMs: this.#clock.nowMs(),
    });
  }

  /** A whole trade settled: it is public now. */
  traded(trade: Trade, txHash: string): void {
    const atMs = this.#clock.nowMs();
    const { taker, maker, tradeId } = trade;
    const { side, quantityMicro } = taker;
    taker.market.volumeNano += taker.costNano;
    const outcome = taker.market.outcome(taker.index);
    this.activity.push({
      tokenId: outcome.tokenId,
      marketId: taker.market.market.id,
      marketTitle: taker.market.market.title,
      outcomeName: outcome.name,
      price: taker.priceText,
      tradeId,
      txHash,
      side,
      quantityMicro,
      atMs,
    });
    const legs = taker.index === maker.index ? [taker] : [taker, maker];
    for (const leg of legs) this.#candle(leg, atMs);
  }

  #candle(leg: TradeLeg, atMs: UnixMs): void {
    const { tokenId } = leg.market.outcome(leg.index);
    const book = this.#candles.get(tokenId) ?? new CandleBook();
    this.#candles.set(tokenId, book);
    book.add(atMs, leg.priceText, leg.quantityMicro);
  }
}
