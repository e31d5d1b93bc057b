import { describe, expect, it } from 'vitest';
import type { ArmedPlacement, MarketArms } from '../../../../src/domain/arms.ts';
import { requestId } from '../../../../src/domain/ids.ts';
import type { CoreSettings } from '../../../../src/domain/input.ts';
import { sharesNumber } from '../../../../src/domain/shares.ts';
import { unixMs } from '../../../../src/domain/time.ts';
import { EngineDriver, level, MARKET, NO, settings, YES } from '../../../support/engine-driver.ts';

function armed(change: Partial<CoreSettings['orders']> = {}): CoreSettings {
  const { orders } = settings();
  return settings({
    orders: { ...orders, armedCancels: true, armedPlacements: true, ...change },
  });
}

/** Two quotes of 50 shares rest around a book of 48 and 52: a bid at 48 and an ask at 52, as a BUY of NO at 48. */
function quoting(value = armed()) {
  const driver = new EngineDriver();
  driver.start(value);
  driver.book(YES, [level(48, 500), level(46, 500)], [level(52, 500), level(55, 500)]);
  driver.book(NO, [], []);
  driver.tick();
  const accepted = driver.acceptPlacements();
  driver.tick();
  return { driver, accepted };
}

function standing({ armed: said }: EngineDriver): MarketArms {
  const last = said.at(-1);
  if (last?.kind !== 'arm') throw new Error('the market is armed');
  return last.arms;
}

function placementAt(driver: EngineDriver, middle: number): ArmedPlacement | undefined {
  return standing(driver).placements.find((each) => each.middle === middle);
}

const texts = (placement: ArmedPlacement | undefined) =>
  placement?.orders.map(({ side, leg, price, quantity }) => {
    return `${side} ${leg} ${sharesNumber(quantity)} at ${price}`;
  });

/** A bid of others at 50 has moved the middle to 51; what was armed for that has left. */
function fire(driver: EngineDriver) {
  const { marketId, version, settingsVersion, asks } = standing(driver);
  const placement = placementAt(driver, 102);
  if (asks === undefined || placement === undefined) throw new Error('armed for a middle of 51');
  const atMs = unixMs(driver.nowMs);
  const orderHashes = asks.orders.map(({ orderHash }) => orderHash);
  driver.step({ kind: 'fired', atMs, marketId, version, requestId: asks.requestId, orderHashes });
  const { requestId: request, orders } = placement;
  driver.step({
    kind: 'placedAhead',
    atMs,
    ...{ marketId, version, settingsVersion, requestId: request, orders },
  });
  return { orders, request };
}

describe('what is armed to be placed', () => {
  it('is what a decision would place for each middle at which a cancel fires', () => {
    const { driver } = quoting();
    expect(texts(placementAt(driver, 102))).toEqual(['BUY yes 50 at 49', 'BUY no 50 at 47']);
    expect(texts(placementAt(driver, 98))).toEqual(['BUY yes 50 at 47', 'BUY no 50 at 49']);
    // On half a tick bids round down and asks up, as the strategy does.
    expect(texts(placementAt(driver, 101))).toEqual(['BUY no 50 at 47']);
    expect(placementAt(driver, 100)).toBeUndefined();
    expect(placementAt(driver, 106)).toBeUndefined();
  });

  it('has dates where orders have them, and anew every two seconds', () => {
    const { driver } = quoting(armed({ timeInForce: 'GTD' }));
    const dateOf = () => {
      const lifetime = placementAt(driver, 102)?.orders[0]?.lifetime;
      return lifetime?.timeInForce === 'GTD' ? lifetime.expiresAtMs : 0;
    };
    const first = dateOf();
    const startedMs = driver.nowMs;
    driver.run(3_000);
    expect(first).toBeGreaterThan(startedMs);
    expect(dateOf()).toBeGreaterThan(first);
    const { orders } = fire(driver);
    const kept = driver.records.flatMap((each) => (each.kind === 'order' ? [each.order] : []));
    const named = kept.filter(({ intentId }) => intentId === orders[0]?.intentId);
    expect(named.at(-1)?.expiresAtMs).toBe(dateOf());
  });

  it('says on which side of the touch its orders have to lie', () => {
    const { driver } = quoting();
    expect(placementAt(driver, 102)).toMatchObject({ bidMax: 49, askMin: 53 });
  });

  it('names each request once, and no order of two middles leaves beside another', () => {
    const { driver } = quoting();
    const { placements } = standing(driver);
    const requests = placements.map((each) => each.requestId);
    expect(new Set(requests).size).toBe(requests.length);
  });

  it.each([
    ['where the setting is off', armed({ armedPlacements: false })],
    ['while more than half of the writes are used', armed({ writesPer10s: 1 })],
  ])('is nothing %s', (_where, value) => {
    const { driver } = quoting(value);
    expect(standing(driver).placements).toEqual([]);
    expect(standing(driver).asks?.orders).toHaveLength(1);
  });

  it('is nothing once the touch has not moved for five seconds, and is there again when it has', () => {
    const { driver } = quoting();
    driver.run(6_500);
    expect(standing(driver).placements).toEqual([]);
    expect(standing(driver).asks?.orders).toHaveLength(1);
    driver.bid(YES, level(47, 500));
    driver.bid(YES, level(48, 0));
    driver.tick();
    driver.answerCancels();
    driver.acceptPlacements();
    driver.tick();
    driver.tick();
    expect(standing(driver).placements.length).toBeGreaterThan(0);
  });

  it('leaves out what a limit has no room for beside the orders that rest', () => {
    const value = armed();
    const { driver } = quoting({ ...value, risk: { ...value.risk, maxOpenOrders: 3 } });
    expect(placementAt(driver, 102)?.orders).toHaveLength(1);
  });

  it('is taken back as soon as an order has traded, and not armed while part of one rests', () => {
    const { driver, accepted } = quoting();
    const [bid] = accepted;
    const { requestId: stale } = placementAt(driver, 102) ?? {};
    const before = driver.voidedPlacements;
    if (bid === undefined) throw new Error('a bid rests');
    const filled = { status: 'PARTIALLY_FILLED', filled: 5, remaining: 45 } as const;
    driver.update(bid.hash, bid.order, filled);
    driver.tick();
    expect(driver.voidedPlacements).toBeGreaterThan(before);
    const now = driver.armed.at(-1);
    const placements = now?.kind === 'arm' ? now.arms.placements : [];
    expect(placements.map((each) => each.requestId)).not.toContain(stale);
  });

  it('is taken back where the book has moved and its strategy is not asked in that turn', () => {
    const { driver } = quoting();
    const before = driver.voidedPlacements;
    const turn = () => {
      driver.nowMs += 50;
      driver.step({ kind: 'tick', atMs: unixMs(driver.nowMs), asksMax: 0 });
    };
    turn();
    expect(driver.voidedPlacements).toBe(before);
    driver.bid(YES, level(49, 500));
    turn();
    expect(driver.voidedPlacements).toBe(before + 1);
  });

  it('stands as long as nothing of it changes, and is armed anew when its targets do', () => {
    const { driver } = quoting();
    const { version } = standing(driver);
    driver.tick(2_000);
    expect(standing(driver).version).toBe(version);
  });
});

describe('orders that have left ahead', () => {
  it('are in the ledger under their names, and are not sent or placed once more', () => {
    const { driver } = quoting();
    driver.records.length = 0;
    const { orders } = fire(driver);
    driver.bid(YES, level(50, 500));
    driver.tick();
    expect(driver.take('placeOrders')).toEqual([]);
    const kept = driver.records.flatMap((each) => (each.kind === 'order' ? [each.order] : []));
    const names = kept.map(({ intentId }) => intentId);
    for (const { intentId } of orders) expect(names).toContain(intentId);
    expect(driver.engine.view().writes.usedInWindow).toBe(2);
    expect(driver.engine.view().armed).toMatchObject({ placed: 2, unwanted: 0 });
  });

  it('count against every limit until they are answered', () => {
    const { driver } = quoting();
    const before = driver.engine.view().account.worstCaseLossUsdc;
    fire(driver);
    expect(Number(driver.engine.view().account.worstCaseLossUsdc)).toBeGreaterThan(Number(before));
  });

  it('are cancelled where the decision behind them does not want them', () => {
    const { driver } = quoting();
    fire(driver);
    driver.tick();
    expect(driver.engine.view().armed).toMatchObject({ placed: 2, unwanted: 2 });
  });

  it('void everything else that was armed to be placed', () => {
    const { driver } = quoting();
    const before = driver.voidedPlacements;
    fire(driver);
    driver.tick();
    expect(driver.voidedPlacements).toBe(before + 1);
    expect(standing(driver).placements).toEqual([]);
  });

  it('are taken in though the clock was set back since, and the budget looks used up by it', () => {
    const { driver } = quoting(armed({ writesPer10s: 4 }));
    driver.nowMs -= 3_600_000;
    const { orders } = fire(driver);
    const inFlight = driver.engine.view().ordersByState;
    expect((inFlight.intended ?? 0) + (inFlight.sending ?? 0)).toBe(orders.length);
  });

  it('that nobody has armed break the core: what has left is never forgotten', () => {
    const { driver } = quoting();
    const { version, settingsVersion } = standing(driver);
    const unarmed = { requestId: requestId(9_999), orders: [], version, settingsVersion };
    expect(() =>
      driver.step({
        kind: 'placedAhead',
        atMs: unixMs(driver.nowMs),
        marketId: MARKET,
        ...unarmed,
      }),
    ).toThrow('only what was armed leaves ahead');
  });
});
