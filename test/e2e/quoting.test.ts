// One run of a daemon against a venue in another process, step by step over loopback.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { MarketView, StateView } from '../../src/domain/view.ts';
import { ensureBuilt } from '../support/build.ts';
import { LADDER, LiveDaemon, writeConfig } from '../support/live-daemon.ts';
import { LiveVenue, type OpenOrder } from '../support/live-venue.ts';
import { endAll, eventually, waitedForProcessorMs } from '../support/processes.ts';

// A start alone takes half of what a test has by default, where the machine is busy.
vi.setConfig({ testTimeout: 150_000 });

let folder: string;
let venue: LiveVenue;
let daemon: LiveDaemon;

const rain = (params: object = {}) => ({
  event: 'rain',
  strategy: 'ladder',
  params: { ...LADDER, ...params },
});
const race = { event: 'race', strategy: 'ladder', params: { ...LADDER, size: 20 } };

beforeAll(async () => {
  await ensureBuilt();
  folder = await mkdtemp(join(tmpdir(), 'bookend-e2e-'));
  // Its last stop is to leave nothing, though the orders traded in part before.
  venue = await LiveVenue.start({ partiallyFilledCancellable: true });
  await quoteEverything(0.5);
  await writeConfig(folder, venue, { markets: [rain(), race] });
});

afterAll(async () => {
  await endAll();
  await rm(folder, { recursive: true, force: true });
});

/** What others quote: YES of `rain` around this middle, and the race as ever. */
async function quoteEverything(rainMiddle: number): Promise<void> {
  const book = { bid: rainMiddle - 0.1, ask: rainMiddle + 0.1 };
  await venue.quoteBook(venue.market('rain'), book);
  await venue.quoteBook(venue.market('race', 0), { bid: 0.3, ask: 0.35, decimals: 3 });
  await venue.quoteBook(venue.market('race', 1), { bid: 0.6, ask: 0.64, decimals: 3 });
}

const prices = (quotes: MarketView['ownBids']) => quotes.map(({ price }) => price);
const marketOf = (state: StateView, slug: string, index = 0) =>
  state.markets.filter(({ eventSlug }) => eventSlug === slug)[index];

/** Waits until a market is quoted at exactly these prices on the YES axis. */
async function quotedAt(slug: string, quotes: { bids: string[]; asks: string[] }) {
  await daemon.until(`${slug} quoted at ${JSON.stringify(quotes)}`, (state) => {
    const market = marketOf(state, slug);
    const shown = market && { bids: prices(market.ownBids), asks: prices(market.ownAsks) };
    return JSON.stringify(shown) === JSON.stringify(quotes) ? true : undefined;
  });
}

const hashes = (orders: readonly OpenOrder[], tokens: readonly string[]) =>
  orders
    .filter(({ tokenId }) => tokens.includes(tokenId))
    .map(({ orderHash }) => orderHash)
    .sort();

describe('a daemon against a venue in another process', () => {
  it('goes from nothing to two-sided quotes on every market', async () => {
    const startedAtMs = performance.now();
    const beforeMs = waitedForProcessorMs(process.pid);
    daemon = await LiveDaemon.start(folder, venue);
    await daemon.until('quotes on both sides of all three markets', ({ markets }) => {
      const isQuoted = ({ ownBids, ownAsks }: MarketView) =>
        ownBids.length === 2 && ownAsks.length === 2;
      return markets.length === 3 && markets.every(isQuoted) ? true : undefined;
    });
    // As promised in the README, of a machine that is ours: what a busy one had no processor for is its own.
    const pids = [process.pid, daemon.process.child.pid ?? 0, daemon.traderPid()];
    const starvedMs = pids.reduce((sumMs, pid) => sumMs + waitedForProcessorMs(pid), 0) - beforeMs;
    expect(performance.now() - startedAtMs - starvedMs).toBeLessThan(10_000);
    await quotedAt('rain', { bids: ['0.48', '0.47'], asks: ['0.52', '0.53'] });
    expect(await venue.openOrders()).toHaveLength(12);
  });

  it('follows when the market moves', async () => {
    await venue.clearBook();
    await quoteEverything(0.6);
    await quotedAt('rain', { bids: ['0.58', '0.57'], asks: ['0.62', '0.63'] });
    await eventually('nothing left at the old prices', async () =>
      (await venue.openOrders()).length === 12 ? true : undefined,
    );
    const orders = await venue.openOrders();
    expect(orders.map(({ price }) => Number(price))).not.toContain(0.48);
  });

  it('applies a changed parameter without touching the quotes it does not move', async () => {
    const { yes, no } = venue.market('rain');
    const before = await venue.openOrders();
    await writeConfig(folder, venue, { markets: [rain({ levels: 3 }), race] });
    await quotedAt('rain', { bids: ['0.58', '0.57', '0.56'], asks: ['0.62', '0.63', '0.64'] });
    const after = await venue.openOrders();
    expect(after).toHaveLength(14);
    expect(hashes(after, [yes, no])).toEqual(expect.arrayContaining(hashes(before, [yes, no])));
    for (const index of [0, 1]) {
      const other = venue.market('race', index);
      const tokens = [other.yes, other.no];
      expect(hashes(after, tokens)).toEqual(hashes(before, tokens));
    }
  });

  it('refuses a wrong configuration whole and goes on with the old one', async () => {
    const before = await venue.openOrders();
    await writeConfig(folder, venue, { markets: [rain({ levels: 1, size: -5 }), race] });
    await eventually('the refusal', () => {
      const isSaid = /"event":"settings.refused"/.test(daemon.process.stderr());
      return isSaid ? true : undefined;
    });
    expect(daemon.process.stderr()).toContain('markets[0].params.size');
    expect(await venue.openOrders()).toEqual(before);
    const refused = await daemon.until('the refusal in the state', (state) => state.refusedEdit);
    expect(refused.problems.join()).toContain('markets[0].params.size');
    await writeConfig(folder, venue, { markets: [rain({ levels: 3 }), race] });
    await daemon.until('an edit that is usable', (state) =>
      state.refusedEdit === undefined ? true : undefined,
    );
  });

  it('stops quoting an event that is taken out, and starts again when it is put back', async () => {
    await writeConfig(folder, venue, { markets: [rain({ levels: 3 })] });
    const { yes, no } = venue.market('rain');
    await eventually('orders of one market only', async () => {
      const tokens = (await venue.openOrders()).map(({ tokenId }) => tokenId);
      return tokens.length === 6 && tokens.every((id) => id === yes || id === no)
        ? true
        : undefined;
    });
    await writeConfig(folder, venue, { markets: [rain({ levels: 3 }), race] });
    await eventually('orders of all markets', async () =>
      (await venue.openOrders()).length === 14 ? true : undefined,
    );
    // The state is a picture that the trader hands over at its own pace.
    await expect.poll(async () => (await daemon.state()).markets).toHaveLength(3);
  });

  it('reads the configuration on SIGHUP, and says that nothing changed', async () => {
    await eventually('the right configuration', () => {
      daemon.process.signal('SIGHUP');
      const isSaid = /"event":"settings.unchanged"/.test(daemon.process.stderr());
      return isSaid ? true : undefined;
    });
    expect((await daemon.state()).phase).toBe('quoting');
  });

  it('counts a fill, and the position and the cash that it moves', async () => {
    const { yes } = venue.market('rain');
    await venue.control('mintSets', {
      trader: 'others',
      marketId: venue.market('rain').id,
      shares: 100,
    });
    await venue.place({ tokenId: yes, side: 'SELL', price: 0.58, shares: 30, timeInForce: 'FAK' });
    await daemon.until('30 shares of YES, settled', (state) =>
      marketOf(state, 'rain')?.settledYes === '30' ? true : undefined,
    );
    const state = await daemon.until('the cash', (seen) =>
      seen.account.cashUsdc !== undefined && Number(seen.account.cashUsdc) < 10_000
        ? seen
        : undefined,
    );
    expect(Number(state.account.cashUsdc)).toBeCloseTo(10_000 - 30 * 0.58, 6);
    expect(marketOf(state, 'rain')?.fills).toBeGreaterThanOrEqual(1);
  });

  it('quotes again by itself after its socket was cut', async () => {
    await venue.control('dropSockets', {});
    await daemon.until('the cut', () =>
      /"event":"venue.socket","state":"socketLost"/.test(daemon.process.stderr())
        ? true
        : undefined,
    );
    await daemon.until('quotes on every market over a new socket', ({ markets, connection }) => {
      const isBack = connection.socket === 'open' && connection.authenticated;
      const areQuoted = markets.every(
        ({ ownBids, ownAsks }) => ownBids.length > 0 && ownAsks.length > 0,
      );
      return isBack && markets.length > 0 && areQuoted ? true : undefined;
    });
    // What the venue has is what the daemon knows of, order by order.
    const counts = await daemon.until('as many orders as it knows', async ({ ordersByState }) => {
      const known = ordersByState.resting + ordersByState.partiallyFilled;
      const listed = (await venue.openOrders()).length;
      // What HTTP shows may be of a moment before.
      return known === listed && listed >= 14 ? { known, listed } : undefined;
    });
    expect(counts.listed).toBeGreaterThanOrEqual(14);
  });

  it('leaves no order on the venue when it is told to end, and says so by its exit code', async () => {
    expect((await venue.openOrders()).length).toBeGreaterThan(0);
    daemon.process.signal('SIGTERM');
    expect(await daemon.process.ended).toEqual({ code: 0, signal: null });
    expect(await venue.openOrders()).toEqual([]);
    expect(daemon.process.stdout()).toContain('no open order is left');
  });
});
