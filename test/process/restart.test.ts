// A daemon without a guard that is killed without a word and started again: a real process, a real
// ledger, judged by what the venue says.

import { createServer } from 'node:net';
import { beforeAll, describe, expect, vi } from 'vitest';
import type { MarketView, StateView } from '../../src/domain/view.ts';
import { ensureBuilt } from '../support/build.ts';
import { LADDER, type LiveDaemon, startDaemonProcess } from '../support/live-daemon.ts';
import { LiveVenue } from '../support/live-venue.ts';
import { eventually } from '../support/processes.ts';
import { it, sceneTest } from '../support/scene.ts';

vi.setConfig({ testTimeout: 150_000 });

beforeAll(ensureBuilt);

/** Where the last stop is to leave nothing, though an order has traded in part. */
const itEndsEmpty = sceneTest({ partiallyFilledCancellable: true });
const UNGUARDED = { guard: { enabled: false } };
/** Where the ladder of a scene rests while nobody else moves. */
const LEVELS = '0.47 0.48 0.52 0.53';

/** Both levels of both sides rest, and the venue has just these orders. */
async function quoting(daemon: LiveDaemon): Promise<MarketView> {
  return await daemon.until('all levels of both sides', (state: StateView) => {
    const [market] = state.markets;
    const isWhole = market?.ownBids.length === 2 && market.ownAsks.length === 2;
    return isWhole ? market : undefined;
  });
}

/**
 * What rests at the venue by its price on the axis of YES. Shares that were bought are sold once they have settled,
 * and the rest of that level is a bid for NO: one level may be two orders.
 */
async function restingByPrice(venue: LiveVenue): Promise<Readonly<Record<string, number>>> {
  const { yes } = venue.market('rain');
  const byPrice: Record<string, number> = {};
  for (const { tokenId, price, quantity, filledQuantity } of await venue.openOrders()) {
    const at = (tokenId === yes ? Number(price) : 1 - Number(price)).toFixed(2);
    byPrice[at] = (byPrice[at] ?? 0) + Number(quantity) - Number(filledQuantity);
  }
  return byPrice;
}

/** Each level rests once: nothing of a previous run beside it. */
async function untilWhole(venue: LiveVenue, daemon: LiveDaemon): Promise<void> {
  const isWhole = async () => {
    const byPrice = await restingByPrice(venue);
    const sizes = Object.values(byPrice);
    const levels = Object.keys(byPrice).sort().join(' ');
    return (levels === LEVELS && sizes.every((size) => size <= LADDER.size)) || undefined;
  };
  await eventually('each level once', isWhole, { said: daemon.process.stderr });
}

async function killed(daemon: LiveDaemon): Promise<void> {
  daemon.process.signal('SIGKILL');
  expect(await daemon.process.ended).toEqual({ code: null, signal: 'SIGKILL' });
}

describe.concurrent('a daemon that is killed and started again', () => {
  it('quotes what it can where the venue lists no more what the run before was told to quote', async ({
    scene,
    expect,
  }) => {
    const rain = { event: 'rain', strategy: 'ladder', params: LADDER };
    await scene.configure(UNGUARDED);
    const first = await scene.quoting();
    // To this venue it is as one that has ended since.
    await scene.configure({ ...UNGUARDED, markets: [rain, { ...rain, event: 'ended' }] });
    await first.until('the new settings', ({ unlisted = [] }) => unlisted.length > 0 || undefined);
    await killed(first);
    const next = await scene.start();
    await quoting(next);
    expect(next.process.stderr()).toContain('the venue has no event ended');
  });

  itEndsEmpty(
    'goes on with fills, position and profit, and has each order once',
    async ({ scene, expect }) => {
      const { venue } = scene;
      // A kill may leave a placement that nobody has answered: the last stop waits for what that can become.
      await scene.configure({ ...UNGUARDED, timing: { proofDeadlineMs: 60_000 } });
      let daemon = await scene.start();
      await quoting(daemon);
      // Somebody sells 20 shares into the best bid.
      const { id, yes } = venue.market('rain');
      await venue.control('mintSets', { trader: 'others', marketId: id, shares: 100 });
      await venue.place({
        tokenId: yes,
        side: 'SELL',
        price: 0.48,
        shares: 20,
        timeInForce: 'FAK',
      });
      const before = await daemon.until('a fill', (state) => {
        const [market] = state.markets;
        return market !== undefined && market.fills > 0 ? market : undefined;
      });
      await quoting(daemon);
      const tookMs: number[] = [];
      for (let run = 0; run < 3; run += 1) {
        await killed(daemon);
        const startedAt = performance.now();
        daemon = await scene.start();
        const after = await quoting(daemon);
        tookMs.push(Math.round(performance.now() - startedAt));
        expect(after.fills).toBe(before.fills);
        expect(after.positionYes).toBe(before.positionYes);
        await untilWhole(venue, daemon);
      }
      console.info(
        `killed to quoting again, with the start of the process: ${tookMs.join(', ')} ms`,
      );
      daemon.process.signal('SIGTERM');
      expect(await daemon.process.ended).toEqual({ code: 0, signal: null });
      expect(await venue.openOrders()).toEqual([]);
    },
  );

  it('and told to end before it is up says that orders of the previous run may rest', async ({
    scene,
    expect,
  }) => {
    await scene.configure(UNGUARDED);
    await killed(await scene.quoting());
    const slow = { kind: 'delayReply', ms: 5_000 };
    await scene.venue.control('fault', { method: 'GET', path: '/time', times: 10, action: slow });
    const started = scene.run();
    const said = started.stderr;
    await eventually('its ledger', () => said().includes('"event":"ledger.opened"') || undefined, {
      said,
    });
    started.signal('SIGTERM');
    expect(await started.ended).toEqual({ code: 4, signal: null });
    expect(started.stdout()).toContain('ENDED WITHOUT PROOF');
    expect(await scene.venue.openOrders()).toHaveLength(4);
  });

  it('is refused where its port is taken, before anything is placed', async ({ scene, expect }) => {
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
    const address = taken.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    await scene.configure(UNGUARDED);
    await scene.listenAt(port);
    const refused = scene.run();
    expect(await refused.ended).toEqual({ code: 1, signal: null });
    expect(refused.stderr()).toContain(`127.0.0.1:${port} is in use by another process`);
    expect(refused.stderr()).not.toContain('"event":"daemon.started"');
    expect(await scene.venue.openOrders()).toEqual([]);
    taken.close();
  });

  it('refuses the journal of another venue', async ({ scene, expect }) => {
    await scene.configure(UNGUARDED);
    await killed(await scene.quoting());
    const other = await LiveVenue.start();
    await scene.configure({ venue: other.address() });
    const refused = startDaemonProcess(scene.folder, other);
    expect(await refused.ended).toEqual({ code: 3, signal: null });
    expect(refused.stderr()).toMatch(/belongs to another venue/);
    await other.stop();
  });
});
