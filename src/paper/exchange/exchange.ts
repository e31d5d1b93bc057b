// The exchange: accounts, listings, matching and settlement put together. It does no I/O and reads
// no clock of its own, so that a simulation can drive it on virtual time.

import type { OrderHash } from '../../domain/ids.ts';
import type { Event, OutcomeIndex, TradingStatus } from '../../domain/market.ts';
import type { TickGrid } from '../../domain/ticks.ts';
import type { Clock, Timers } from '../../domain/time.ts';
import type { Account } from './account.ts';
import { Accounts } from './accounts.ts';
import { NO_FEE } from './amounts.ts';
import { opposite } from './axis.ts';
import { Books } from './books.ts';
import { type CancelCount, type CancelScope, Cancels } from './cancels.ts';
import { Catalogue } from './catalogue.ts';
import { Chain } from './chain.ts';
import type { ExchangeContext } from './context.ts';
import type { ExchangeEvent, ExchangeListener } from './events.ts';
import type { ExchangeOrder } from './exchange-order.ts';
import { Fills } from './fills.ts';
import { History } from './history.ts';
import { HashSource } from './identity.ts';
import type { Party } from './legs.ts';
import type { ListedEvent, ListedMarket } from './listed-market.ts';
import type { MarketRequest } from './market-plan.ts';
import { Matcher } from './matcher.ts';
import { OpenOrders } from './open-orders.ts';
import { OrderLifecycle } from './order-lifecycle.ts';
import { type LimitRequest, Placement, type Planned } from './placement.ts';
import { seededDice } from './random.ts';
import { Recorded } from './recorded.ts';
import type { ExchangeRules, ExchangeTiming } from './rules.ts';
import { Settlement } from './settlement.ts';
import { TimerSet } from './timer-set.ts';

export type ExchangeOptions = {
  readonly clock: Clock;
  readonly timers: Timers;
  readonly seed: number;
  readonly rules: ExchangeRules;
  readonly timing: ExchangeTiming;
};

/** The name of the anonymous account behind recorded size. */
const NOBODY = 'recorded size';
const TREASURY = 'venue fees';

export class Exchange {
  readonly context: ExchangeContext;
  readonly catalogue = new Catalogue();
  readonly accounts: Accounts;
  readonly history: History;
  readonly settlement: Settlement;
  readonly chain: Chain;
  readonly recorded: Recorded;
  readonly #lifecycle: OrderLifecycle;
  readonly #placement: Placement;
  readonly #cancels: Cancels;
  readonly #matcher: Matcher;
  /** One per attached feed; a venue has one. */
  readonly #listeners = new Set<ExchangeListener>();

  constructor(options: ExchangeOptions) {
    const context = this.#contextOf(options);
    this.context = context;
    this.accounts = new Accounts(context, options.seed);
    this.history = new History(context.clock);
    this.#lifecycle = new OrderLifecycle(context);
    this.#placement = new Placement(context, this.#lifecycle);
    this.#cancels = new Cancels(context, this.#lifecycle);
    const nobody = this.accounts.open(NOBODY, 'recorded');
    const fills = new Fills(context, this.#lifecycle);
    this.settlement = new Settlement({
      context,
      lifecycle: this.#lifecycle,
      history: this.history,
      treasury: this.accounts.open(TREASURY, 'recorded'),
      rejoin: (order) => this.#matcher.arrive(order),
    });
    this.#matcher = new Matcher({
      ...{ context, fills, lifecycle: this.#lifecycle, settlement: this.settlement },
      recordedParty: (index) => partyOf(nobody, index),
    });
    this.chain = new Chain(context, this.settlement);
    this.recorded = new Recorded({
      ...{ context, fills, nobody, matcher: this.#matcher, settlement: this.settlement },
    });
  }

  /** Tells a listener everything that happens from now on; the answer calls it off. */
  listen(listener: ExchangeListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Lists an event. @throws {VenueRefusal} `already_exists` */
  list(event: Event, tags: readonly string[] = []): ListedEvent {
    const listed = this.catalogue.list(event, tags);
    this.context.emit({ kind: 'listed', listed });
    return listed;
  }

  /** Adds to a listed event what it did not have before. @throws {VenueRefusal} `market_not_found` */
  extend(event: Event, tags: readonly string[] = []): ListedEvent {
    const listed = this.catalogue.extend(event, tags);
    this.context.emit({ kind: 'listed', listed });
    return listed;
  }

  /** Acknowledges a limit order, which reaches the book a moment later. @throws {VenueRefusal} */
  placeLimit(account: Account, request: LimitRequest): ExchangeOrder {
    const order = this.#placement.limit(account, request);
    this.#matcher.enqueue(order);
    return order;
  }

  /** The same for a trader at the desk, who stands beside the book. @throws {VenueRefusal} */
  placeAtDesk(account: Account, request: LimitRequest): ExchangeOrder {
    const order = this.#placement.limit(account, request);
    this.#matcher.arrive(order);
    return order;
  }

  /** @throws {VenueRefusal} */
  placeMarket(account: Account, request: MarketRequest): Planned {
    const planned = this.#placement.market(account, request);
    this.#matcher.enqueue(planned.order);
    return planned;
  }

  /** @throws {VenueRefusal} `order_not_found`, `order_not_cancellable` */
  cancel(account: Account, orderHash: OrderHash): ExchangeOrder {
    return this.#cancels.one(account, orderHash);
  }

  /** @throws {VenueRefusal} `order_not_found`, `order_not_cancellable` where the rules say so. */
  cancelBatch(account: Account, orderHashes: readonly OrderHash[]): CancelCount {
    return this.#cancels.batch(account, orderHashes);
  }

  cancelMany(account: Account, orderHashes: readonly OrderHash[]): CancelCount {
    return this.#cancels.many(account, orderHashes);
  }

  cancelAll(account: Account, scope: CancelScope): CancelCount {
    return this.#cancels.all(account, scope);
  }

  /** Pauses, closes or reopens a market; a resolved market stays resolved. */
  setTradingStatus(market: ListedMarket, status: TradingStatus): void {
    if (market.trading === 'resolved' || market.trading === status) return;
    market.moveTo(status, this.context.clock.nowMs());
    if (status === 'closed' || status === 'resolved') this.#endAll(market);
    if (status === 'open') this.recorded.reachAll(market);
    this.context.emit({ kind: 'statusChanged', market, status });
  }

  /** Gives a market an order book, or takes it away with what rests in it. */
  setOrderBook(market: ListedMarket, hasOrderBook: boolean): void {
    if (market.hasOrderBook === hasOrderBook) return;
    if (!hasOrderBook) this.#endAll(market);
    market.hasOrderBook = hasOrderBook;
    this.context.emit({ kind: 'bookReset', market });
  }

  /** Resolves a market for one outcome, for ever. */
  resolve(market: ListedMarket, winner: OutcomeIndex): void {
    if (market.trading === 'resolved') return;
    market.winner = winner;
    this.setTradingStatus(market, 'resolved');
  }

  /** Moves an event to another tick grid; its resting orders are cancelled, its books emptied. */
  regrid(listed: ListedEvent, grid: TickGrid): void {
    for (const market of listed.markets) this.#endAll(market);
    listed.grid = grid;
    for (const market of listed.markets) {
      this.context.books.renew(market);
      this.context.emit({ kind: 'bookReset', market });
    }
  }

  /** Orders that `GET /orders` lists. */
  openOrders(account: Account): readonly ExchangeOrder[] {
    return this.context.open.of(account);
  }

  stop(): void {
    this.context.timers.clear();
    this.#listeners.clear();
  }

  #endAll(market: ListedMarket): void {
    const underWay = this.#matcher.underWay().filter((order) => order.terms.market === market);
    for (const order of [...this.context.books.of(market).orders(), ...underWay])
      this.#lifecycle.end(order, 'cancelled');
  }

  #contextOf(options: ExchangeOptions): ExchangeContext {
    return {
      clock: options.clock,
      timers: new TimerSet(options.timers, options.clock),
      dice: seededDice(options.seed),
      hashes: new HashSource(options.seed),
      rules: options.rules,
      timing: options.timing,
      books: new Books(options.rules.books),
      open: new OpenOrders(),
      emit: (event) => this.#tell(event),
    };
  }

  #tell(event: ExchangeEvent): void {
    for (const listener of this.#listeners) listener(event);
    if (event.kind !== 'levelChanged' || this.context.rules.books === 'separate') return;
    for (const listener of this.#listeners) listener(siblingOf(event));
  }
}

function partyOf(nobody: Account, index: OutcomeIndex): Party {
  return { account: nobody, order: undefined, index, fee: NO_FEE };
}

/** The same level in the book of the other outcome. */
function siblingOf(event: LevelChanged): LevelChanged {
  const { market, index } = event.token;
  return {
    kind: 'levelChanged',
    token: { market, index: index === 1 ? 0 : 1 },
    side: opposite(event.side),
    priceTicks: market.grid.ticksPerUnit - event.priceTicks,
  };
}

type LevelChanged = Extract<ExchangeEvent, { kind: 'levelChanged' }>;
