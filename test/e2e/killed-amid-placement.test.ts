// A daemon dies while one placement of several is under way, and the next run begins with an order of which nobody
// knows whether it rests. Whatever became of it, the other quotes stand still in a market that does.

import { afterEach, describe, expect, it } from 'vitest';
import type { CoreSettings } from '../../src/domain/input.ts';
import { shares } from '../../src/domain/shares.ts';
import { ticks } from '../../src/domain/ticks.ts';
import { usdc } from '../../src/domain/usdc.ts';
import { CROWD, VirtualDaemon } from '../support/virtual-daemon.ts';

const SIZE = 50;
const LEVELS = 3;
const BEST_BID = 48;
/** A placement that nobody answers is unknown for so long, and in doubt until lists were read then. */
const HORIZON_MS = 45_000;
/** It keeps its place for so long after it was decided, and lists are read then. */
const SLOT_MS = 10_000;
/** All of the ladder moves once for news, and once more when the unknown order is known to be gone. */
const CANCELS_MAX = 4 * LEVELS;

const params = { halfSpreadTicks: 2, levels: LEVELS, levelSpacingTicks: 1, size: SIZE };

function settings(scope: 'account' | 'own'): CoreSettings {
  return {
    markets: [{ event: 'rain', market: undefined, strategy: 'ladder', params }],
    risk: {
      maxPositionShares: 500,
      maxOrderNotionalUsdc: 100,
      maxOpenOrders: 100,
      maxLossUsdc: 2_000,
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
      unknownHorizonMs: HORIZON_MS,
      positionLagMs: 150_000,
      proofQuietMs: 500,
      proofDeadlineMs: 20_000,
    },
  };
}

let daemon: VirtualDaemon | undefined;

afterEach(async () => await daemon?.stop());

function marketOf({ venue }: VirtualDaemon) {
  const [market] = venue.exchange.catalogue.events().flatMap((each) => each.markets);
  if (market === undefined) throw new Error('there is one market');
  return market;
}

/** The crowd trades or rests in YES. */
function others(
  running: VirtualDaemon,
  side: 'BUY' | 'SELL',
  order: { readonly price: number; readonly timeInForce: 'GTC' | 'FAK' },
): void {
  const { market, grid } = marketOf(running);
  const { desk } = running.venue;
  desk.fund(CROWD, usdc(SIZE));
  desk.mintSets(CROWD, market.id, shares(SIZE));
  const { tokenId } = market.yes;
  const { price, timeInForce } = order;
  const asked = { tokenId, side, price: ticks(grid, price), quantity: shares(SIZE), timeInForce };
  expect(desk.place(CROWD, asked).kind).toBe('accepted');
}

const unknown = ({ trader }: VirtualDaemon) => trader.engine.view().ordersByState.unknown;

/** Its best bid is taken, and it dies while the one in its place is under way. */
async function diesAmidPlacement(
  fate: 'requestsLost' | 'answersLost' | 'acceptLate',
  scope: 'account' | 'own',
): Promise<VirtualDaemon> {
  const running = await VirtualDaemon.remembering({ markets: 1, settings: settings(scope) });
  daemon = running;
  await running.run(10_000);
  expect(running.openOrders()).toBe(2 * LEVELS);
  running.weather.begin(fate, 1);
  const writes = running.writesAtMs.length;
  others(running, 'SELL', { price: BEST_BID, timeInForce: 'FAK' });
  for (let passedMs = 0; running.writesAtMs.length === writes; passedMs += 1) {
    expect(passedMs).toBeLessThan(1_000);
    await running.run(1);
  }
  running.die();
  running.weather.clear();
  await running.run(1_000);
  return running;
}

describe.each(['account', 'own'] as const)(
  'the run after a death amid a placement, %s',
  (scope) => {
    it.each([
      ['that the venue never got', 'requestsLost'],
      ['that rests', 'answersLost'],
      ['that comes late', 'acceptLate'],
    ] as const)('lets its ladder stand beside an order %s', async (_, fate) => {
      const running = await diesAmidPlacement(fate, scope);
      running.liveAgain();
      await running.run(5_000);
      // What the run before left is cancelled by now.
      running.cancelled.length = 0;
      if (fate === 'requestsLost') expect(unknown(running)).toBe(1);
      await running.run(60_000);
      expect(running.cancelled.length).toBeLessThanOrEqual(CANCELS_MAX);
      expect(unknown(running)).toBe(0);
      expect(running.openOrders()).toBe(2 * LEVELS);
    });

    it('is whole again once lists have missed it for long enough, whatever match is not settled', async () => {
      const running = await diesAmidPlacement('requestsLost', scope);
      running.liveAgain();
      await running.run(SLOT_MS + 4_000);
      expect(unknown(running)).toBe(0);
      expect(running.openOrders()).toBe(2 * LEVELS);
    });

    it.each([45, 46, 47, BEST_BID, 49])(
      'moves its ladder once when others come to %d with as much as it quotes',
      async (price) => {
        const running = await diesAmidPlacement('requestsLost', scope);
        running.liveAgain();
        await running.run(5_000);
        running.cancelled.length = 0;
        others(running, 'BUY', { price, timeInForce: 'GTC' });
        await running.run(60_000);
        expect(running.cancelled.length).toBeLessThanOrEqual(CANCELS_MAX);
        expect(running.openOrders()).toBe(2 * LEVELS);
      },
    );
  },
);
