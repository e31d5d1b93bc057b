// What is excused of the daemon, for how long, and the count of what has to trip a control.

import { describe, expect, it } from 'vitest';
import { VirtualClock } from '../../src/clock/virtual.ts';
import { intentId, type OrderHash } from '../../src/domain/ids.ts';
import type { Report } from '../../src/domain/report.ts';
import { openDirectVenue } from '../../src/paper/direct.ts';
import type { ListedMarket } from '../../src/paper/exchange/listed-market.ts';
import type { TradeLeg } from '../../src/paper/exchange/trade.ts';
import { CauseCount } from './audit/causes/tally.ts';
import { Excuses, LEARNT_MS } from './audit/excuses.ts';
import { Lives } from './audit/lives.ts';
import { Scene } from './scene.ts';
import { PLAIN } from './world/controls.ts';
import { settingOf } from './world/setting.ts';

const clock = new VirtualClock({ startMs: 0 });
const { events } = settingOf('binary', PLAIN);
const venue = openDirectVenue({ clock, timers: clock, events, accountName: 'maker', seed: 1 });
const { catalogue } = venue.exchange;
const [rain, vote] = catalogue.events().flatMap(({ markets }) => markets) as [
  ListedMarket,
  ListedMarket,
];
const account = venue.exchange.accounts.named('maker');

/** A leg whose settlement failed, of YES of the rain. */
const leg = {
  ...{ account, market: rain, index: 1, quantityMicro: 30_000_000 },
} as TradeLeg;

const { tokenId } = rain.market.yes;
const diverged: Report = { event: 'inventory.diverged', tokenId, ours: '10', venues: '40' };

function world(namesTokens = true) {
  const lives = new Lives();
  const at: { nowMs: number; isWrong: boolean; believed?: number } = { nowMs: 0, isWrong: false };
  const excuses = new Excuses({
    ...{ lives, namesTokens, isOwnScope: false },
    nowMs: () => at.nowMs,
    markets: () => [rain, vote],
    marketOf: (token) => catalogue.findToken(token)?.market,
    differs: (token) => at.isWrong && token === tokenId,
    believed: () => at.believed,
  });
  lives.begin(1, true, 0);
  excuses.onLifeStarts({ life: 1, remembers: false, held: NOTHING });
  return { excuses, lives, at };
}

const NOTHING = { halt: false, pause: false, latches: [] };

describe('a settlement that failed', () => {
  it('excuses its own market and sums over all of them, and none of the first life before it', () => {
    const { excuses } = world();
    expect(excuses.isAnyUnsettled).toBe(false);
    excuses.onFailed(leg);
    expect(excuses.isUnsettled(rain.market)).toBe(true);
    expect(excuses.isUnsettled(vote.market)).toBe(false);
    expect(excuses.isAnyUnsettled).toBe(true);
    expect(excuses.ofToken(tokenId)).toBe(30_000_000);
  });

  it('excuses nothing any more when positions must have told', () => {
    const { excuses, at } = world();
    excuses.onFailed(leg);
    at.nowMs = LEARNT_MS;
    expect(excuses.isAnyUnsettled).toBe(false);
    expect(excuses.ofToken(tokenId)).toBe(0);
  });

  it('excuses for as long as the records are wrong, and never again after that', () => {
    const { excuses, at } = world();
    excuses.onFailed(leg);
    at.nowMs = LEARNT_MS;
    at.isWrong = true;
    expect(excuses.isUnsettled(rain.market)).toBe(true);
    expect(excuses.ofToken(tokenId)).toBe(30_000_000);
    at.isWrong = false;
    expect(excuses.isUnsettled(rain.market)).toBe(false);
    at.isWrong = true;
    expect(excuses.isUnsettled(rain.market)).toBe(false);
  });
});

describe('a correction of a position', () => {
  it('leaves the cost of its shares unknown, in its own market', () => {
    const { excuses, at } = world();
    excuses.onReport(diverged);
    at.nowMs = 10 * LEARNT_MS;
    expect(excuses.unpricedShares).toBe(30);
    expect(excuses.isCostKnown(rain.market.id)).toBe(false);
    expect(excuses.isCostKnown(vote.market.id)).toBe(true);
  });

  it('is of what had matched beside what had settled as well', () => {
    const { excuses, at } = world();
    at.believed = 90_000_000;
    excuses.onReport(diverged);
    expect(excuses.unpricedShares).toBe(50);
  });

  it('leaves it unknown everywhere where settlements name no token', () => {
    const { excuses } = world(false);
    excuses.onReport(diverged);
    expect(excuses.isCostKnown(vote.market.id)).toBe(false);
  });
});

describe('a life without the memory of the one before', () => {
  it('knows no positions for a while, and the cost of nothing', () => {
    const { excuses, lives, at } = world();
    lives.loseMemory();
    lives.begin(2, true, 0);
    excuses.onLifeStarts({ life: 2, remembers: false, held: NOTHING });
    expect(excuses.isUnsettled(vote.market)).toBe(true);
    at.nowMs = LEARNT_MS;
    expect(excuses.isAnyUnsettled).toBe(false);
    expect(excuses.isCostKnown(vote.market.id)).toBe(false);
  });
});

describe('a split just before a life without the memory of the one before', () => {
  it('brought shares that it need not see yet, unless positions must show them', () => {
    const { excuses, lives, at } = world();
    excuses.onSets(tokenId, 50_000_000);
    at.nowMs = 100_000;
    excuses.onSets(tokenId, 6_000_000);
    at.nowMs = 200_000;
    expect(excuses.ofToken(tokenId)).toBe(0);
    lives.loseMemory();
    lives.begin(2, true, at.nowMs);
    excuses.onLifeStarts({ life: 2, remembers: false, held: NOTHING });
    expect(excuses.ofToken(tokenId)).toBe(6_000_000);
  });
});

describe('what counts up to a control', () => {
  const limit = { intervalMs: 10_000, limit: 3 };

  it('is due when it was reached, until the control has said so', () => {
    const count = new CauseCount();
    for (const hostMs of [0, 1_000]) count.add('side', { ...limit, hostMs });
    expect([...count.reached()]).toEqual([]);
    count.add('side', { ...limit, hostMs: 2_000 });
    expect([...count.reached()].map(([key]) => key)).toEqual(['side']);
    count.onMoved('side');
    expect([...count.reached()]).toEqual([]);
  });

  it('is none of what is near the edge of the interval, and nothing where the limit is off', () => {
    const count = new CauseCount();
    for (const hostMs of [0, 1_000, 9_000]) count.add('side', { ...limit, hostMs });
    for (const hostMs of [0, 0, 0]) count.add('off', { ...limit, limit: 0, hostMs });
    expect([...count.reached()]).toEqual([]);
  });
});

it('takes a placement for nobody’s while the daemon knows it by an order that the network made', () => {
  const scene = new Scene();
  scene.place('i-1', 40);
  const double = scene.placeAgain('i-1', 40);
  const meant = scene.place('i-2', 40);
  const fact = (orderHash: OrderHash) => {
    const found = scene.facts.find(orderHash);
    if (found === undefined) throw new Error('the order was accepted');
    return found;
  };
  const named = { intentId: intentId('i-2'), orderHash: meant };
  scene.facts.noteNamed(named);
  expect(scene.facts.isTakenForDouble(fact(meant))).toBe(false);
  scene.facts.noteNamed({ ...named, orderHash: double });
  expect(scene.facts.isTakenForDouble(fact(meant))).toBe(true);
});
