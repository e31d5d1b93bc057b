// A daemon with as many orders as an account may have dies and starts again on its ledger: judged by the
// venue's own accounts, to the micro-dollar. @spec Limits

import { Decimal } from 'decimal.js';
import { afterEach, describe, expect, it } from 'vitest';
import type { CoreSettings } from '../../src/domain/input.ts';
import { isTerminal } from '../../src/domain/order.ts';
import type { Report } from '../../src/domain/report.ts';
import { shares } from '../../src/domain/shares.ts';
import { ticks } from '../../src/domain/ticks.ts';
import { usdc } from '../../src/domain/usdc.ts';
import type { PositionView } from '../../src/domain/view.ts';
import { usdcOf } from '../../src/paper/exchange/amounts.ts';
import type { ExchangeOrder } from '../../src/paper/exchange/exchange-order.ts';
import type { ListedMarket } from '../../src/paper/exchange/listed-market.ts';
import { CROWD, MAKER, STARTING_CASH, VirtualDaemon } from '../support/virtual-daemon.ts';

const MARKETS = 100;
const LEVELS = 10;
/** Two sides of each market: the ceiling of an account. */
const QUOTES = MARKETS * LEVELS * 2;
const SIZE = 20;
/** Within the tolerance of size: at the ceiling there is no room for an order that tops up. */
const PART = 3;
/** What settled shows in positions this much later. */
const INDEX_LAG_MS = 10_000;
const TIMING = { indexLagMsMin: INDEX_LAG_MS, indexLagMsMax: INDEX_LAG_MS } as const;
/** Half a minute of a processor that is ours; where many wait for each, some times as long. */
const BUSY_MS = 300_000;
/** All that traded has settled and shows, and what was in doubt is not any more. */
const SETTLED_MS = 60_000;
/** The best bid and ask, of which each share is bought three ticks from the middle. */
const BID_TICK = 47;
const EDGE = new Decimal('0.03');

function settings(scope: 'account' | 'own'): CoreSettings {
  const params = { halfSpreadTicks: 3, levels: LEVELS, levelSpacingTicks: 1, size: SIZE };
  return {
    markets: [{ event: 'rain', market: undefined, strategy: 'ladder', params }],
    risk: {
      maxPositionShares: 1_000,
      maxOrderNotionalUsdc: 100,
      maxOpenOrders: QUOTES,
      maxLossUsdc: 1_000_000,
    },
    orders: {
      priceToleranceTicks: 0,
      sizeTolerance: 0.2,
      writesPer10s: 240,
      gatherMs: 20,
      preferSell: false,
      scope,
    },
    book: { depth: 50 },
    timing: {
      reconcileMs: 5_000,
      balancesMs: 10_000,
      catalogueMs: 60_000,
      unknownHorizonMs: 45_000,
      positionLagMs: 1.5 * INDEX_LAG_MS,
      proofQuietMs: 2_500,
      proofDeadlineMs: 20_000,
    },
  };
}

let daemon: VirtualDaemon | undefined;

afterEach(async () => await daemon?.stop());

async function quoting(scope: 'account' | 'own'): Promise<VirtualDaemon> {
  const options = {
    ...{ markets: MARKETS, settings: settings(scope), timing: TIMING },
    // Nothing of the previous run rests in the end: part-filled orders too must go.
    rules: { partiallyFilledCancellable: true },
  };
  daemon = await VirtualDaemon.remembering(options);
  await daemon.run(20_000);
  expect(daemon.openOrders()).toBe(QUOTES);
  return daemon;
}

function marketOf({ venue }: VirtualDaemon, index: number): ListedMarket {
  const market = venue.exchange.catalogue.events().flatMap((each) => each.markets)[index];
  if (market === undefined) throw new Error(`there is no market ${index}`);
  return market;
}

/** The crowd sells YES into the best bids of some markets, so many shares each. */
function sell(running: VirtualDaemon, from: number, count: number, size: number): void {
  for (let index = from; index < from + count; index += 1) {
    const { market, grid } = marketOf(running, index);
    const { tokenId } = market.yes;
    running.venue.desk.fund(CROWD, usdc(size));
    running.venue.desk.mintSets(CROWD, market.id, shares(size));
    const order = { tokenId, side: 'SELL', timeInForce: 'FAK', quantity: shares(size) } as const;
    const answer = running.venue.desk.place(CROWD, { ...order, price: ticks(grid, BID_TICK) });
    expect(answer.kind).toBe('accepted');
  }
}

const hashOf = ({ terms }: ExchangeOrder): string => terms.orderHash;
const hashesOf = (running: VirtualDaemon) => running.orders().map(hashOf).sort();

/** Each order by what it is: two alike would be one too many. */
function places(running: VirtualDaemon): ReadonlySet<string> {
  const names = running.orders().map(({ terms }) => {
    const { outcome, side, price } = terms;
    return `${outcome.tokenId} ${side} ${price}`;
  });
  return new Set(names);
}

/** Cash that moved, and shares at the middle, which stands at 0.50. */
function earned({ venue }: VirtualDaemon): Decimal {
  const { cashNano, holdings } = venue.exchange.accounts.named(MAKER);
  let held = 0;
  for (const { settledMicro } of holdings.values()) held += settledMicro;
  return usdcOf(cashNano).minus(STARTING_CASH).plus(new Decimal(held).div(2_000_000));
}

function said(running: VirtualDaemon): Decimal {
  return new Decimal(running.trader.engine.view().account.pnlUsdc ?? Number.NaN);
}

function fills(running: VirtualDaemon): number {
  return running.trader.engine.view().markets.reduce((sum, market) => sum + market.fills, 0);
}

function expectPositions(running: VirtualDaemon): void {
  const { holdings } = running.venue.exchange.accounts.named(MAKER);
  const held = (tokenId: string) => {
    const found = [...holdings].find(([id]) => id === tokenId)?.[1].settledMicro ?? 0;
    return new Decimal(found).div(1e6).toString();
  };
  for (const market of running.trader.engine.view().markets) {
    const { yesTokenId, noTokenId, positionYes, positionNo } = market;
    expect([market.title, positionYes, positionNo]).toEqual([
      market.title,
      held(yesTokenId),
      held(noTokenId),
    ]);
  }
}

const ODD: ReadonlySet<string> = new Set(['order.external', 'order.anomaly', 'order.restored']);

/**
 * Some are cancelled in the moment of their acceptance, and that is answered before the user channel
 * says that they are open. It is so only where the venue itself has nothing resting of them.
 */
function isOvertaken(running: VirtualDaemon, report: Report): boolean {
  if (report.event !== 'order.anomaly') return false;
  const { orderHash, state, signal } = report;
  const rests = orderHash === undefined || hashesOf(running).includes(orderHash);
  return state === 'cancelled' && signal === 'open' && !rests;
}

function expectNothingOdd(running: VirtualDaemon): void {
  const odd = running.reports.filter(({ event }) => ODD.has(event));
  expect(odd.filter((report) => !isOvertaken(running, report))).toEqual([]);
  expect(running.broken).toEqual([]);
}

/** The ledger has just the orders that rest, each with its hash. */
function expectKept(running: VirtualDaemon): void {
  const live = running.kept?.orders.filter(({ state }) => !isTerminal(state)) ?? [];
  const resting = live.filter(({ state }) => state !== 'matched' && state !== 'settling');
  expect(resting.map(({ orderHash }) => orderHash ?? 'none').sort()).toEqual(hashesOf(running));
}

/** In the first run 20 orders traded whole and 10 in part, and all of it settled. */
async function traded(scope: 'account' | 'own'): Promise<VirtualDaemon> {
  const running = await quoting(scope);
  sell(running, 0, 20, SIZE);
  sell(running, 20, 10, PART);
  await running.run(SETTLED_MS);
  expect(running.openOrders()).toBe(QUOTES);
  expect(said(running).toFixed(6)).toBe(earned(running).toFixed(6));
  expect(earned(running).toFixed(6)).toBe(EDGE.times(20 * SIZE + 10 * PART).toFixed(6));
  expectKept(running);
  return running;
}

describe('a daemon with 2,000 orders that dies', () => {
  it(
    'knows each by name, doubles none, and counts what traded meanwhile once',
    async () => {
      const running = await traded('own');
      const before = hashesOf(running);
      expect(running.cancelled.filter((hash) => before.includes(hash))).toEqual([]);
      const fillsBefore = fills(running);
      running.die();
      // Ten trade whole, of which some had traded in part before, and twenty in part.
      sell(running, 10, 10, SIZE);
      sell(running, 40, 20, 13);
      await running.run(3_000);
      const left = hashesOf(running);
      expect(left).toHaveLength(QUOTES - 10);
      running.liveAgain();
      await running.run(SETTLED_MS);
      const named = new Set(running.cancelled);
      expect(left.filter((hash) => !named.has(hash))).toEqual([]);
      expect(hashesOf(running).filter((hash) => before.includes(hash))).toEqual([]);
      expect(running.openOrders()).toBe(QUOTES);
      expect(places(running).size).toBe(QUOTES);
      expectPositions(running);
      expect(said(running).toFixed(6)).toBe(earned(running).toFixed(6));
      expect(fills(running)).toBe(fillsBefore + 30);
      const more = 10 * SIZE + 20 * 13;
      expect(earned(running).toFixed(6)).toBe(EDGE.times(20 * SIZE + 10 * PART + more).toFixed(6));
      expectKept(running);
      expectNothingOdd(running);
    },
    BUSY_MS,
  );

  it(
    'takes what traded and settled meanwhile for what it is, though nobody tells of it',
    async () => {
      const running = await traded('account');
      const [before, fillsBefore, saidBefore] = [hashesOf(running), fills(running), said(running)];
      running.die();
      // Ten of markets that never traded trade whole, and ten others in part.
      sell(running, 60, 10, SIZE);
      sell(running, 80, 10, 13);
      await running.run(SETTLED_MS);
      running.liveAgain();
      await running.run(5_000);
      // Doubt costs room and no quotes.
      const { markets } = running.trader.engine.view();
      const isOpen = ({ low, high }: PositionView) => low !== high;
      const open = markets.filter(({ positions }) => Object.values(positions ?? {}).some(isOpen));
      expect(open.length).toBeGreaterThanOrEqual(10);
      expect(markets.filter(({ ownBids }) => ownBids.length > 0)).toHaveLength(markets.length);
      expect(Number(said(running))).toBeCloseTo(Number(saidBefore.plus(EDGE.times(10 * 13))), 0);
      await running.run(SETTLED_MS);
      expect(hashesOf(running).filter((hash) => before.includes(hash))).toEqual([]);
      expect(running.openOrders()).toBe(QUOTES);
      expect(places(running).size).toBe(QUOTES);
      expectPositions(running);
      expect(fills(running)).toBe(fillsBefore + 10);
      // What the whole ones cost was not reported: the profit says by how much it may be wrong, and is no more.
      const { pnlUncertaintyUsdc } = running.trader.engine.view().account;
      const wrong = said(running).minus(earned(running)).abs();
      expect(wrong.toFixed(6)).toBe(pnlUncertaintyUsdc);
      expect(wrong.toNumber()).toBeLessThanOrEqual(0.1 * 10 * SIZE);
      expectKept(running);
      expectNothingOdd(running);
    },
    BUSY_MS,
  );
});
