// Rules that no planted bug breaks can fail all the same: each is shown what it forbids, and what it allows.

import { Decimal } from 'decimal.js';
import { describe, expect, it } from 'vitest';
import { VirtualClock } from '../../src/clock/virtual.ts';
import { intentId, type OrderHash, orderHash, requestId } from '../../src/domain/ids.ts';
import { GTD_DEFAULTS } from '../../src/domain/input.ts';
import type { LimitOrder } from '../../src/domain/order.ts';
import type { StoredOrder } from '../../src/domain/record.ts';
import { RECYCLER } from '../../src/domain/sets.ts';
import { microShares } from '../../src/domain/shares.ts';
import { ticks } from '../../src/domain/ticks.ts';
import { unixMs } from '../../src/domain/time.ts';
import type { MarketView } from '../../src/domain/view.ts';
import { openDirectVenue } from '../../src/paper/direct.ts';
import type { ListedMarket } from '../../src/paper/exchange/listed-market.ts';
import { settings as driverSettings, EngineDriver } from '../support/engine-driver.ts';
import { Auditor } from './audit/auditor.ts';
import { restFaults } from './audit/rest.ts';
import { orderFaults } from './audit/rest-books.ts';
import { cashFaults, positionFaults } from './audit/rest-money.ts';
import type { RestParts } from './audit/rest-parts.ts';
import { type Controls, PLAIN } from './world/controls.ts';
import type { Flight, PlaceCommand } from './world/network.ts';
import { settingOf } from './world/setting.ts';
import { Tally } from './world/tally.ts';

const SIZE_MICRO = 30_000_000;

/** A venue, and an auditor that watches the account of a daemon which this test plays. */
class Scene {
  readonly clock = new VirtualClock({ startMs: 1_000_000 });
  readonly venue;
  readonly auditor: Auditor;
  readonly market: ListedMarket;
  #requests = 0;

  constructor(controls: Partial<Controls> = {}) {
    const { clock } = this;
    const { events, settings } = settingOf('binary', { ...PLAIN, ...controls });
    this.venue = openDirectVenue({
      ...{ clock, timers: clock, events, accountName: 'maker', seed: 1, startingCash: 2_000 },
    });
    const [market] = this.venue.exchange.catalogue.events().flatMap(({ markets }) => markets);
    if (market === undefined) throw new Error('the venue lists markets');
    this.market = market;
    this.auditor = new Auditor({
      ...{ venue: this.venue, settings, marks: new Tally(), cancelsParts: false },
      account: this.account,
      nowMs: () => clock.nowMs(),
    });
    this.auditor.onLifeStarts(1, true);
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

  /** A buy of YES takes effect whose placement asked for what `asked` says. */
  place(name: string, price: number, asked: Partial<LimitOrder> = {}): OrderHash {
    const { market, auditor } = this;
    this.#requests += 1;
    const order: LimitOrder = {
      ...{ intentId: intentId(name), tokenId: market.outcome(1).tokenId, side: 'BUY' },
      ...{ price: ticks(market.grid, price), quantity: microShares(SIZE_MICRO) },
      ...{ lifetime: { timeInForce: 'GTC' }, ...asked },
    };
    const id = requestId(this.#requests);
    const placing = { kind: 'placeOrders', requestId: id, orders: [order] } as PlaceCommand;
    const request = { method: 'POST', target: '/api/orders', headers: {}, body: '', address: '' };
    const origin = { life: 1, placing, changing: undefined };
    const flight = { request, origin, isDouble: false } as Flight;
    let hash: OrderHash | undefined;
    auditor.onCommand({ kind: 'venue', command: placing });
    auditor.onSent(flight);
    auditor.during(flight, () => {
      hash = this.#buy(price);
    });
    if (hash === undefined) throw new Error('an order was placed');
    return hash;
  }

  /** Somebody sells into it, so that a part of it rests. */
  takePart(price: number): void {
    const { exchange } = this.venue;
    const taker = exchange.accounts.find('taker') ?? exchange.accounts.open('taker', 'crowd');
    exchange.accounts.deposit(taker, new Decimal(1_000));
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
      isRecycling: () => false,
      isCostKnown: () => true,
      bookOf: () => undefined,
      ...change,
    };
  }

  /** What the daemon shows of the market: nothing, but for what is given. */
  view(shown: Partial<MarketView> = {}): MarketView {
    const nothing = { positionYes: '0', positionNo: '0', ownBids: [], ownAsks: [] };
    const { title, id } = this.market.market;
    return { title, marketId: id, ...nothing, ...shown } as unknown as MarketView;
  }

  #buy(price: number): OrderHash {
    const order = this.venue.exchange.placeLimit(this.account, {
      ...{ token: { market: this.market, index: 1 }, side: 'BUY', timeInForce: 'GTC' },
      price: ticks(this.market.grid, price),
      ...{ quantityMicro: SIZE_MICRO, expiresAtMs: undefined, clientOrderId: undefined },
    });
    return order.terms.orderHash;
  }
}

describe('no_intent', () => {
  it('is an order that its placement did not ask for', () => {
    const scene = new Scene();
    scene.place('i-1', 40);
    expect(scene.broken).not.toContain('no_intent');
    scene.place('i-2', 39, { price: ticks(scene.market.grid, 38) });
    expect(scene.broken).toContain('no_intent');
  });
});

describe('survivor_unnamed', () => {
  const unproven = (scene: Scene, ...orderHashes: readonly OrderHash[]) =>
    scene.auditor.onCommand({
      kind: 'report',
      report: { event: 'kill.unproven', stillOpen: 2, orderHashes, awaited: [], detail: '' },
    });

  it('is one of two that the venue does not cancel and of which only the other is told', () => {
    const scene = new Scene();
    const first = scene.place('i-1', 40);
    scene.takePart(40);
    const second = scene.place('i-2', 41);
    scene.takePart(41);
    scene.place('i-3', 39);
    scene.pass(20_000);
    unproven(scene, first, second);
    expect(scene.broken).not.toContain('survivor_unnamed');
    unproven(scene, second);
    expect(scene.broken.filter((rule) => rule === 'survivor_unnamed')).toHaveLength(1);
  });
});

describe('outlived', () => {
  it('is an order that rests long after whoever placed it has died, and not before', () => {
    const scene = new Scene({ gtd: GTD_DEFAULTS });
    scene.place('i-1', 40);
    scene.auditor.onLifeEnds();
    scene.pass(60_000);
    scene.auditor.check();
    expect(scene.broken).not.toContain('outlived');
    scene.pass(24 * 3_600_000);
    scene.auditor.check();
    expect(scene.broken).toContain('outlived');
  });

  it('is none where orders have no dates', () => {
    const scene = new Scene();
    scene.place('i-1', 40);
    scene.auditor.onLifeEnds();
    scene.pass(24 * 3_600_000);
    scene.auditor.check();
    expect(scene.broken).not.toContain('outlived');
  });
});

describe('sets_while_stopped', () => {
  const says = (scene: Scene, by: string, id: string) =>
    scene.auditor.onCommand({
      kind: 'report',
      report: {
        ...({ event: 'sets.changed', action: 'merge', state: 'sent' } as const),
        ...{ id, by, amount: '20', detail: '', marketId: scene.market.market.id },
      },
    });

  it('is a merge that nobody asked for, decided on in a pause', () => {
    const scene = new Scene();
    says(scene, RECYCLER, 's-1');
    const paused = { event: 'operator.order', order: 'pause', by: 'me', accepted: true } as const;
    scene.auditor.onCommand({ kind: 'report', report: paused });
    says(scene, 'somebody', 's-2');
    expect(scene.broken).not.toContain('sets_while_stopped');
    says(scene, RECYCLER, 's-3');
    expect(scene.broken).toContain('sets_while_stopped');
  });
});

describe('at rest', () => {
  const rules = (faults: readonly { readonly rule: string }[]) => faults.map(({ rule }) => rule);

  it('cash_differs where the daemon has another sum than the venue, or none', () => {
    const scene = new Scene();
    const cash = scene.account.cash.toFixed();
    expect(cashFaults(scene.rest(), cash)).toEqual([]);
    expect(rules(cashFaults(scene.rest(), `${cash}1`))).toEqual(['cash_differs']);
    expect(rules(cashFaults(scene.rest(), undefined))).toEqual(['cash_differs']);
  });

  it('position_differs where a match is not in the position, in its own outcome', () => {
    const scene = new Scene();
    scene.place('i-1', 40);
    scene.takePart(40);
    const faults = (shown: Partial<MarketView>) =>
      rules(positionFaults(scene.rest(), scene.view(shown), scene.market));
    expect(faults({ positionYes: '10' })).toEqual([]);
    expect(faults({})).toEqual(['position_differs']);
    expect(faults({ positionNo: '10' })).toEqual(['position_differs', 'position_differs']);
  });

  it('orders_differ where an order rests that the daemon does not show, or the other way round', () => {
    const scene = new Scene();
    const bid = { price: '0.40', quantity: '30' } as MarketView['ownBids'][number];
    const faults = (ownBids: MarketView['ownBids']) =>
      rules(orderFaults(scene.rest(), scene.view({ ownBids }), scene.market));
    expect(faults([bid])).toEqual(['orders_differ']);
    scene.place('i-1', 40);
    expect(faults([bid])).toEqual([]);
    expect(faults([])).toEqual(['orders_differ']);
  });

  it('orders_differ where an order rests on a market that is quoted no more', () => {
    const scene = new Scene();
    expect(rules(restFaults(scene.rest()))).not.toContain('orders_differ');
    scene.place('i-1', 40);
    expect(rules(restFaults(scene.rest()))).toContain('orders_differ');
  });

  it('ledger_differs where the disk has an order as resting that is not there', () => {
    const scene = new Scene();
    const kept = (hash: OrderHash, state: StoredOrder['state']) =>
      [{ intentId: intentId('i-1'), orderHash: hash, state, stateSinceMs: unixMs(0) }] as never;
    const faults = (hash: OrderHash, state: StoredOrder['state']) =>
      rules(restFaults(scene.rest({ kept: kept(hash, state) })));
    const hash = scene.place('i-1', 40);
    expect(faults(hash, 'resting')).not.toContain('ledger_differs');
    expect(faults(orderHash('0x77'), 'resting')).toContain('ledger_differs');
    expect(faults(orderHash('0x77'), 'matched')).not.toContain('ledger_differs');
    scene.venue.exchange.cancel(scene.account, hash);
    expect(faults(hash, 'resting')).toContain('ledger_differs');
  });
});
