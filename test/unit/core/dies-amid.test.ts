// The process dies in the worst moments, and the next run reads the same journal: it quotes again within three seconds,
// no level stays away without a reason that is shown, and it stops as quickly as ever.

import { describe, expect, it } from 'vitest';
import type { Balances } from '../../../src/domain/message.ts';
import type { LimitOrder } from '../../../src/domain/order.ts';
import type { LedgerRecord, PersistedState, StoredOrder } from '../../../src/domain/record.ts';
import { shares } from '../../../src/domain/shares.ts';
import {
  EngineDriver,
  holding,
  knowing,
  listing,
  MARKET,
  settings,
} from '../../support/engine-driver.ts';

const TICK_MS = 50;
const QUOTED_WITHIN_MS = 3_000;
/** A placement that nobody answered keeps its slot for so long. */
const SLOT_MS_MAX = 12_000;
const CASH = 1_000;

/** What a run that died left in its journal. */
function leftBy(driver: EngineDriver, account: Balances): PersistedState {
  const of = <Kind extends LedgerRecord['kind']>(kind: Kind) =>
    driver.records.filter(
      (record): record is Extract<LedgerRecord, { kind: Kind }> => record.kind === kind,
    );
  const orders = new Map<string, StoredOrder>();
  for (const { order } of of('order')) orders.set(order.intentId, order);
  const live = [...orders.values()].filter(
    ({ state }) => !['filled', 'cancelled', 'expired', 'refused', 'absent'].includes(state),
  );
  const known = knowing(account);
  const tokens = new Map(known.tokens.map((token) => [token.tokenId, token]));
  for (const { token } of of('token')) tokens.set(token.tokenId, token);
  const sets = of('sets').at(-1)?.requests ?? [];
  const cashNano = of('cash').at(-1)?.cashNano ?? CASH * 1e9;
  return { ...known, tokens: [...tokens.values()], orders: live, sets, cashNano };
}

/** The run after it: everything answers at once, and the account shows this. */
class NextRun {
  readonly driver = new EngineDriver();
  readonly placed: LimitOrder[] = [];
  account: Balances;

  constructor(left: PersistedState, account: Balances, nowMs: number) {
    this.account = account;
    this.driver.nowMs = nowMs;
    this.driver.restore(left);
    this.driver.settings(settings());
    this.driver.tell({ kind: 'catalogue', outcome: { kind: 'ok', value: [listing()] } });
    this.driver.tell({ kind: 'socketOpened' });
    this.driver.tell({ kind: 'authenticated' });
    this.driver.healthyBook();
  }

  /** Until both sides of the market are quoted; how long that took. */
  quotesAfterMs(): number {
    const startedMs = this.driver.nowMs;
    while (this.driver.nowMs - startedMs < 60_000) {
      this.pass(TICK_MS);
      if (this.placed.length >= 2) return this.driver.nowMs - startedMs;
    }
    return Number.POSITIVE_INFINITY;
  }

  /** An operator ends it; how long that took. */
  stopsAfterMs(): number {
    const startedMs = this.driver.nowMs;
    this.driver.operator('shutdown');
    while (this.driver.nowMs - startedMs < 60_000) {
      this.pass(TICK_MS, true);
      if (this.driver.engine.view().phase === 'stopped') return this.driver.nowMs - startedMs;
    }
    return Number.POSITIVE_INFINITY;
  }

  pass(forMs: number, isEmpty = false): void {
    this.driver.run(forMs, () => {
      this.driver.answerCancels();
      this.placed.push(...this.driver.acceptPlacements().map(({ order }) => order));
      this.driver.answerReads(isEmpty ? [] : this.driver.openReports(), this.account);
      this.driver.answerTrades({ kind: 'ok', value: [] });
    });
  }
}

/** A run that quotes both sides. */
function quoting(): EngineDriver {
  const driver = new EngineDriver();
  driver.start(settings(), holding(CASH, 0, 0));
  driver.healthyBook();
  driver.tick();
  return driver;
}

describe('a run after one that died amid a split', () => {
  /** It died so long after the split had left. */
  function died(): { readonly left: PersistedState; readonly nowMs: number } {
    const driver = quoting();
    driver.acceptPlacements();
    driver.sets({ id: 'w-1', by: 'test', action: 'split', marketId: MARKET, amount: shares(100) });
    expect(driver.take('changeSets')).toHaveLength(1);
    driver.tick();
    return { left: leftBy(driver, holding(CASH, 0, 0)), nowMs: driver.nowMs };
  }

  it.each([
    { what: 'nothing of it shows yet', shown: holding(CASH, 0, 0) },
    {
      what: 'its cash has moved, and its shares do not show yet',
      shown: holding(CASH - 100, 0, 0),
    },
    { what: 'all of it shows', shown: holding(CASH - 100, 100, 100) },
  ])('quotes both sides within three seconds, and stops in ten, where $what', ({ shown }) => {
    const { left, nowMs } = died();
    expect(left.sets).toHaveLength(1);
    const next = new NextRun(left, shown, nowMs);
    expect(next.quotesAfterMs()).toBeLessThanOrEqual(QUOTED_WITHIN_MS);
    expect(next.stopsAfterMs()).toBeLessThanOrEqual(10_000);
  });
});

describe('a run after one that was killed a moment after a fill', () => {
  /** Its bid was filled at the venue, which nobody heard; nor the answers to its placements, maybe. */
  function killed(isAnswered: boolean) {
    const driver = quoting();
    if (isAnswered) driver.acceptPlacements();
    driver.tick(0);
    const left = leftBy(driver, holding(CASH, 0, 0));
    expect(left.orders).toHaveLength(2);
    return { left, nowMs: driver.nowMs };
  }

  it.each([
    { what: 'balances do not show it', shown: holding(CASH, 0, 0) },
    { what: 'balances show it', shown: holding(CASH - 24, 50, 0) },
  ])('quotes both sides within three seconds where $what', ({ shown }) => {
    const { left, nowMs } = killed(true);
    expect(new NextRun(left, shown, nowMs).quotesAfterMs()).toBeLessThanOrEqual(QUOTED_WITHIN_MS);
  });

  it('says why a side is bare whose placement may still arrive, and quotes it when none can', () => {
    const { left, nowMs } = killed(false);
    const next = new NextRun(left, holding(CASH, 0, 0), nowMs);
    next.pass(QUOTED_WITHIN_MS);
    const [market] = next.driver.engine.view().markets;
    expect([market?.bidReason?.code, market?.askReason?.code]).toEqual(['in_flight', 'in_flight']);
    expect(next.quotesAfterMs()).toBeLessThanOrEqual(SLOT_MS_MAX);
  });

  it('counts it at its worst until the account shows it', () => {
    const { left, nowMs } = killed(true);
    const next = new NextRun(left, holding(CASH, 0, 0), nowMs);
    next.pass(1_000);
    const high = Number(next.driver.engine.view().markets[0]?.positions?.yes.high);
    expect(high).toBeGreaterThanOrEqual(50);
  });
});
