// The real core and client live a short life under each answer that the interface leaves open: they
// start, quote, are filled, follow a pause, cancel, and confirm a kill.

import { afterEach, describe, expect, it, vi } from 'vitest';
import { readFittingBy } from '../../src/app/selection.ts';
import { CardFailure } from '../../src/cli/doctor/card.ts';
import type { ReadOutcome } from '../../src/domain/message.ts';
import { shares } from '../../src/domain/shares.ts';
import type { PaperOptions } from '../../src/paper/options.ts';
import type { Listing } from '../../src/venue/http/events.ts';
import { ANSWERS, type Answer } from './answers.ts';
import { type DaemonChange, TestDaemon } from './bench/daemon.ts';
import {
  Lab,
  type LabVenue,
  NO,
  pause,
  RACE_EVENT,
  RAIN_EVENT,
  RAIN_MARKET,
  secretsOf,
  soon,
} from './bench/lab.ts';

vi.setConfig({ maxConcurrency: 12, testTimeout: 60_000 });

/** Where both legs are quoted between 0.40 and 0.60, in ticks. */
const OLD_PRICE = 48;

const labs: Lab[] = [];

afterEach(async () => {
  // Tests run beside one another: what has ended is cleaned up by whoever ends last.
  await Promise.all(labs.splice(0).map(async (lab) => await lab.stop()));
});

type Run = { readonly venue: LabVenue; readonly daemon: TestDaemon };

async function begin(lab: Lab, venue: Partial<PaperOptions>, change: DaemonChange): Promise<Run> {
  const rules = { partiallyFilledCancellable: true, ...venue.rules };
  const started = await lab.start({ timeScale: 0.01, ...venue, rules });
  started.crowd('BUY', '0.40', 500);
  started.crowd('BUY', '0.40', 500, { tokenId: NO });
  const daemon = new TestDaemon(started.venue, change);
  lab.atEnd(async () => await daemon.stop());
  await daemon.untilQuoting();
  await soon('its orders in the book', () => resting(started).length === 2);
  return { venue: started, daemon };
}

/** What rests for the daemon, as the venue itself knows it. */
function resting({ venue }: LabVenue) {
  const { exchange } = venue;
  const { books } = exchange.context;
  const market = exchange.catalogue.market(RAIN_MARKET.id);
  return books
    .of(market)
    .orders()
    .filter(({ terms }) => terms.account.name === 'maker');
}

/** The next fill is of the best bid, whichever leg carries it. */
async function fill({ venue, daemon }: Run): Promise<void> {
  const [best] = resting(venue).filter(({ terms }) => terms.side === 'BUY');
  if (!best) throw new CardFailure('the daemon has a bid');
  const { tokenId } = best.terms.outcome;
  venue.crowd('SELL', (best.terms.price / 100).toFixed(2), 20, { tokenId, timeInForce: 'FAK' });
  await daemon.until('the fill', ({ markets: [market] }) => (market?.fills ?? 0) > 0);
  await daemon.until('its settlement', ({ markets: [market] }) => {
    return Number(market?.settledYes) + Number(market?.settledNo) === 20;
  });
}

const CALM_MS = 100;

/** Nothing is under way: a placement that meets a pause is refused, and its side rests for long. */
async function untilCalm({ daemon }: Run): Promise<void> {
  let busyAtMs = performance.now();
  await daemon.until(
    'a calm moment',
    ({ ordersByState: { intended, sending, unknown, cancelling } }) => {
      if (intended + sending + unknown + cancelling > 0) busyAtMs = performance.now();
      return performance.now() - busyAtMs > CALM_MS;
    },
  );
}

async function pauseAndResume({ venue, daemon }: Run, leavesPart: boolean): Promise<void> {
  venue.venue.desk.setTradingStatus(RAIN_MARKET.id, 'paused');
  await daemon.until('quotes pulled', () => {
    return daemon.reasons().every((code) => code?.startsWith('market_') === true || leavesPart);
  });
  await soon('nothing resting', () => leavesPart || resting(venue).length === 0);
  venue.venue.desk.setTradingStatus(RAIN_MARKET.id, 'open');
  await daemon.until('quotes again', ({ markets: [market] }) => {
    return (market?.ownBids.length ?? 0) + (market?.ownAsks.length ?? 0) > 0;
  });
}

async function killConfirmed({ venue, daemon }: Run): Promise<void> {
  daemon.operator('kill');
  await daemon.untilPhase('killed');
  await soon('nothing resting', () => resting(venue).length === 0);
}

/** Shares and cash as the daemon trusts them and as the venue has them. */
function agreesWithVenue({ venue, daemon }: Run): void {
  const { exchange } = venue.venue;
  const account = exchange.accounts.named('maker');
  const [market] = daemon.view().markets;
  const venues = [RAIN_MARKET.yes, RAIN_MARKET.no].map(({ tokenId }) => {
    return account.holding(tokenId).settledMicro / 1_000_000;
  });
  expect([market?.settledYes, market?.settledNo].map(Number)).toEqual(venues);
}

async function liveUnder(answer: Answer, lab: Lab): Promise<Run> {
  const run = await begin(lab, answer.venue ?? {}, answer.daemon ?? {});
  if (answer.strike) {
    answer.strike(run.venue.venue);
    // A moved book makes it write into whatever goes wrong.
    run.venue.crowd('BUY', '0.44', 500);
    await soon('both orders at the new book', () => {
      const prices = resting(run.venue).map(({ terms }) => Number(terms.price));
      return prices.length === 2 && prices.every((price) => price !== OLD_PRICE);
    });
    await run.daemon.untilQuoting();
  }
  await fill(run);
  await untilCalm(run);
  await pauseAndResume(run, answer.leavesPart === true);
  if (answer.leavesPart)
    run.venue.venue.exchange.setTradingStatus(
      run.venue.venue.exchange.catalogue.market(RAIN_MARKET.id),
      'closed',
    );
  await killConfirmed(run);
  agreesWithVenue(run);
  return run;
}

describe.concurrent('the daemon runs under', () => {
  it.for(ANSWERS)('$switch = $to (rows $rows)', async (answer, { expect }) => {
    const lab = new Lab();
    try {
      const { daemon } = await liveUnder(answer, lab);
      expect(daemon.of('kill.confirmed').length).toBeGreaterThan(0);
    } finally {
      await lab.stop();
    }
  });
});

describe.concurrent('a session whose credentials die', () => {
  it.for([
    { revokedSession: 'close', failureCodes: true },
    { revokedSession: 'error', failureCodes: true },
    { revokedSession: 'nothing', failureCodes: true },
    { revokedSession: 'error', failureCodes: false },
    { revokedSession: 'nothing', failureCodes: false },
  ] as const)(
    'is renewed when the venue says $revokedSession, with codes: $failureCodes',
    async (dialect, { expect }) => {
      const lab = new Lab();
      try {
        const venue = await lab.start({ dialect });
        let keys = venue.keys;
        let next = keys;
        const credentials = {
          current: () => secretsOf(keys),
          reload: () => {
            const isOther = keys !== next;
            keys = next;
            return Promise.resolve(isOther);
          },
        };
        venue.crowd('BUY', '0.40', 500);
        venue.crowd('BUY', '0.40', 500, { tokenId: NO });
        const daemon = new TestDaemon(venue.venue, { credentials });
        lab.atEnd(async () => await daemon.stop());
        await daemon.untilQuoting();
        next = venue.venue.regenerate('maker');
        const before = daemon.of('venue.socket').filter(({ state }) => state === 'authenticated');
        await daemon.until('a new session', () => {
          const all = daemon.of('venue.socket').filter(({ state }) => state === 'authenticated');
          return all.length > before.length;
        });
        await daemon.untilQuoting();
        await pause(100);
        expect(daemon.view().connection.authenticated).toBe(true);
        expect(resting(venue)).toHaveLength(2);
      } finally {
        await lab.stop();
      }
    },
  );
});

describe.concurrent('shares that rest to be sold', () => {
  it.for([
    { shareAmounts: 'all', sharesIncludeHold: true },
    { shareAmounts: 'free', sharesIncludeHold: false },
  ] as const)(
    'are there where the venue shows $shareAmounts of them',
    async ({ shareAmounts, sharesIncludeHold }, { expect }) => {
      const lab = new Lab();
      try {
        const venue = await lab.start({ timeScale: 0.01, dialect: { shareAmounts } });
        const { exchange } = venue.venue;
        const maker = exchange.accounts.named('maker');
        const market = exchange.catalogue.market(RAIN_MARKET.id);
        venue.crowd('BUY', '0.40', 500);
        venue.crowd('BUY', '0.40', 500, { tokenId: NO });
        exchange.chain.split(maker, market, shares(100));
        // What the index shows late would be a difference of its own.
        const shown = () => maker.holding(RAIN_MARKET.yes.tokenId).indexedMicro === shares(100);
        await soon('the shares over REST', shown);
        const daemon = new TestDaemon(venue.venue, { choices: { sharesIncludeHold } });
        lab.atEnd(async () => await daemon.stop());
        await daemon.untilQuoting();
        const sells = () => resting(venue).filter(({ terms }) => terms.side === 'SELL');
        await soon('both quotes as sales', () => sells().length === 2);
        await pause(1_000);
        expect(daemon.of('position.differs')).toEqual([]);
        agreesWithVenue({ venue, daemon });
      } finally {
        await lab.stop();
      }
    },
  );
});

describe('a market without an order book', () => {
  it('is sent nothing, quoted once it has one, and left when it has none again', async () => {
    const lab = new Lab();
    labs.push(lab);
    const venue = await lab.start({ timeScale: 0.01 });
    const { exchange } = venue.venue;
    const market = exchange.catalogue.market(RAIN_MARKET.id);
    exchange.setOrderBook(market, false);
    const daemon = new TestDaemon(venue.venue);
    lab.atEnd(async () => await daemon.stop());
    await daemon.until('the reason', () => daemon.reasons().includes('market_closed'));
    expect(resting(venue)).toEqual([]);
    exchange.setOrderBook(market, true);
    venue.crowd('BUY', '0.40', 500);
    venue.crowd('BUY', '0.40', 500, { tokenId: NO });
    await daemon.untilQuoting();
    await soon('its orders in the book', () => resting(venue).length === 2);
    exchange.setOrderBook(market, false);
    await daemon.until('no quotes', ({ markets: [shown] }) => {
      return shown?.bidReason?.detail.includes('enableOrderBook: false') === true;
    });
    expect(resting(venue)).toEqual([]);
    expect(daemon.of('control.tripped')).toEqual([]);
  });
});

function slugs(read: ReadOutcome<Listing>): readonly string[] {
  if (read.kind !== 'ok') throw new Error(`a listing expected, not ${read.kind}`);
  return read.value.events.map(({ slug }) => slug);
}

describe('the client alone', () => {
  it('reads a single cancel with and without counts', async () => {
    const lab = new Lab();
    labs.push(lab);
    for (const singleCancel of ['counts', 'empty'] as const) {
      const venue = await lab.start({ dialect: { singleCancel } });
      const client = venue.client();
      await venue.rests();
      const orders = await client.readOpenOrders();
      const [order] = orders.kind === 'ok' ? orders.value : [];
      if (!order) throw new Error('one order rests');
      const outcome = await client.cancelOrder(order.orderHash);
      expect(outcome).toEqual({ kind: 'accepted', cancelled: 1, failed: 0 });
    }
  });

  it('splits sets in the unit that the venue takes', async () => {
    const lab = new Lab();
    labs.push(lab);
    const units = { usdc: 'decimalText', micro: 'microText' } as const;
    for (const unit of ['usdc', 'micro'] as const) {
      const venue = await lab.start({ dialect: { chainAmount: unit } });
      const client = venue.client(venue.keys, { choices: { chainAmount: units[unit] } });
      const change = { eventId: RAIN_EVENT.id, marketId: undefined, amount: shares(5) };
      expect(await client.splitSets(change)).toMatchObject({ kind: 'accepted' });
      expect(venue.venue.exchange.accounts.named('maker').cashNano).toBe(9_995_000_000_000n);
    }
  });

  it.each([
    { listWithoutStatus: 'all', closed: ['race'] },
    { listWithoutStatus: 'open', closed: [] },
  ] as const)(
    'reads a wanted event that has closed by its name: $listWithoutStatus',
    async ({ listWithoutStatus, closed }) => {
      const lab = new Lab();
      labs.push(lab);
      const venue = await lab.start({ dialect: { listWithoutStatus } });
      for (const { id } of RACE_EVENT.markets) venue.venue.desk.setTradingStatus(id, 'closed');
      const client = venue.client();
      expect(slugs(await client.readAllEvents())).toEqual(['rain', ...closed]);
      expect(slugs(await client.readNamedEvents(['race', 'rain']))).toEqual(['race', 'rain']);
    },
  );

  it.each([
    { listFilters: 'heeded', found: ['rain'], unheeded: undefined },
    { listFilters: 'ignored', found: ['rain', 'race'], unheeded: ['tag', 'search'] },
  ] as const)(
    'knows a filter that the venue does not heed: $listFilters',
    async ({ listFilters, found, unheeded }) => {
      const lab = new Lab();
      labs.push(lab);
      const venue = await lab.start({ dialect: { listFilters } });
      const words = { tag: 'daily', category: undefined, search: 'rain', status: 'open' } as const;
      const read = await readFittingBy(venue.client())(words);
      expect(slugs(read)).toEqual(found);
      expect(read).toMatchObject({ value: unheeded ? { unheeded } : {} });
      expect('unheeded' in (read.kind === 'ok' ? read.value : {})).toBe(unheeded !== undefined);
    },
  );

  it('reads candles by the id that the venue takes', async () => {
    const lab = new Lab();
    labs.push(lab);
    const ids = { outcomeId: RAIN_MARKET.yes.id, tokenId: RAIN_MARKET.yes.tokenId };
    for (const klineOutcome of ['outcomeId', 'tokenId'] as const) {
      const venue = await lab.start({ dialect: { klineOutcome } });
      const read = await venue.client().readCandles({ outcomeId: ids[klineOutcome] });
      expect(read.kind).toBe('ok');
    }
  });
});
