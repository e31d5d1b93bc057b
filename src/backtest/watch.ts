// Watches a backtest from the exchange's side and sums up what came of it. It asks the core for nothing but
// its fair value and its uptime: what the core counts of its own money is not what is measured here.

import type { MarketId } from '../domain/ids.ts';
import type { ExchangeEvent, TokenRef } from '../paper/exchange/events.ts';
import type { ExchangeOrder } from '../paper/exchange/exchange-order.ts';
import type { ListedMarket } from '../paper/exchange/listed-market.ts';
import type { Trade, TradeLeg } from '../paper/exchange/trade.ts';
import { Drawdown } from './drawdown.ts';
import { addParts, type Fill, MARKOUT_SEC, NO_PARTS, profitOf } from './fills.ts';
import { MarketWatch, type WatchOptions } from './market-watch.ts';
import type { Figures, Mark, MarketResult } from './result.ts';

const SAMPLE_MS = 1_000;

/** What a market turned out to be worth, where that is known: a probability of YES. */
export type WorthOf = (
  marketId: MarketId,
) => { readonly mark: Exclude<Mark, 'middle'>; readonly value: number } | undefined;

/** What only the core knows of a market. */
export type Described = {
  readonly title: string;
  readonly strategy: string;
  /** What it took YES to be worth at the end. */
  readonly fair: number | undefined;
  /** Of both sides. */
  readonly uptimeRatio: number | undefined;
};

export class Watch {
  readonly #options: WatchOptions;
  readonly #markets = new Map<MarketId, MarketWatch>();
  /** Own fills that wait for their settlement, by their leg. */
  readonly #unsettled = new Map<TradeLeg, Fill>();
  /** Markets whose book changed in this moment. */
  readonly #changed = new Set<MarketWatch>();
  /** Accepted, and on the way to the book. */
  readonly #arriving = new Set<ExchangeOrder>();
  readonly #ahead = new WeakMap<ExchangeOrder, number>();
  readonly #drawdown = new Drawdown();
  #isOver = false;

  constructor(options: WatchOptions) {
    this.#options = options;
    const { exchange } = options;
    for (const market of exchange.catalogue.markets()) this.#add(market);
    exchange.listen((event) => this.#onEvent(event));
  }

  /** Begins to sample inventory, prices and presence. */
  start(): void {
    this.#options.time.after(SAMPLE_MS, () => {
      if (this.#isOver) return;
      this.#sample();
      this.start();
    });
  }

  /** Ends the samples, and takes down where each market stands; fills still settle. */
  end(): void {
    this.#isOver = true;
    for (const market of this.#markets.values()) market.middle();
  }

  /** Of every market that is described; what has not settled by now is taken to settle. */
  results(
    describe: (marketId: MarketId) => Described | undefined,
    worthOf: WorthOf,
  ): readonly MarketResult[] {
    return [...this.#markets.values()].flatMap((market) => {
      const described = describe(market.marketId);
      return described ? [this.#resultOf(market, described, worthOf)] : [];
    });
  }

  total(results: readonly MarketResult[]): Figures {
    const sum = (of: (result: Figures) => number): number =>
      results.reduce((total, each) => total + of(each), 0);
    const uptimes = results.flatMap(({ uptimeRatio }) => uptimeRatio ?? []);
    const fairs = results.map(({ pnlAtFairUsdc }) => pnlAtFairUsdc);
    const marks = new Set(results.map(({ mark }) => mark));
    const touches = results.map(({ touchRatio }) => touchRatio);
    return {
      pnlUsdc: sum(({ pnlUsdc }) => pnlUsdc),
      mark: marks.size === 1 ? ([...marks][0] ?? 'middle') : 'mixed',
      pnlAtMiddleUsdc: sum(({ pnlAtMiddleUsdc }) => pnlAtMiddleUsdc),
      pnlAtFairUsdc: fairs.includes(undefined) ? undefined : sum((each) => each.pnlAtFairUsdc ?? 0),
      parts: results.reduce((parts, each) => addParts(parts, each.parts), NO_PARTS),
      fills: sum(({ fills }) => fills),
      failedFills: sum(({ failedFills }) => failedFills),
      makerShares: sum(({ makerShares }) => makerShares),
      takerShares: sum(({ takerShares }) => takerShares),
      inventoryRmsShares: Math.sqrt(sum(({ inventoryRmsShares }) => inventoryRmsShares ** 2)),
      inventoryMaxShares: Math.max(0, ...results.map((each) => each.inventoryMaxShares)),
      netShares: sum(({ netShares }) => netShares),
      drawdownUsdc: this.#drawdown.deepest,
      touchRatio: meanOf(touches) ?? 0,
      uptimeRatio: meanOf(uptimes),
    };
  }

  #add(market: ListedMarket): void {
    if (this.#markets.has(market.market.id)) return;
    this.#markets.set(market.market.id, new MarketWatch(market, this.#options));
  }

  #onEvent(event: ExchangeEvent): void {
    switch (event.kind) {
      case 'listed':
        for (const market of event.listed.markets) this.#add(market);
        return;
      case 'matched':
        this.#onMatched(event.trade);
        return;
      case 'tradeSettled':
        this.#onOutcome(event.leg, (market, fill) => market.settle(fill));
        return;
      case 'tradeFailed':
        this.#onOutcome(event.leg, (market, fill) => market.takeBack(fill));
        return;
      case 'orderUpdated':
        if (event.order.terms.account === this.#options.account) this.#onOrder(event.order);
        return;
      case 'levelChanged':
        if (this.#arriving.size > 0) this.#onLevel(event.token);
        this.#lookSoon(event.token);
        return;
      default:
    }
  }

  /** Once all of this moment has happened, the middle is known that the next moment begins with. */
  #lookSoon({ market }: TokenRef): void {
    const watched = this.#markets.get(market.market.id);
    if (!watched || this.#isOver || this.#changed.has(watched)) return;
    this.#changed.add(watched);
    if (this.#changed.size > 1) return;
    this.#options.time.after(0, () => {
      // Books that are emptied after the end say nothing of where the market stood.
      if (!this.#isOver) for (const each of this.#changed) each.middle();
      this.#changed.clear();
    });
  }

  #onMatched(trade: Trade): void {
    for (const leg of [trade.maker, trade.taker]) {
      if (leg.account !== this.#options.account) continue;
      const market = this.#markets.get(leg.market.market.id);
      if (!market) continue;
      const isTaker = leg === trade.taker;
      const aheadMicro = isTaker ? undefined : this.#aheadOf(leg);
      const fill = market.add(leg, { atMs: trade.matchedAtMs, aheadMicro });
      this.#unsettled.set(leg, fill);
      this.#lookLater(market, fill);
    }
  }

  #aheadOf({ order }: TradeLeg): number {
    return (order && this.#ahead.get(order)) ?? 0;
  }

  #lookLater(market: MarketWatch, fill: Fill): void {
    MARKOUT_SEC.forEach((sec, index) => {
      this.#options.time.after(sec * 1_000, () => {
        if (!this.#isOver && fill.later.length === index) market.look(fill);
      });
    });
  }

  #onOutcome(leg: TradeLeg, act: (market: MarketWatch, fill: Fill) => void): void {
    const fill = this.#unsettled.get(leg);
    this.#unsettled.delete(leg);
    const market = fill && this.#markets.get(fill.marketId);
    if (market) act(market, fill);
  }

  #onOrder(order: ExchangeOrder): void {
    if (order.end !== undefined) this.#arriving.delete(order);
    else if (!this.#ahead.has(order)) this.#arriving.add(order);
  }

  /** Its level changes when an order comes to rest: who stands before it is known then. */
  #onLevel({ market }: TokenRef): void {
    const book = this.#options.exchange.context.books.of(market);
    for (const order of this.#arriving) {
      if (order.terms.market !== market) continue;
      const queue = book.level(order.axis.side, order.axis.tick)?.orders ?? [];
      const place = queue.indexOf(order);
      if (place < 0) continue;
      const recorded = order.aheadMicro[0] + order.aheadMicro[1];
      const resting = queue
        .slice(0, place)
        .filter(({ terms }) => terms.account !== order.terms.account)
        .reduce((sum, each) => sum + each.restingMicro(), 0);
      this.#ahead.set(order, recorded + resting);
      this.#arriving.delete(order);
    }
  }

  #sample(): void {
    const { exchange, account, time } = this.#options;
    const own = new Map<MarketId, ExchangeOrder[]>();
    for (const order of exchange.openOrders(account)) {
      const { id } = order.terms.market.market;
      const orders = own.get(id);
      if (orders) orders.push(order);
      else own.set(id, [order]);
    }
    const atMs = time.nowMs();
    let profit = 0;
    for (const [id, market] of this.#markets) {
      market.sample(atMs, own.get(id) ?? []);
      profit += market.profit();
    }
    this.#drawdown.add(profit);
  }

  #resultOf(market: MarketWatch, described: Described, worthOf: WorthOf): MarketResult {
    const middle = market.lastMiddle;
    const known = worthOf(market.marketId);
    const halfTicks = market.halfTicksPerUnit;
    const value = known ? known.value * halfTicks : middle;
    market.end();
    const { tally } = market;
    const parts = tally.parts(value);
    const { title, strategy, fair, uptimeRatio } = described;
    const { rms, max } = market.inventory();
    const touch = market.touchCounts();
    return {
      marketId: market.marketId,
      title,
      strategy,
      pnlUsdc: profitOf(parts),
      mark: known?.mark ?? 'middle',
      pnlAtMiddleUsdc: middle === undefined ? 0 : market.profitAt(middle),
      pnlAtFairUsdc: fair === undefined ? undefined : market.profitAt(fair * halfTicks),
      parts,
      fills: tally.fills,
      failedFills: market.failedFills,
      makerShares: tally.makerMicro / 1e6,
      takerShares: tally.takerMicro / 1e6,
      inventoryRmsShares: rms,
      inventoryMaxShares: max,
      netShares: market.netMicro / 1e6,
      drawdownUsdc: market.drawdown.deepest,
      touchRatio: touch.of === 0 ? 0 : touch.at / touch.of,
      uptimeRatio,
      markouts: tally.markouts.markouts(halfTicks),
      queue: tally.markouts.queueRows(halfTicks),
      curves: tally.markouts.curves(halfTicks),
      points: market.points.all(),
      shownFills: tally.shown.all(),
    };
  }
}

export function meanOf(values: readonly number[]): number | undefined {
  if (values.length === 0) return undefined;
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
