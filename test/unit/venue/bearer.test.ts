import { afterEach, expect, it } from 'vitest';
import { intentId } from '../../../src/domain/ids.ts';
import type { VenueMessage } from '../../../src/domain/message.ts';
import { Secret } from '../../../src/domain/secret.ts';
import { shares } from '../../../src/domain/shares.ts';
import { ticks } from '../../../src/domain/ticks.ts';
import { plannedEvent } from '../../../src/paper/exchange/plan.ts';
import { type PaperVenue, startPaperVenue } from '../../../src/paper/server.ts';
import { createVenueHttp } from '../../../src/venue/http/venue-http.ts';
import { createVenue } from '../../../src/venue/venue.ts';
import { tokenLookup } from '../../../src/wire/tokens.ts';
import { fixedCredentials, REAL_TIME } from '../../support/http-double-fixtures.ts';

const PLAN = {
  slug: 'will-it-rain',
  title: 'Will it rain?',
  category: 'weather',
  tickSize: '0.01',
  markets: [{ slug: 'main', title: 'Rain' }],
} as const;
const EVENT = plannedEvent(PLAN);

let paper: PaperVenue | undefined;

afterEach(async () => {
  await paper?.stop();
  paper = undefined;
});

async function session(token?: string) {
  paper = await startPaperVenue({ events: [PLAN] });
  const bearerToken = new Secret(token ?? paper.issueBearer('maker', 60_000));
  return {
    paper,
    options: {
      clock: REAL_TIME,
      timers: REAL_TIME,
      baseUrl: paper.baseUrl,
      credentials: fixedCredentials({ bearerToken }),
      tokens: tokenLookup([EVENT]),
    },
  };
}

it('a browser session reads, places and cancels with its token', async () => {
  const { options } = await session();
  const http = createVenueHttp(options);
  const tokenId = EVENT.markets[0]?.yes.tokenId;
  if (!tokenId) throw new Error('the plan lists one market');
  const order = {
    intentId: intentId('i-1'),
    tokenId,
    side: 'BUY',
    price: ticks(EVENT.grid, 40),
    quantity: shares(10),
    lifetime: { timeInForce: 'GTC' },
  } as const;
  expect((await http.readBalances()).kind).toBe('ok');
  expect((await http.placeOrders([order])).map((each) => each.kind)).toEqual(['accepted']);
  expect(await http.cancelAll({ kind: 'account' })).toMatchObject({ cancelled: 1, failed: 0 });
  await http.stop();
});

it('a browser session opens the user channel with its token', async () => {
  const { paper, options } = await session();
  const port = createVenue({ ...options, wsUrl: paper.wsUrl, random: () => 0.5 });
  const heard: VenueMessage['kind'][] = [];
  port.start((message) => heard.push(message.kind));
  await expect.poll(() => heard, { timeout: 5_000 }).toContain('authenticated');
  await port.stop();
});

it('a token that is not known is refused like any other credential', async () => {
  const { options } = await session('expired');
  const http = createVenueHttp(options);
  const read = await http.readBalances();
  expect(read).toMatchObject({ kind: 'refused', refusal: { httpStatus: 401 } });
  await http.stop();
});
