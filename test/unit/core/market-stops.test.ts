// An operator stops single markets: what is cancelled, what goes on, and what a stop outlives.

import { describe, expect } from 'vitest';
import type { VenueCommand } from '../../../src/domain/command.ts';
import { type MarketId, marketId, type OrderHash, orderHash } from '../../../src/domain/ids.ts';
import type { CoreSettings } from '../../../src/domain/input.ts';
import type { OrderReport } from '../../../src/domain/order.ts';
import type { MarketStopKind } from '../../../src/domain/risk.ts';
import { EngineDriver, level, reportOf, settings } from '../../support/engine-driver.ts';
import { listedEvent } from '../../support/listed-event.ts';
import { it } from '../../support/runs.ts';

const EVENTS = [listedEvent('alpha'), listedEvent('beta')];
const ALPHA = marketId('market-alpha-0');
const BETA = marketId('market-beta-0');
const TOKENS = new Map(
  EVENTS.flatMap(({ markets }) =>
    markets.flatMap(({ id, yes, no }) => [[yes.tokenId, id] as const, [no.tokenId, id] as const]),
  ),
);

function twoMarkets(change: Partial<CoreSettings['orders']> = {}): CoreSettings {
  const base = settings();
  const [first] = base.markets;
  const markets = EVENTS.flatMap(({ slug }) =>
    first === undefined ? [] : [{ ...first, event: slug }],
  );
  return { ...base, markets, orders: { ...base.orders, ...change } };
}

/** A venue with two markets, which does as it is asked unless it is told to hold its answers. */
class Desk {
  readonly driver: EngineDriver;
  open: OrderReport[] = [];
  /** Cancels of this market are not answered. */
  silentOn: MarketId | undefined;
  refuses: readonly OrderHash[] = [];
  #hashes = 0;

  constructor(driver = new EngineDriver(), value: CoreSettings = twoMarkets()) {
    this.driver = driver;
    driver.settings(value);
  }

  connect(): this {
    const { driver } = this;
    driver.tell({ kind: 'catalogue', outcome: { kind: 'ok', value: EVENTS } });
    driver.tell({ kind: 'socketOpened' });
    driver.tell({ kind: 'authenticated' });
    this.run(3_000);
    return this.books();
  }

  books(): this {
    for (const token of TOKENS.keys()) this.driver.book(token, [level(48, 500)], [level(52, 500)]);
    this.run(300);
    return this;
  }

  run(durationMs: number): void {
    this.driver.run(durationMs, () => this.serve());
  }

  serve(): void {
    const { driver } = this;
    for (const _ of driver.take('readCatalogue'))
      driver.tell({ kind: 'catalogue', outcome: { kind: 'ok', value: EVENTS } });
    this.cancel();
    driver.answerReads(this.open);
    for (const { requestId, orders } of driver.placements()) {
      const outcomes = orders.map((order) => {
        this.#hashes += 1;
        const hash = orderHash(`0xcc${this.#hashes.toString(16)}`);
        this.open.push(reportOf(hash, order));
        return {
          intentId: order.intentId,
          outcome: { kind: 'accepted', orderHash: hash } as const,
        };
      });
      driver.tell({ kind: 'placed', requestId, outcomes });
    }
  }

  cancel(): void {
    const { driver } = this;
    const held = driver.sent.filter((command) => this.#isHeld(command));
    driver.sent = driver.sent.filter((command) => !this.#isHeld(command));
    for (const { requestId, orderHashes } of driver.take('cancelOrders')) {
      const count = this.#drop(({ orderHash: each }) => orderHashes.includes(each));
      const failed = orderHashes.length - count;
      const outcome = { kind: 'accepted', cancelled: count, failed } as const;
      driver.tell({ kind: 'cancelled', requestId, outcome });
    }
    for (const { requestId, scope } of driver.take('cancelAll')) {
      const count = this.#drop(
        ({ tokenId }) => scope.kind !== 'market' || TOKENS.get(tokenId) === scope.marketId,
      );
      const outcome = { kind: 'accepted', cancelled: count, failed: 0 } as const;
      driver.tell({ kind: 'cancelled', requestId, outcome });
    }
    driver.sent.push(...held);
  }

  #isHeld(command: VenueCommand): boolean {
    const { silentOn } = this;
    if (silentOn === undefined) return false;
    if (command.kind === 'cancelOrders')
      return command.orderHashes.some((hash) => this.restingOn(silentOn).includes(hash));
    return command.kind === 'cancelAll' && command.scope.kind === 'market';
  }

  #drop(isMeant: (report: OrderReport) => boolean): number {
    const left = this.open.filter(
      (report) => !isMeant(report) || this.refuses.includes(report.orderHash),
    );
    const count = this.open.length - left.length;
    this.open = left;
    return count;
  }

  stop(stop: MarketStopKind, id: MarketId = ALPHA): void {
    this.driver.operator({ kind: 'stopMarket', by: 'somebody', marketId: id, stop });
  }

  resume(id: MarketId = ALPHA): void {
    this.driver.operator({ kind: 'resumeMarket', by: 'somebody', marketId: id });
  }

  restingOn(id: MarketId): readonly OrderHash[] {
    return this.open
      .filter(({ tokenId }) => TOKENS.get(tokenId) === id)
      .map(({ orderHash: each }) => each);
  }

  reasonOf(id: MarketId) {
    return this.driver.engine.view().markets.find(({ marketId: each }) => each === id)?.bidReason;
  }

  accepted(): readonly boolean[] {
    return this.driver.reported('operator.market_order').map(({ accepted }) => accepted);
  }
}

const KINDS = [
  { stop: 'pause', code: 'operator_paused' },
  { stop: 'kill', code: 'operator_killed' },
] as const;

describe.for(KINDS)('a $stop of one market', ({ stop, code }) => {
  it('cancels its orders, and no order of another market is touched', () => {
    const desk = new Desk().connect();
    const others = desk.restingOn(BETA);
    expect(others).toHaveLength(2);
    expect(desk.restingOn(ALPHA)).toHaveLength(2);
    desk.stop(stop);
    desk.run(2_000);
    expect(desk.restingOn(ALPHA)).toEqual([]);
    expect(desk.restingOn(BETA)).toEqual(others);
    expect(desk.driver.engine.view().phase).toBe('quoting');
  });

  it('says why nothing is quoted, by whom, and what clears it', () => {
    const desk = new Desk().connect();
    desk.stop(stop);
    desk.run(500);
    expect(desk.reasonOf(ALPHA)).toMatchObject({
      code,
      detail: `this market was ${stop === 'kill' ? 'killed' : 'paused'} by somebody`,
      clears: `bookend resume --market ${ALPHA}`,
    });
    expect(desk.driver.engine.view().risk?.latches).toMatchObject([
      { owner: 'operator', scope: ALPHA, clears: `bookend resume --market ${ALPHA}` },
    ]);
  });

  it('lets other markets move their quotes while its cancels are not answered', () => {
    const desk = new Desk().connect();
    desk.silentOn = ALPHA;
    desk.stop(stop);
    desk.run(200);
    const before = desk.restingOn(BETA);
    const [yes, no] = [...TOKENS.keys()].slice(2);
    if (yes === undefined || no === undefined) throw new Error('two markets have four tokens');
    desk.driver.book(yes, [level(40, 500)], [level(44, 500)]);
    desk.driver.book(no, [level(56, 500)], [level(60, 500)]);
    desk.run(500);
    expect(desk.restingOn(BETA)).toHaveLength(2);
    expect(desk.restingOn(BETA).filter((hash) => before.includes(hash))).toEqual([]);
  });

  it('stands until that market is resumed, and then quotes come back', () => {
    const desk = new Desk().connect();
    desk.stop(stop);
    desk.run(2_000);
    desk.driver.operator('pause');
    desk.run(500);
    desk.driver.operator('resume');
    desk.run(4_000);
    desk.books();
    expect(desk.restingOn(BETA)).toHaveLength(2);
    expect(desk.restingOn(ALPHA)).toEqual([]);
    desk.resume();
    desk.run(500);
    expect(desk.restingOn(ALPHA)).toHaveLength(2);
    expect(desk.driver.engine.view().stoppedMarkets).toBeUndefined();
  });

  it('outlives the process', ({ runs }) => {
    const desk = new Desk().connect();
    desk.stop(stop);
    desk.run(2_000);
    const driver = runs.restored(desk.driver, twoMarkets());
    const later = new Desk(driver);
    later.open = [...desk.open];
    later.connect();
    later.run(3_000);
    expect(later.restingOn(ALPHA)).toEqual([]);
    expect(later.restingOn(BETA)).toHaveLength(2);
    expect(later.reasonOf(ALPHA)).toMatchObject({ code });
    later.resume();
    later.run(500);
    expect(later.restingOn(ALPHA)).toHaveLength(2);
  });
});

describe('a kill of one market', () => {
  it('asks for the cancel of the whole market, and is confirmed by a later list', () => {
    const desk = new Desk().connect();
    desk.silentOn = ALPHA;
    desk.stop('kill');
    expect(desk.driver.sent).toContainEqual(
      expect.objectContaining({ kind: 'cancelAll', scope: { kind: 'market', marketId: ALPHA } }),
    );
    desk.run(3_000);
    expect(desk.driver.reported('market.kill_confirmed')).toEqual([]);
    desk.resume();
    expect(desk.accepted()).toEqual([true, false]);
    desk.silentOn = undefined;
    desk.run(3_000);
    expect(desk.driver.reported('market.kill_confirmed')).toMatchObject([{ marketId: ALPHA }]);
    expect(desk.driver.engine.view().stoppedMarkets).toMatchObject([{ isConfirmed: true }]);
    desk.resume();
    desk.run(500);
    expect(desk.restingOn(ALPHA)).toHaveLength(2);
  });

  it('of own orders names each of them, and leaves those of others alone', () => {
    const desk = new Desk(new EngineDriver(), twoMarkets({ scope: 'own' })).connect();
    desk.stop('kill');
    expect(desk.driver.sent.some(({ kind }) => kind === 'cancelAll')).toBe(false);
    desk.run(2_000);
    expect(desk.restingOn(ALPHA)).toEqual([]);
    expect(desk.driver.reported('market.kill_confirmed')).toHaveLength(1);
  });

  it('waits for a placement that nobody has answered, and cancels what arrives late', () => {
    const desk = new Desk().connect();
    desk.stop('pause');
    desk.run(1_000);
    desk.resume();
    desk.driver.tick();
    const lost = desk.driver.answerPlacements({ kind: 'unknown', cause: 'timeout', detail: 'x' });
    expect(lost).toHaveLength(2);
    desk.stop('kill');
    desk.run(5_000);
    expect(desk.driver.reported('market.kill_confirmed')).toEqual([]);
    const [late] = lost;
    if (late === undefined) throw new Error('a placement was lost');
    desk.open.push(reportOf(orderHash('0xdd1'), late));
    desk.run(10_000);
    expect(desk.restingOn(ALPHA)).toEqual([]);
    desk.run(40_000);
    expect(desk.driver.reported('market.kill_confirmed')).toHaveLength(1);
  });

  it('can be resumed from where nothing is left but what the venue refuses to cancel', () => {
    const desk = new Desk().connect();
    desk.refuses = desk.restingOn(ALPHA).slice(0, 1);
    desk.stop('kill');
    desk.run(120_000);
    expect(desk.restingOn(ALPHA)).toEqual(desk.refuses);
    expect(desk.driver.reported('market.kill_confirmed')).toEqual([]);
    desk.resume();
    expect(desk.accepted()).toEqual([true, true]);
  });
});

describe('a stop of a market', () => {
  it('is not taken for a market that is not quoted here', () => {
    const desk = new Desk().connect();
    desk.stop('pause', marketId('market-of-somebody-else'));
    expect(desk.accepted()).toEqual([false]);
    expect(desk.driver.engine.view().stoppedMarkets).toBeUndefined();
  });

  it('is a kill rather than a pause where both were asked for, in any order', () => {
    const desk = new Desk().connect();
    desk.stop('pause');
    desk.stop('kill');
    desk.stop('pause');
    expect(desk.accepted()).toEqual([true, true, false]);
    expect(desk.driver.engine.view().stoppedMarkets).toMatchObject([{ stop: 'kill' }]);
  });

  it('is no reason for a resume of a market that is not stopped', () => {
    const desk = new Desk().connect();
    desk.resume();
    expect(desk.accepted()).toEqual([false]);
  });
});
