// A daemon that follows prices from outside the venue: a file, an HTTP address and a WebSocket.

import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { MarketView, StateView } from '../../src/domain/view.ts';
import { ensureBuilt } from '../support/build.ts';
import { LiveDaemon, writeConfig } from '../support/live-daemon.ts';
import { LiveVenue } from '../support/live-venue.ts';
import { kalshi, kalshiMarket } from '../support/outside-venues.ts';
import {
  type HttpPrices,
  httpPrices,
  type SocketPrices,
  socketPrices,
} from '../support/price-servers.ts';
import { endAll } from '../support/processes.ts';

// A start alone takes half of what a test has by default, where the machine is busy.
vi.setConfig({ testTimeout: 150_000 });

let folder: string;
let venue: LiveVenue;
let daemon: LiveDaemon;
let http: HttpPrices;
let socket: SocketPrices;

/** No width for lateness, and none for jumps: a tick on either side of the price. */
const FOLLOW = {
  strategy: 'fair-follow',
  externalAgeMsMax: 2_000,
  params: {
    externalAgeMsMax: 2_000,
    latencyWeight: 0,
    jumpPremium: 0.02,
    disagreementMax: 0.3,
    levels: 1,
    skewTicks: 0,
    size: 20,
  },
};

const markets = () => [
  { event: 'rain', ...FOLLOW },
  { event: 'race', market: venue.market('race', 0).id, ...FOLLOW },
  { event: 'race', market: venue.market('race', 1).id, ...FOLLOW },
];

const feeds = () => [
  { name: 'rain-file', event: 'rain', from: 'rain.json', pollMs: 200 },
  {
    name: 'race-http',
    event: 'race',
    market: venue.market('race', 0).id,
    from: http.url,
    pollMs: 200,
  },
  { name: 'race-socket', event: 'race', market: venue.market('race', 1).id, from: socket.url },
];

let beat: NodeJS.Timeout;
let said: { file: string; socket: string };

/** As a source does that is read at any moment: nobody ever sees half of it. */
async function replaceFile(path: string, text: string): Promise<void> {
  await writeFile(`${path}.new`, text);
  await rename(`${path}.new`, path).catch(() => undefined);
}

/** Sources that are alive state their price again and again. */
function keepSaying(): void {
  beat = setInterval(() => {
    void replaceFile(join(folder, 'rain.json'), said.file);
    if (said.socket !== '') socket.say(said.socket);
  }, 200);
}

beforeAll(async () => {
  await ensureBuilt();
  folder = await mkdtemp(join(tmpdir(), 'bookend-e2e-feeds-'));
  venue = await LiveVenue.start();
  await venue.quoteBook(venue.market('rain'), { bid: 0.4, ask: 0.6 });
  await venue.quoteBook(venue.market('race', 0), { bid: 0.3, ask: 0.5, decimals: 3 });
  await venue.quoteBook(venue.market('race', 1), { bid: 0.5, ask: 0.7, decimals: 3 });
  http = await httpPrices('{"price":0.42}');
  socket = await socketPrices();
  said = { file: '{"price":0.53}\n', socket: '{"price":0.61}' };
  keepSaying();
  await writeConfig(folder, venue, { markets: markets(), feeds: feeds() });
});

afterAll(async () => {
  clearInterval(beat);
  await endAll();
  await http.close();
  await socket.close();
  await rm(folder, { recursive: true, force: true });
});

const find = (state: StateView, id: string) => state.markets.find((each) => each.marketId === id);
const best = (market: MarketView | undefined) =>
  `${market?.ownBids[0]?.price ?? '-'} ${market?.ownAsks[0]?.price ?? '-'}`;

async function quotedAt(id: string, quotes: string): Promise<void> {
  await daemon.until(`quotes at ${quotes}`, (state) =>
    best(find(state, id)) === quotes ? true : undefined,
  );
}

async function unquoted(id: string, code: string): Promise<MarketView> {
  return await daemon.until(`no quotes because of ${code}`, (state) => {
    const market = find(state, id);
    return market?.bidReason?.code === code && best(market) === '- -' ? market : undefined;
  });
}

describe('a daemon with prices from outside', () => {
  it('quotes around the price of a file, of an address and of a socket', async () => {
    daemon = await LiveDaemon.start(folder, venue);
    await quotedAt(venue.market('rain').id, '0.51 0.55');
    await quotedAt(venue.market('race', 0).id, '0.400 0.440');
    await quotedAt(venue.market('race', 1).id, '0.590 0.630');
    const state = await daemon.state();
    expect(state.feeds?.map(({ name, state: how }) => `${name} ${how}`)).toEqual([
      'rain-file ok',
      'race-http ok',
      'race-socket ok',
    ]);
  });

  it('follows each of them', async () => {
    said = { file: '0.49\n', socket: '{"price":0.58}' };
    http.answer = { status: 200, text: '{"price":0.39}' };
    await quotedAt(venue.market('rain').id, '0.47 0.51');
    await quotedAt(venue.market('race', 0).id, '0.370 0.410');
    await quotedAt(venue.market('race', 1).id, '0.560 0.600');
    expect((await daemon.state()).markets.map(({ fair }) => fair?.external)).toEqual(
      expect.arrayContaining(['0.490000', '0.390000', '0.580000']),
    );
  });

  it('pulls the quotes of one market for nonsense, and of no other', async () => {
    said = { ...said, file: '{"price":"NaN"}' };
    const market = await unquoted(venue.market('rain').id, 'external_fault');
    expect(market.bidReason?.detail).toContain('a number strictly between 0 and 1');
    await quotedAt(venue.market('race', 0).id, '0.370 0.410');
    said = { ...said, file: '0.50\n' };
    await quotedAt(venue.market('rain').id, '0.48 0.52');
  });

  it('pulls the quotes when a source is down for too long, and says that it is', async () => {
    http.answer = { status: 500, text: '' };
    const market = await unquoted(venue.market('race', 0).id, 'external_fault');
    expect(market.askReason?.detail).toContain('answers 500');
    http.answer = { status: 200, text: '{"price":0.4}' };
    await quotedAt(venue.market('race', 0).id, '0.380 0.420');
  });

  it('pulls the quotes when a source says nothing new', async () => {
    said = { ...said, socket: '' };
    const market = await unquoted(venue.market('race', 1).id, 'external_old');
    expect(market.bidReason?.clears).toBe('the source says a price younger than 2000 ms');
    said = { ...said, socket: '{"price":0.6}' };
    await quotedAt(venue.market('race', 1).id, '0.580 0.620');
  });

  it('counts what sources say', async () => {
    const metrics = await daemon.metrics();
    expect(metrics).toContain('bookend_feed_state_info{feed="race-http",state="ok"} 1');
    expect(metrics).toMatch(/bookend_feed_values_total\{feed="rain-file",result="refused"\} [1-9]/);
    expect(metrics).toMatch(/bookend_feed_failures_total\{feed="race-http"\} [1-9]/);
    expect(metrics).toMatch(/bookend_feed_price_timestamp_seconds\{feed="race-socket"\} \d/);
  });

  it('takes a changed feed while it runs, and withdraws the price of one that is taken out', async () => {
    await writeFile(join(folder, 'other.csv'), '0.46\n');
    const [rain, ...others] = feeds();
    await writeConfig(folder, venue, {
      markets: markets(),
      feeds: [{ ...rain, from: 'other.csv' }, ...others],
    });
    const keeping = setInterval(() => void writeFile(join(folder, 'other.csv'), '0.46\n'), 200);
    await quotedAt(venue.market('rain').id, '0.44 0.48');
    clearInterval(keeping);
    await writeConfig(folder, venue, { markets: markets(), feeds: others });
    const market = await unquoted(venue.market('rain').id, 'external_fault');
    expect(market.bidReason?.detail).toContain('taken out of the configuration');
  });

  it("quotes around another venue's middle and around an option on a spot price, and names what they are made of", async () => {
    const outside = await kalshi(new Map([['KXRACE-26-A', kalshiMarket('0.5800', '0.6000')]]));
    const first = { event: 'race', market: venue.market('race', 0).id };
    const second = { event: 'race', market: venue.market('race', 1).id };
    const expiry = new Date(Date.now() + 3_600_000).toISOString();
    await writeConfig(folder, venue, {
      markets: markets(),
      feeds: [
        { name: 'rain-file', event: 'rain', from: 'rain.json', pollMs: 200 },
        {
          ...{ name: 'race-kalshi', ...first, venue: 'kalshi', from: outside.from },
          ...{ outcomes: ['KXRACE-26-A'], inverted: true, pollMs: 200 },
        },
        {
          ...{ name: 'race-spot', ...second, from: socket.url, bidField: '/b', askField: '/a' },
          digital: { strike: 100_000, expiry },
        },
      ],
    });
    said = { ...said, socket: '{"b":"100149.00","a":"100151.00"}' };
    await quotedAt(venue.market('race', 0).id, '0.390 0.430');
    // ln(1.0015) over half a root of a year of an hour: 0.28 deviations above the strike.
    const state = await daemon.until('a price of the option', (seen) => {
      const option = seen.feeds?.find(({ name }) => name === 'race-spot');
      return option?.state === 'ok' && option.price !== undefined ? seen : undefined;
    });
    const [, kalshiView, option] = state.feeds ?? [];
    expect(kalshiView).toMatchObject({ state: 'ok', basis: 'KXRACE-26-A 0.580/0.600' });
    expect(Number(option?.price)).toBeCloseTo(0.609, 1);
    expect(option?.basis).toMatch(/^spot 100150, volatility 0\.5\d*, \d+ s left$/);
    const metrics = await daemon.metrics();
    expect(metrics).toMatch(/bookend_feed_price_usdc\{feed="race-kalshi"\} 0\.41/);
    expect(metrics).toMatch(/bookend_feed_volatility_ratio\{feed="race-spot"\} 0\.5/);
    await outside.close();
  });
});
