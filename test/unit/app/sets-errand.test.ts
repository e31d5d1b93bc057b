import { describe, expect, test } from 'vitest';
import { changeSets, previewSets, type SetsResult } from '../../../src/app/sets-errand.ts';
import { systemClock } from '../../../src/clock/system.ts';
import { marketId } from '../../../src/domain/ids.ts';
import { Secret } from '../../../src/domain/secret.ts';
import type { SetsOrder } from '../../../src/domain/sets.ts';
import { shares } from '../../../src/domain/shares.ts';
import { plannedEvent } from '../../../src/paper/exchange/plan.ts';
import { type PaperVenue, startPaperVenue } from '../../../src/paper/server.ts';
import { createVenueHttp, type VenueHttp } from '../../../src/venue/http/venue-http.ts';
import { fixedCredentials } from '../../support/http-double-fixtures.ts';

const PLAN = {
  slug: 'will-it-rain',
  title: 'Will it rain?',
  category: 'weather',
  tickSize: '0.01',
  markets: [{ slug: 'main', title: 'Rain' }],
} as const;
const [LISTED] = plannedEvent(PLAN).markets;
if (!LISTED) throw new Error('the plan lists one market');
const MARKET = LISTED;
const CLOCK = systemClock();

type SetsRequest = Omit<SetsOrder, 'id' | 'by'>;

function request(action: SetsOrder['action'], size: number): SetsRequest {
  return { action, marketId: MARKET.id, amount: shares(size) };
}

/** A venue whose positions lag by a moment only, and the client of its account. */
const it = test.extend<{ paper: PaperVenue; http: VenueHttp }>({
  // biome-ignore lint/correctness/noEmptyPattern: vitest reads from the pattern what a fixture needs.
  paper: async ({}, use) => {
    const paper = await startPaperVenue({ events: [PLAN], timeScale: 0.001, startingCash: 1_000 });
    await use(paper);
    await paper.stop();
  },
  http: async ({ paper }, use) => {
    const { apiKey, apiSecret, apiPassphrase } = paper.account;
    const http = createVenueHttp({
      baseUrl: paper.baseUrl,
      credentials: fixedCredentials({
        apiKey: new Secret(apiKey),
        apiSecret: new Secret(apiSecret),
        apiPassphrase: new Secret(apiPassphrase),
      }),
      clock: CLOCK,
      timers: CLOCK,
    });
    await use(http);
    await http.stop();
  },
});

async function change(
  client: VenueHttp,
  order: SetsRequest,
  deadlineMs = 4_000,
): Promise<SetsResult> {
  const preview = await previewSets(client, order, [PLAN.slug]);
  expect(preview.fault).toBeUndefined();
  return await changeSets(client, order, preview, { timers: CLOCK, deadlineMs });
}

describe.concurrent('a chain action without a daemon', () => {
  it('is confirmed by the balances, and turns back', async ({ http, expect }) => {
    expect((await change(http, request('split', 100))).state).toBe('confirmed');
    expect((await change(http, request('merge', 40))).state).toBe('confirmed');
    const read = await http.readBalances();
    expect(read.kind === 'ok' && read.value.cashBalance.toFixed()).toBe('940');
  });

  it('is confirmed although its answer was lost, without a second request', async ({
    http,
    paper,
    expect,
  }) => {
    paper.faults.plan({ path: '/positions/split', action: { kind: 'dropReply' } });
    expect((await change(http, request('split', 100))).state).toBe('confirmed');
    const read = await http.readBalances();
    expect(read.kind === 'ok' && read.value.cashBalance.toFixed()).toBe('900');
  });

  it('that never arrived stays unknown and is not sent again', async ({ http, paper, expect }) => {
    paper.faults.plan({ path: '/positions/split', action: { kind: 'dropRequest' } });
    expect((await change(http, request('split', 100), 2_000)).state).toBe('unknown');
    const read = await http.readBalances();
    expect(read.kind === 'ok' && read.value.cashBalance.toFixed()).toBe('1000');
  });

  it.for([
    { action: 'split' as const, size: 2_000, fault: 'it costs 2000 USDC and 1000 are available' },
    { action: 'merge' as const, size: 1, fault: 'only 0 complete sets are free' },
    { action: 'redeem' as const, size: 1, fault: 'the market is open, not resolved' },
  ])(
    'of $action $size is seen to be impossible before it is sent',
    async ({ action, size, fault }, { http, expect }) => {
      const preview = await previewSets(http, request(action, size), [PLAN.slug]);
      expect(preview.fault).toBe(fault);
    },
  );

  it('redeems what won', async ({ http, paper, expect }) => {
    await change(http, request('split', 100));
    const { id } = MARKET;
    paper.desk.resolve(id, MARKET.yes.tokenId);
    expect((await change(http, request('redeem', 0))).state).toBe('confirmed');
    const read = await http.readBalances();
    expect(read.kind === 'ok' && read.value.cashBalance.toFixed()).toBe('1000');
  });

  it.for([
    { name: 'goes before its payout has come', paid: 0, state: 'accepted' },
    { name: 'is paid for in part', paid: 60, state: 'accepted' },
    { name: 'is paid for whole', paid: 100, state: 'confirmed' },
  ])(
    'that redeems ends as it should where what won $name',
    async ({ paid, state }, { http, paper, expect }) => {
      await change(http, request('split', 100));
      paper.desk.resolve(MARKET.id, MARKET.yes.tokenId);
      const order = request('redeem', 0);
      const preview = await previewSets(http, order, [PLAN.slug]);
      // As if the cash before had been so much more that only this part of the payout shows.
      const cash = preview.before.cash.plus(100 - paid);
      const seen = { ...preview, before: { ...preview.before, cash } };
      const result = await changeSets(http, order, seen, { timers: CLOCK, deadlineMs: 2_000 });
      expect(result.state).toBe(state);
    },
  );

  it('of a market that is not listed says where it looked', async ({ http, expect }) => {
    const order = { ...request('split', 1), marketId: marketId('m-9') };
    await expect(previewSets(http, order, [PLAN.slug])).rejects.toThrow(
      'market m-9 in events will-it-rain',
    );
  });
});
