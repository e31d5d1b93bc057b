// A venue, and an auditor that watches the account of a daemon which a test plays.

import { VirtualClock } from '../../src/clock/virtual.ts';
import { intentId, type OrderHash, requestId } from '../../src/domain/ids.ts';
import type { OutcomeIndex } from '../../src/domain/market.ts';
import type { LimitOrder } from '../../src/domain/order.ts';
import type { StoredOrder } from '../../src/domain/record.ts';
import { microShares } from '../../src/domain/shares.ts';
import { ticks } from '../../src/domain/ticks.ts';
import { type UnixMs, unixMs } from '../../src/domain/time.ts';
import type { MarketView, StateView } from '../../src/domain/view.ts';
import { openDirectVenue } from '../../src/paper/direct.ts';
import { nanoOfMicro } from '../../src/paper/exchange/amounts.ts';
import type { ListedMarket } from '../../src/paper/exchange/listed-market.ts';
import { settings as driverSettings, EngineDriver } from '../support/engine-driver.ts';
import { Auditor } from './audit/auditor.ts';
import type { RestParts } from './audit/rest-parts.ts';
import { type Controls, PLAIN } from './world/controls.ts';
import type { Flight, PlaceCommand } from './world/network.ts';
import { settingOf } from './world/setting.ts';
import { Tally } from './world/tally.ts';

const SIZE_MICRO = 30_000_000;

export class Scene {
  readonly clock = new VirtualClock({ startMs: 1_000_000 });
  readonly venue;
  readonly auditor: Auditor;
  readonly market: ListedMarket;
  /** What the daemon shows. */
  shown: StateView | undefined;
  #requests = 0;

  constructor(controls: Partial<Controls> = {}) {
    const { clock } = this;
    const { events, settings } = settingOf('binary', { ...PLAIN, ...controls });
    this.venue = openDirectVenue({
      ...{ clock, timers: clock, events, accountName: 'maker', seed: 1, startingCash: 2_000 },
      rules: { takerFeeRate: controls.fees?.chargedRate ?? 0, restingFeeHold: 'free' },
    });
    const [market] = this.venue.exchange.catalogue.events().flatMap(({ markets }) => markets);
    if (market === undefined) throw new Error('the venue lists markets');
    this.market = market;
    this.auditor = new Auditor({
      ...{ venue: this.venue, settings, marks: new Tally(), cancelsParts: false },
      account: this.account,
      nowMs: () => clock.nowMs(),
      view: () => this.shown,
    });
    this.auditor.onProcessStarts(1, true);
  }

  get account() {
    return this.venue.exchange.accounts.named('maker');
  }

  get broken(): readonly string[] {
    return this.auditor.violations.map(({ rule }) => rule);
  }

  get facts() {
    return this.auditor.facts;
  }

  /** A buy of YES, or of the outcome of an index, takes effect whose placement asked for what `asked` says. */
  place(
    name: string,
    price: number,
    asked: Partial<LimitOrder> = {},
    index: OutcomeIndex = 1,
    { isDouble = false, lateMs = 0 } = {},
  ): OrderHash {
    const { market, auditor, clock } = this;
    this.#requests += 1;
    const order: LimitOrder = {
      ...{ intentId: intentId(name), tokenId: market.outcome(index).tokenId, side: 'BUY' },
      ...{ price: ticks(market.grid, price), quantity: microShares(SIZE_MICRO) },
      ...{ lifetime: { timeInForce: 'GTC' }, ...asked },
    };
    const id = requestId(this.#requests);
    const placing = { kind: 'placeOrders', requestId: id, orders: [order] } as PlaceCommand;
    const request = { method: 'POST', target: '/api/orders', headers: {}, body: '', address: '' };
    const origin = { process: 1, placing, changing: undefined };
    const flight = { request, origin, isDouble } as Flight;
    let hash: OrderHash | undefined;
    auditor.onCommand({ kind: 'venue', command: placing });
    auditor.onSent(flight);
    if (lateMs > 0) {
      this.pass(lateMs);
      const absent = this.#absent(order, unixMs(clock.nowMs() - lateMs));
      auditor.onCommand({ kind: 'record', record: { kind: 'order', order: absent } });
    }
    auditor.during(flight, () => {
      hash = this.#buy(price, index, order.lifetime.timeInForce);
    });
    if (hash === undefined) throw new Error('an order was placed');
    return hash;
  }

  /** A request takes effect for a second time, as when the network delivers it again. */
  placeAgain(name: string, price: number): OrderHash {
    return this.place(name, price, {}, 1, { isDouble: true });
  }

  /** Somebody else buys on the account. */
  placeByHand(price: number): OrderHash {
    return this.#buy(price);
  }

  /** Somebody sells into it, so that a part of it rests. */
  takePart(price: number): void {
    const { exchange } = this.venue;
    const taker = exchange.accounts.find('taker') ?? exchange.accounts.open('taker', 'crowd');
    exchange.accounts.deposit(taker, nanoOfMicro(1_000_000_000));
    const { grid } = this.market;
    // A buyer of NO at the other end of the axis is a seller of YES.
    exchange.placeLimit(taker, {
      ...{ token: { market: this.market, index: 0 }, side: 'BUY', timeInForce: 'GTC' },
      price: ticks(grid, grid.ticksPerUnit - price),
      quantityMicro: SIZE_MICRO / 3,
      ...{ expiresAtMs: undefined, clientOrderId: undefined },
    });
    this.pass(10_000);
  }

  pass(durationMs: number): void {
    this.clock.advance(durationMs);
  }

  rest(change: Partial<RestParts> = {}): RestParts {
    const driver = new EngineDriver();
    driver.start(driverSettings({ markets: [] }));
    return {
      ...{ engine: driver.engine, exchange: this.venue.exchange, account: this.account },
      ...{ facts: this.facts, isOwnScope: false, era: 1, kept: [] },
      ...{ isRecycling: () => false, isProfitKnown: true, isHarmless: true },
      bookOf: () => undefined,
      reportedOf: () => undefined,
      ...change,
    };
  }

  /** What the daemon shows of the market: nothing, but for what is given. */
  view(shown: Partial<MarketView> = {}): MarketView {
    const nothing = { positionYes: '0', positionNo: '0', ownBids: [], ownAsks: [] };
    const { title, id } = this.market.market;
    return { title, marketId: id, ...nothing, ...shown } as unknown as MarketView;
  }

  /** What a daemon records that waits no longer for the answer to a placement. */
  #absent(order: LimitOrder, sentAtMs: UnixMs): StoredOrder {
    const stateSinceMs = unixMs(this.clock.nowMs());
    return { ...order, state: 'absent', sentAtMs, stateSinceMs } as unknown as StoredOrder;
  }

  #buy(
    price: number,
    index: OutcomeIndex = 1,
    timeInForce: LimitOrder['lifetime']['timeInForce'] = 'GTC',
  ): OrderHash {
    const order = this.venue.exchange.placeLimit(this.account, {
      ...{ token: { market: this.market, index }, side: 'BUY', timeInForce },
      price: ticks(this.market.grid, price),
      ...{ quantityMicro: SIZE_MICRO, expiresAtMs: undefined, clientOrderId: undefined },
    });
    return order.terms.orderHash;
  }
}
