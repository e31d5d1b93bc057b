import { afterEach, describe, expect, it, vi } from 'vitest';
import { startDryMarket } from '../../../src/app/dry-market.ts';
import { strategiesFor } from '../../../src/app/strategies.ts';
import { systemClock } from '../../../src/clock/system.ts';
import { marketId } from '../../../src/domain/ids.ts';
import { microShares } from '../../../src/domain/shares.ts';
import { ticks } from '../../../src/domain/ticks.ts';
import { ListedEvent } from '../../../src/paper/exchange/listed-market.ts';
import { type PaperVenue, startPaperVenue } from '../../../src/paper/server.ts';
import { loadSettings } from '../../../src/settings/load.ts';
import { isNamed } from '../../../src/settings/selected.ts';
import { listedEvent } from '../../support/listed-event.ts';

const EVENT = listedEvent('rain', 2);
const [MARKET, OTHER] = EVENT.markets;
if (MARKET === undefined || OTHER === undefined) throw new Error('two markets');
const YES = MARKET.yes.tokenId;
const shares = (count: number) => microShares(count * 1_000_000);
const at = (price: number) => ticks(EVENT.grid, price);

async function paperSettings() {
  const file = 'config/paper.yaml';
  return loadSettings({ file, env: {}, strategies: await strategiesFor(file) });
}

const running: { stop(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of running.splice(0).reverse()) await each.stop();
});

async function start(
  market?: string,
  books: 'separate' | 'unified' = 'separate',
  catalogueMs = 15_000,
) {
  const sockets = { deltaFlushMs: 5 };
  const real = await startPaperVenue({ events: [EVENT], sockets, rules: { books } });
  running.push(real);
  const requests = vi.spyOn(real.gate, 'handle');
  const frames = vi.spyOn(real.hub, 'receive');
  for (const { yes, no } of EVENT.markets) {
    real.desk.setRecordedLevel(yes.tokenId, 'bid', at(40), shares(100));
    real.desk.setRecordedLevel(yes.tokenId, 'ask', at(60), shares(100));
    real.desk.setRecordedLevel(no.tokenId, 'bid', at(35), shares(100));
  }
  const base = await paperSettings();
  const [first] = base.markets.filter(isNamed);
  if (first === undefined) throw new Error('a market');
  const settings = {
    ...base,
    venue: { ...base.venue, baseUrl: real.baseUrl, wsUrl: real.wsUrl },
    markets: [
      { ...first, event: EVENT.slug, market: market === undefined ? undefined : marketId(market) },
    ],
  };
  const clock = systemClock();
  // The looks at both books are a second apart elsewhere, those at the catalogue fifteen.
  const sooner = new Map([
    [1_000, 20],
    [15_000, catalogueMs],
  ]);
  const timers = {
    after: (delayMs: number, task: () => void) => clock.after(sooner.get(delayMs) ?? delayMs, task),
  };
  const logged: string[] = [];
  const note = (event: string) => void logged.push(event);
  const log = { info: note, warn: note, error: note };
  const dry = await startDryMarket({
    ...{ clock, timers, log, port: 0 },
    settings,
  });
  running.push(dry);
  const maker = dry.venue.exchange.accounts.named('maker');
  return {
    ...{ real, dry, logged },
    trading: (id = MARKET?.id ?? '') => dry.venue.exchange.catalogue.market(id).trading,
    own: () => dry.venue.exchange.openOrders(maker),
    bid: (price: number, size: number) =>
      dry.venue.desk.place('maker', {
        ...{ tokenId: YES, side: 'BUY', price: at(price), quantity: shares(size) },
        timeInForce: 'GTC',
      }),
    written: () => [
      ...requests.mock.calls.filter(([{ method }]) => method !== 'GET'),
      ...frames.mock.calls.filter(
        ([, text]) => !/"type":"(subscribe|unsubscribe|ping|pong)"/.test(text),
      ),
    ],
    asked: () => requests.mock.calls.length,
  };
}

async function until(holds: () => boolean): Promise<void> {
  await vi.waitFor(() => expect(holds()).toBe(true), { timeout: 20_000, interval: 10 });
}

describe('the market of a dry run', () => {
  it('has the books and trades of the real venue, simulates own orders, and writes nothing there', async () => {
    const { real, dry, trading, own, bid, written, asked } = await start();
    await until(() => trading() === 'open');
    expect(dry.venue.desk.levels(YES, 'bid')).toEqual([{ price: 40, size: shares(100) }]);
    expect(bid(45, 10).kind).toBe('accepted');
    real.desk.printRecordedTrade(YES, at(45), shares(4), 'SELL');
    await until(() => own()[0]?.restingMicro() === shares(6));
    expect(real.desk.levels(YES, 'bid')).toEqual([{ price: 40, size: shares(100) }]);
    const { total, markets } = dry.earned();
    expect(total.fills).toBe(1);
    // No chart is made of them, and half a megabyte a market ended a run of some hundred within the hour.
    expect(markets.flatMap(({ points, shownFills }) => [...points, ...shownFills])).toEqual([]);
    expect(asked()).toBeGreaterThan(0);
    expect(written()).toEqual([]);
  });

  it('ends own orders when the feed is lost, and trades on when its books have come anew', async () => {
    const { real, trading, own, bid, written, logged } = await start();
    await until(() => trading() === 'open');
    bid(45, 10);
    real.dropSockets();
    real.desk.setRecordedLevel(YES, 'bid', at(40), shares(0));
    real.desk.setRecordedLevel(YES, 'ask', at(42), shares(100));
    await until(() => trading() === 'paused');
    expect(own()).toEqual([]);
    await until(() => trading() === 'open');
    expect(own()).toEqual([]);
    expect(logged.filter((event) => event === 'dry_run.gap')).toHaveLength(2);
    expect(written()).toEqual([]);
  });

  it('counts a venue that shows one book twice once, and shows it twice as well', async () => {
    const { real, dry, trading, own, bid } = await start(undefined, 'unified');
    await until(() => trading() === 'open');
    expect(dry.venue.desk.levels(YES, 'bid')).toEqual([{ price: 40, size: shares(100) }]);
    expect(dry.venue.desk.levels(MARKET.no.tokenId, 'ask')).toEqual([
      { price: 60, size: shares(100) },
    ]);
    bid(40, 10);
    await until(() => dry.venue.desk.sizeAt(MARKET.no.tokenId, 'ask', at(60)) === shares(110));
    real.desk.printRecordedTrade(YES, at(40), shares(104), 'SELL');
    await until(() => own()[0]?.restingMicro() === shares(6));
  });

  it('mirrors the configured market of an event alone', async () => {
    const { trading } = await start(MARKET?.id);
    await until(() => trading() === 'open');
    expect(trading(OTHER?.id)).toBe('paused');
  });

  it('mirrors a market that its event gets, and an event that a filter finds, while it runs', async () => {
    const [first, second] = EVENT.markets;
    if (first === undefined || second === undefined) throw new Error('two markets');
    const real = await startPaperVenue({ events: [], sockets: { deltaFlushMs: 5 } });
    running.push(real);
    real.exchange.list({ ...EVENT, markets: [first] });
    const base = await paperSettings();
    const [named] = base.markets.filter(isNamed);
    if (named === undefined) throw new Error('a market');
    const select = {
      ...{ tag: 'cold', category: undefined, search: undefined },
      status: 'open' as const,
      ...{ max: 5, refreshSec: 10 },
    };
    const { event: _, market: __, ...rest } = named;
    const settings = {
      ...base,
      venue: { ...base.venue, baseUrl: real.baseUrl, wsUrl: real.wsUrl },
      markets: [
        { ...named, event: EVENT.slug },
        { ...rest, select },
      ],
    };
    const clock = systemClock();
    // What is done every 10 or 15 seconds is done every 50 ms here.
    const timers = {
      after: (delayMs: number, task: () => void) =>
        clock.after(delayMs >= 10_000 ? 50 : delayMs, task),
    };
    const log = { info: () => {}, warn: () => {}, error: () => {} };
    const dry = await startDryMarket({ clock, timers, log, port: 0, settings });
    running.push(dry);
    const { catalogue } = dry.venue.exchange;
    const trading = (id: string) =>
      catalogue.markets().find(({ market }) => market.id === id)?.trading;
    await until(() => trading(first.id) === 'open');
    expect(trading(second.id)).toBeUndefined();
    real.exchange.extend(EVENT);
    const snow = listedEvent('snow');
    real.exchange.list(snow, ['cold']);
    await until(() => trading(second.id) === 'open');
    await until(() => trading(snow.markets[0]?.id ?? '') === 'open');
    // The daemon asks the exchange by the same filter.
    expect(catalogue.event('snow').hasTag('cold')).toBe(true);
    real.desk.setRecordedLevel(second.yes.tokenId, 'bid', at(30), shares(70));
    await until(() => dry.venue.desk.best(second.yes.tokenId, 'bid') === 30);
    // What has resolved is asked for no more: with short markets it soon were more than anybody may ask for.
    const [cold] = snow.markets;
    if (cold === undefined) throw new Error('a market');
    real.desk.resolve(cold.id, cold.yes.tokenId);
    await until(() => trading(cold.id) === 'resolved');
    const requests = vi.spyOn(real.gate, 'handle');
    const asked = () =>
      requests.mock.calls.flatMap(([{ target }]) => /\/events\/([^/?]+)$/.exec(target)?.[1] ?? []);
    await until(() => asked().length > 3 && !asked().slice(-4).includes(snow.slug));
  });

  it('goes on where the venue lists another event under the name of one that is mirrored', async () => {
    const { real, dry, trading } = await start(undefined, 'separate', 50);
    await until(() => trading() === 'open');
    const again = new ListedEvent({ ...listedEvent('snow'), slug: EVENT.slug }, []);
    const { catalogue } = real.exchange;
    const named = vi.spyOn(catalogue, 'event').mockReturnValue(again);
    const listed = vi.spyOn(catalogue, 'events').mockReturnValue([again]);
    const asked = (): number => named.mock.calls.length + listed.mock.calls.length;
    await until(() => asked() > 2);
    expect(dry.venue.exchange.catalogue.events()).toHaveLength(1);
    expect(trading()).toBe('open');
  });

  it('looks at every book, though that of another market cannot be had', async () => {
    const { real, trading, logged } = await start();
    await until(() => trading() === 'open' && trading(OTHER?.id) === 'open');
    real.exchange.setOrderBook(real.exchange.catalogue.market(OTHER?.id ?? ''), false);
    real.dropSockets();
    await until(() => trading() === 'paused');
    await until(() => trading() === 'open');
    real.faults.muteFrames({ books: 'all' });
    const gaps = logged.filter((event) => event === 'dry_run.gap').length;
    real.desk.setRecordedLevel(YES, 'bid', at(40), shares(7));
    await until(() => logged.filter((event) => event === 'dry_run.gap').length > gaps);
    expect(gaps).toBe(2);
  });

  it('says which event the real venue does not have', async () => {
    const real: PaperVenue = await startPaperVenue({ events: [listedEvent('snow')] });
    running.push(real);
    const base = await paperSettings();
    const { baseUrl, wsUrl } = real;
    const clock = systemClock();
    const log = { info: () => {}, warn: () => {}, error: () => {} };
    const settings = { ...base, venue: { ...base.venue, baseUrl, wsUrl } };
    const start = startDryMarket({ clock, timers: clock, log, port: 0, settings });
    await expect(start).rejects.toThrow('is not on the venue: rain-tomorrow');
  });
});
