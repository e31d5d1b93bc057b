import { execFileSync } from 'node:child_process';
import { lookup } from 'node:dns';
import { appendFile, mkdtemp, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/clock/system.ts';
import type { FeedChoice, FeedState } from '../../../src/domain/feed.ts';
import { Secret } from '../../../src/domain/secret.ts';
import { unixMs } from '../../../src/domain/time.ts';
import { FairFeeds } from '../../../src/feeds/feeds.ts';
import type { FairUpdate } from '../../../src/feeds/update.ts';
import { DRIPS, dripServer } from '../../support/drip-server.ts';
import { httpPrices, socketPrices } from '../../support/price-servers.ts';
import { eventually } from '../../support/processes.ts';

const clock = systemClock();
let folder: string;
let update: FairUpdate[];
let states: FeedState[];
let feeds: FairFeeds;
/** That were looked up: none of them is known to the machine. */
let names: string[];
const closers: (() => Promise<void>)[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bookend-feeds-'));
  update = [];
  states = [];
  names = [];
  feeds = new FairFeeds({
    clock,
    timers: clock,
    fromTimeOfDay: clock.fromTimeOfDay,
    random: () => 0,
    lookup: (name, _options, done) => {
      names.push(name);
      done(null, [{ address: '127.0.0.1', family: 4 }]);
    },
    onUpdate: (each) => update.push(each),
    onState: ({ state }) => states.push(state),
  });
});

afterEach(async () => {
  feeds.stop();
  for (const close of closers.splice(0)) await close();
  await rm(folder, { recursive: true, force: true });
});

function choice(from: string, own: Partial<FeedChoice> = {}): FeedChoice {
  return {
    name: 'odds',
    target: { kind: 'event', event: 'match', market: undefined },
    from,
    fields: { price: '/price', uncertainty: undefined, time: undefined },
    only: undefined,
    subscribe: undefined,
    pollMs: 100,
    timeoutMs: 500,
    ageMsMax: 5_000,
    jumpMax: 0.2,
    jumpReadings: 3,
    auth: undefined,
    ...own,
  };
}

const DATED = { price: '/price', uncertainty: undefined, time: '/at' };
const told = () => update.flatMap((each) => (each.kind === 'price' ? [each.price] : []));
const faults = () => update.flatMap((each) => (each.kind === 'fault' ? [each] : []));
const view = () => feeds.views()[0];
const untilPrice = async (price: number) =>
  await eventually(`the price ${price}`, () => (told().at(-1) === price ? true : undefined));
const untilState = async (state: FeedState) =>
  await eventually(`the state ${state}`, () => (view()?.state === state ? true : undefined));

describe('a feed from a file', () => {
  it('tells its price, follows what is appended, and waits for lines to be whole', async () => {
    const file = join(folder, 'prices.csv');
    await writeFile(file, '0.40\n');
    feeds.apply([choice(file)]);
    await untilPrice(0.4);
    await appendFile(file, '0.42\n0.4');
    await untilPrice(0.42);
    await appendFile(file, '5\n');
    await untilPrice(0.45);
    expect(told()).not.toContain(0.41);
    expect(new Set(told())).toEqual(new Set([0.4, 0.42, 0.45]));
  });

  it('sees a file that is replaced, and one that comes later', async () => {
    const file = join(folder, 'price.json');
    feeds.apply([choice(file)]);
    await untilState('down');
    expect(view()?.detail).toBe('cannot be read (ENOENT)');
    await writeFile(`${file}.new`, '{"price":0.3}');
    await rename(`${file}.new`, file);
    await untilPrice(0.3);
    await writeFile(`${file}.new`, '{"price":0.31}');
    await rename(`${file}.new`, file);
    await untilPrice(0.31);
    expect(states).toEqual(['down', 'ok']);
  });

  it('waits for no writer of a pipe', async () => {
    const file = join(folder, 'price.json');
    execFileSync('mkfifo', [file]);
    feeds.apply([choice(file)]);
    await untilState('down');
    expect(view()?.detail).toContain('no regular file');
    await rm(file);
    await writeFile(file, '{"price":0.3}');
    await untilPrice(0.3);
  });

  it('gives a price the age of its file', async () => {
    const file = join(folder, 'price.json');
    await writeFile(file, '{"price":0.3}');
    const then = new Date(clock.nowMs() - 60_000);
    await utimes(file, then, then);
    feeds.apply([choice(file)]);
    await untilState('stale');
    expect(view()?.ageMs).toBeGreaterThanOrEqual(60_000);
  });

  it('refuses what leaves nothing to the other outcome, where YES here is what does not happen there', async () => {
    const file = join(folder, 'price.json');
    await writeFile(file, '{"price":1e-17}');
    feeds.apply([choice(file, { isInverted: true })]);
    await untilState('refused');
    expect(view()?.detail).toContain('the price is 1e-17');
    expect(told()).toEqual([]);
    await writeFile(file, '{"price":0.25}');
    await untilPrice(0.75);
  });

  it('withdraws its price for nonsense, and takes the next good one', async () => {
    const file = join(folder, 'price.json');
    await writeFile(file, '{"price":0.3}');
    feeds.apply([choice(file)]);
    await untilPrice(0.3);
    await writeFile(file, '{"price":1.7}');
    await untilState('refused');
    expect(view()?.detail).toBe('/price is 1.7; right would be a number strictly between 0 and 1');
    expect(faults().at(-1)?.isWithdrawn).toBe(true);
    await writeFile(file, '{"price":0.32}');
    await untilPrice(0.32);
    expect(view()?.counts.refused).toBeGreaterThanOrEqual(1);
  });

  it('trusts a lasting move of an unchanged file after three readings', async () => {
    const file = join(folder, 'price.json');
    await writeFile(file, '{"price":0.3}');
    feeds.apply([choice(file)]);
    await untilPrice(0.3);
    await writeFile(file, '{"price":0.8}');
    await untilPrice(0.8);
    expect(view()?.counts.refused).toBe(2);
  });
});

describe('a feed from an HTTP address', () => {
  it('asks again and again, with its secret, and says when it is down', async () => {
    const server = await httpPrices('{"price":0.5,"uncertainty":0.01}');
    closers.push(server.close);
    const auth = { header: 'authorization', secret: new Secret('Bearer of-odds') };
    feeds.apply([choice(server.url, { auth })]);
    await untilPrice(0.5);
    expect(server.headersSeen[0]).toBe('Bearer of-odds');
    server.answer = { status: 503, text: 'maintenance' };
    await untilState('down');
    expect(view()?.detail).toBe('answers 503');
    expect(faults().at(-1)?.isWithdrawn).toBe(false);
    server.answer = { status: 200, text: '0.51' };
    await untilPrice(0.51);
    expect(JSON.stringify(feeds.views())).not.toContain('of-odds');
  });

  it('does not read an endless answer', async () => {
    const server = await httpPrices('9'.repeat(300_000));
    closers.push(server.close);
    feeds.apply([choice(server.url)]);
    await untilState('down');
    expect(view()?.detail).toBe('answers with more than 262144 bytes');
  });

  it('takes no redirect, which could carry a secret away', async () => {
    const server = await httpPrices('0.5');
    closers.push(server.close);
    const elsewhere = await httpPrices('0.6');
    closers.push(elsewhere.close);
    server.answer = { status: 302, text: '', location: elsewhere.url };
    feeds.apply([choice(server.url)]);
    await untilState('down');
    expect(elsewhere.headersSeen).toEqual([]);
  });
});

describe('a feed from a WebSocket', () => {
  it('subscribes, takes its market only, and connects again after a cut', async () => {
    const server = await socketPrices();
    closers.push(server.close);
    const only = { field: '/symbol', value: 'A' };
    feeds.apply([choice(server.url, { only, subscribe: '{"op":"sub"}' })]);
    await eventually('the subscription', () => (server.heard.length > 0 ? true : undefined));
    expect(server.heard).toEqual(['{"op":"sub"}']);
    server.say('{"symbol":"B","price":0.9}');
    server.say('{"symbol":"A","price":0.6}');
    await untilPrice(0.6);
    server.cut();
    await untilState('down');
    await eventually('another connection', () => (server.connections() === 2 ? true : undefined));
    await eventually('the second subscription', () => server.heard[1]);
    server.say('{"symbol":"A","price":0.61}');
    await untilPrice(0.61);
    expect(view()?.counts).toMatchObject({ taken: 2, skipped: 1, refused: 0 });
  });

  it('is cut off where it tells more than a loop that quotes may read', async () => {
    const server = await socketPrices();
    closers.push(server.close);
    feeds.apply([choice(server.url)]);
    for (let connection = 1; connection <= 2; connection += 1) {
      await eventually('a connection', () =>
        server.connections() === connection ? true : undefined,
      );
      for (let step = 0; step < 20_000; step += 1) server.say('{"price":0.5}');
      await eventually('the cut', () =>
        view()?.counts.failures === connection ? true : undefined,
      );
    }
    expect(view()?.detail).toContain('more than 1000 messages');
    expect(view()?.counts.taken).toBeLessThan(11_500);
  });

  it('is cut off where it sends more pings and pongs than a loop that quotes may read', async () => {
    const server = await socketPrices();
    closers.push(server.close);
    feeds.apply([choice(server.url)]);
    await eventually('a connection', () => (server.connections() === 1 ? true : undefined));
    for (let step = 0; step < 20_000; step += 1) server.pong();
    await untilState('down');
    expect(view()?.detail).toContain('more than 1000 messages');
  });

  it.each(DRIPS)('is connected anew where its handshake comes %s', async (_, first, more) => {
    const server = await dripServer(first, more);
    closers.push(server.close);
    feeds.apply([choice(`ws://127.0.0.1:${server.port}/`, { timeoutMs: 150 })]);
    await eventually('two failures', () => (view()?.counts.failures === 2 ? true : undefined));
    expect(view()?.detail).toContain('no handshake in 150 ms');
    feeds.stop();
  });

  it('states of a burst only what is newest', async () => {
    const server = await socketPrices();
    closers.push(server.close);
    feeds.apply([choice(server.url)]);
    await eventually('a connection', () => (server.connections() === 1 ? true : undefined));
    for (let step = 0; step <= 500; step += 1) server.say(`{"price":${0.5 + step / 10_000}}`);
    await untilPrice(0.55);
    expect(told().length).toBeLessThan(50);
    expect(view()?.counts.taken).toBe(501);
  });
});

describe('a time of day that is set back', () => {
  it.each([
    ['a file', (file: string) => choice(file)],
    ['a source that dates its prices', (file: string) => choice(file, { fields: DATED })],
  ])('makes no price of %s old for good', async (_, of) => {
    const ofDay = { aheadMs: 20_000 };
    const wallMs = () => Date.now() + ofDay.aheadMs;
    const setBack = systemClock({ wallMs, steadyMs: () => performance.now() });
    ofDay.aheadMs = 0;
    expect(setBack.nowMs() - Date.now()).toBeGreaterThan(19_000);
    feeds = new FairFeeds({
      ...{ clock: setBack, timers: clock, fromTimeOfDay: setBack.fromTimeOfDay },
      ...{ random: () => 0, lookup, onUpdate: (each) => update.push(each), onState: () => {} },
    });
    const file = join(folder, 'price.json');
    await writeFile(file, JSON.stringify({ price: 0.3, at: Date.now() / 1_000 }));
    feeds.apply([of(file)]);
    await untilState('ok');
    expect(view()?.ageMs).toBeLessThan(5_000);
  });
});

describe('an option in a time of day that is set back', () => {
  it('has as much time left as before', async () => {
    const ofDay = { aheadMs: 20_000 };
    const wallMs = () => Date.now() + ofDay.aheadMs;
    const setBack = systemClock({ wallMs, steadyMs: () => performance.now() });
    ofDay.aheadMs = 0;
    setBack.nowMs();
    feeds = new FairFeeds({
      ...{ clock: setBack, timers: clock, fromTimeOfDay: setBack.fromTimeOfDay },
      ...{ random: () => 0, lookup, onUpdate: (each) => update.push(each), onState: () => {} },
    });
    const file = join(folder, 'spot.json');
    await writeFile(file, JSON.stringify({ price: 100 }));
    const digital = {
      ...{ strike: 100, strikeUpper: undefined, expiryMs: unixMs(Date.now() + 30_000) },
      ...{ volatility: 0.5, volatilityMin: 0.1, volatilityMax: 3 },
      ...{ halfLifeMs: 3_600_000, sampleMs: 10_000 },
    };
    feeds.apply([choice(file, { digital })]);
    await untilState('ok');
    expect(view()?.basis).toMatch(/, (?:30|29|28|27) s left$/);
  });
});

describe('the host of a feed', () => {
  it('is looked up as it is told, and not by the threads of the machine, which a name that hangs would hold', async () => {
    const http = await httpPrices('0.5');
    const socket = await socketPrices();
    closers.push(http.close, socket.close);
    const named = (url: string) => url.replace('127.0.0.1', 'odds.test');
    feeds.apply([
      choice(named(http.url)),
      choice(named(socket.url), {
        name: 'told',
        target: { kind: 'event', event: 'b', market: undefined },
      }),
    ]);
    await untilPrice(0.5);
    await eventually('a socket', () => (socket.connections() === 1 ? true : undefined));
    expect(names).toEqual(['odds.test', 'odds.test']);
  });
});

describe('feeds as settings change', () => {
  it('go on when unchanged, and withdraw their price when they are taken out', async () => {
    const file = join(folder, 'price.json');
    await writeFile(file, '{"price":0.3}');
    feeds.apply([choice(file)]);
    await untilPrice(0.3);
    const { sinceMs } = view() ?? {};
    feeds.apply([choice(file)]);
    expect(view()?.sinceMs).toBe(sinceMs);
    feeds.apply([]);
    expect(faults().at(-1)).toMatchObject({ isWithdrawn: true });
    expect(feeds.views()).toEqual([]);
  });

  it('restates a price that counts, for a market that appears later', async () => {
    const file = join(folder, 'price.json');
    await writeFile(file, '{"price":0.3}');
    feeds.apply([choice(file)]);
    await eventually('it twice', () => (told().length >= 2 ? true : undefined));
    const times = update.flatMap((each) => (each.kind === 'price' ? [each.statedAtMs] : []));
    expect(new Set(times).size).toBe(1);
  });
});
