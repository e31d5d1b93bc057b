import { describe, expect, it } from 'vitest';
import type { Level, VenueMessage } from '../../../../src/domain/message.ts';
import { unixMs } from '../../../../src/domain/time.ts';
import { EngineDriver, level, NO, settings, YES } from '../../../support/engine-driver.ts';
import { pass, QUIET, quoting, signals, withBid } from './trusted-books.ts';

/** Levels a side in the tests about the end of what was subscribed. */
const DEPTH = 5;

function bidsFrom(best: number, count: number): readonly Level[] {
  return Array.from({ length: count }, (_, index) => level(best - index, 500));
}

function states(driver: EngineDriver): { readonly yes: string; readonly no: string } {
  const [market] = driver.engine.view().markets;
  return market?.bookStates ?? { yes: 'none', no: 'none' };
}

describe('a doubt about a book', () => {
  it('pulls the quotes at once, asks for a snapshot, and quotes again when it comes', () => {
    const driver = quoting();
    driver.tell({ kind: 'bookUnreadable', tokenId: YES, detail: 'half a frame' });
    driver.tick();
    expect(driver.answerCancels()).toHaveLength(2);
    expect(driver.take('resubscribe')).toEqual([{ kind: 'resubscribe', tokenId: YES }]);
    expect(states(driver)).toEqual({ yes: 'resyncing', no: 'trusted' });
    driver.tick();
    expect(driver.placements()).toEqual([]);
    driver.book(YES, [level(47, 100)], [level(52, 500)]);
    driver.tick();
    expect(states(driver)).toEqual({ yes: 'trusted', no: 'trusted' });
    expect(driver.placements().flatMap(({ orders }) => orders)).toHaveLength(2);
    expect(driver.reported('book.resynced')).toMatchObject([
      { signal: 'unreadable', by: 'snapshot', wasRight: false },
    ]);
  });

  it('of one token leaves other tokens trusted', () => {
    const driver = quoting();
    driver.tell({ kind: 'bookUnreadable', tokenId: NO, detail: 'half a frame' });
    expect(states(driver)).toEqual({ yes: 'trusted', no: 'suspect' });
  });

  it('is told once for each signal, with what is wrong', () => {
    const driver = quoting();
    driver.tell({ kind: 'bookUnreadable', tokenId: YES, detail: 'half a frame' });
    driver.tell({ kind: 'bookUnreadable', tokenId: YES, detail: 'half a frame' });
    expect(driver.reported('book.doubt')).toEqual([
      { event: 'book.doubt', tokenId: YES, signal: 'unreadable', detail: 'half a frame' },
    ]);
  });
});

describe('resync', () => {
  it('is none when a book is reported for for the first time', () => {
    const driver = new EngineDriver();
    driver.start(settings({ trust: { ...QUIET, snapshotMs: 60_000 } }));
    driver.healthyBook();
    expect(states(driver)).toEqual({ yes: 'trusted', no: 'trusted' });
    expect(driver.reported('book.resynced')).toEqual([]);
  });

  it('of a first snapshot that did not come takes the time since its absence was noticed', () => {
    const driver = new EngineDriver();
    driver.start(settings({ trust: { ...QUIET, snapshotMs: 5_000 } }));
    pass(driver, 3_000);
    const [uncertain] = driver.reported('book.doubt');
    expect(uncertain).toMatchObject({ signal: 'snapshot' });
    driver.healthyBook();
    const [resynced] = driver.reported('book.resynced');
    expect(resynced?.tookMs).toBeLessThan(3_000);
    expect(resynced?.tookMs).toBeGreaterThan(0);
  });

  function ill(driver: EngineDriver): void {
    driver.tell({ kind: 'bookUnreadable', tokenId: YES, detail: 'half a frame' });
    driver.tick();
  }

  it('asks again, then over REST too, then for a new connection', () => {
    const driver = quoting();
    ill(driver);
    expect(driver.take('resubscribe')).toHaveLength(1);
    pass(driver, 6_100);
    expect(driver.take('resubscribe')).toHaveLength(1);
    // REST may be a second older than the question, so the deltas of that second come first.
    expect(driver.take('readBook')).toHaveLength(0);
    pass(driver, 1_000);
    expect(driver.take('readBook')).toHaveLength(1);
    expect(signals(driver)).toContain('snapshot');
    pass(driver, 40_000);
    expect(driver.take('reconnect')).toHaveLength(1);
  });

  it('takes a book over REST as the baseline when its deltas flow', () => {
    const driver = quoting();
    ill(driver);
    pass(driver, 7_100);
    driver.bid(YES, level(47, 9));
    driver.answerBooks(withBid(300));
    expect(states(driver).yes).toBe('trusted');
    expect(driver.reported('book.resynced')).toMatchObject([{ by: 'rest' }]);
    expect(driver.engine.view().markets[0]?.bestBid).toBe('0.48');
  });

  it('does not take it for a token of which nothing is heard', () => {
    const driver = quoting();
    ill(driver);
    pass(driver, 7_100);
    driver.answerBooks(withBid(300));
    expect(states(driver).yes).toBe('resyncing');
    driver.bid(YES, level(47, 9));
    driver.tick();
    expect(states(driver).yes).toBe('trusted');
  });

  it('replaces the connection for one book once in a while only', () => {
    const driver = quoting({ reconnectMs: 300_000 });
    ill(driver);
    pass(driver, 200_000);
    expect(driver.take('reconnect')).toHaveLength(1);
    expect(states(driver).yes).toBe('dead');
    pass(driver, 200_000);
    expect(driver.take('reconnect')).toHaveLength(1);
  });

  it('waits longer each time a book falls ill again soon after', () => {
    const driver = quoting({ reconnectMs: 300_000 });
    const waits: number[] = [];
    for (let illness = 0; illness < 4; illness += 1) {
      ill(driver);
      const startedMs = driver.nowMs;
      while (driver.take('resubscribe').length === 0 && driver.take('reconnect').length === 0) {
        pass(driver, 50);
        if (driver.nowMs - startedMs > 60_000) break;
        if (driver.take('reconnect').length > 0) break;
      }
      waits.push(driver.nowMs - startedMs);
      driver.book(YES, [level(40 + illness, 100)], [level(52, 500)]);
    }
    expect(waits[0]).toBe(0);
    expect(waits[1]).toBe(0);
    expect(waits[3]).toBeGreaterThanOrEqual(2_900);
  });

  it('begins a new epoch with the connection: every book waits for its own snapshot', () => {
    const driver = quoting();
    driver.tell({ kind: 'socketLost', reason: 'cut' });
    expect(states(driver)).toEqual({ yes: 'dead', no: 'dead' });
    driver.tell({ kind: 'socketOpened' });
    expect(states(driver)).toEqual({ yes: 'resyncing', no: 'resyncing' });
    driver.bid(YES, level(47, 5));
    expect(states(driver).yes).toBe('resyncing');
    driver.healthyBook();
    expect(states(driver)).toEqual({ yes: 'trusted', no: 'trusted' });
  });
});

describe('the signal', () => {
  it('age: a delta older than allowed by the clock of the venue', () => {
    const driver = quoting({ frameAgeMs: 5_000, clockBackMs: 60_000 });
    driver.tell({ kind: 'clockOffset', offsetMs: 2_000, roundTripMs: 1 });
    driver.bid(YES, level(40, 5), 2_900);
    expect(signals(driver)).toEqual([]);
    driver.bid(YES, level(40, 5), 3_100);
    expect(signals(driver)).toEqual(['age']);
  });

  it('age: says nothing before the clock of the venue is known', () => {
    const driver = quoting({ frameAgeMs: 5_000, clockBackMs: 600_000 });
    driver.bid(YES, level(40, 5), 300_000);
    expect(signals(driver)).toEqual([]);
  });

  it('clock: stamps that run backwards', () => {
    const driver = quoting();
    driver.bid(YES, level(40, 5), 2_500);
    expect(signals(driver)).toEqual(['clock']);
  });

  it('crossed: a book that stays crossed, and is not quoted meanwhile', () => {
    const driver = quoting({ partialUpdateMs: 400 });
    driver.bid(YES, level(53, 5));
    driver.tick();
    expect(driver.answerCancels()).toHaveLength(2);
    expect(signals(driver)).toEqual([]);
    pass(driver, 700);
    expect(signals(driver)).toEqual(['crossed']);
  });

  it('socket: a connection that is lost takes every book with it, and each is told', () => {
    const driver = quoting();
    driver.tell({ kind: 'socketLost', reason: 'cut' });
    const told = driver.reported('book.doubt');
    expect(told.map(({ signal, tokenId }) => [signal, tokenId])).toEqual([
      ['socket', YES],
      ['socket', NO],
    ]);
    driver.tell({ kind: 'socketOpened' });
    driver.healthyBook();
    expect(driver.reported('book.resynced').map((each) => [each.signal, each.by])).toEqual([
      ['socket', 'connection'],
      ['socket', 'connection'],
    ]);
  });

  it('depth: every subscribed level is gone, so what lies behind them is unknown and not empty', () => {
    const driver = quoting({ partialUpdateMs: 400 }, DEPTH);
    driver.book(YES, bidsFrom(48, DEPTH), [level(52, 500)]);
    driver.tick();
    expect(signals(driver)).toEqual([]);
    for (let price = 48; price > 48 - DEPTH; price -= 1) driver.bid(YES, level(price, 0));
    driver.tick();
    expect(driver.answerCancels().length).toBeGreaterThan(0);
    pass(driver, 700);
    expect(driver.reported('book.doubt')).toMatchObject([{ signal: 'depth', tokenId: YES }]);
  });

  it('depth: a book of fewer levels than were asked for can be empty, and is trusted', () => {
    const driver = quoting({ partialUpdateMs: 400 }, DEPTH);
    driver.book(YES, bidsFrom(48, DEPTH - 1), [level(52, 500)]);
    for (let price = 48; price > 49 - DEPTH; price -= 1) driver.bid(YES, level(price, 0));
    pass(driver, 700);
    expect(signals(driver)).toEqual([]);
  });

  it('snapshot: none after the subscription', () => {
    const driver = new EngineDriver();
    driver.start(settings({ trust: QUIET }));
    pass(driver, 6_100);
    expect(new Set(signals(driver))).toEqual(new Set(['snapshot']));
    expect(driver.take('resubscribe').length).toBeGreaterThanOrEqual(2);
  });

  it('parity: YES and NO that contradict each other, unless fresh snapshots do so too', () => {
    const driver = quoting({ parityEdge: 0.03, parityMs: 1_000 });
    driver.bid(NO, level(57, 100));
    driver.run(3_000, () => {});
    expect(signals(driver)).toEqual(['parity', 'parity']);
    driver.book(YES, [level(48, 500)], [level(52, 500)]);
    driver.book(NO, [level(57, 100)], []);
    driver.reports.length = 0;
    pass(driver, 20_000);
    expect(signals(driver)).toEqual([]);
    expect(states(driver)).toEqual({ yes: 'trusted', no: 'trusted' });
  });

  it('ownOrder: an own order that the book does not show', () => {
    const driver = quoting({ ownOrderAuditMs: 2_000 });
    pass(driver, 3_900);
    expect(signals(driver)).toEqual([]);
    pass(driver, 800);
    expect(signals(driver)).toContain('ownOrder');
  });

  it('ownOrder: pulls the quotes in the tick of the doubt, though no frame came', () => {
    const driver = quoting({ ownOrderAuditMs: 2_000 });
    driver.sent = [];
    for (let left = 100; left > 0 && signals(driver).length === 0; left -= 1) {
      expect(driver.take('cancelOrders')).toEqual([]);
      pass(driver, 50);
    }
    expect(signals(driver)).toContain('ownOrder');
    expect(driver.take('cancelOrders').flatMap((each) => each.orderHashes)).toHaveLength(2);
  });

  it('ownOrder: is quiet while the book shows the order', () => {
    const driver = quoting({ ownOrderAuditMs: 2_000 });
    const [market] = driver.engine.view().markets;
    expect(market?.ownBids).toMatchObject([{ price: '0.48', quantity: '50' }]);
    driver.book(YES, [level(48, 550)], [level(52, 500)]);
    driver.book(NO, [level(48, 50)], []);
    pass(driver, 10_000);
    expect(signals(driver)).toEqual([]);
  });

  it('ownOrder: is not raised again for an order that fresh snapshots do not show either', () => {
    const driver = quoting({ ownOrderAuditMs: 2_000 });
    pass(driver, 4_800);
    const doubts = signals(driver).length;
    driver.healthyBook();
    pass(driver, 200);
    driver.reports.length = 0;
    driver.run(1_000, () => {});
    expect(doubts).toBeGreaterThan(0);
    expect(signals(driver)).toEqual([]);
  });
});

describe('an audit over REST', () => {
  const AUDITED = { auditsPerSec: 1, auditAgeMs: 500 };

  it('doubts a book of which a level that stood still is different twice in a row', () => {
    const driver = quoting(AUDITED);
    pass(driver, 15_000, () => driver.answerBooks(withBid(499)));
    const doubts = driver.reported('book.doubt');
    expect(doubts[0]).toMatchObject({ signal: 'audit', tokenId: YES });
  });

  it('agrees with a book that is the same', () => {
    const driver = quoting(AUDITED);
    pass(driver, 30_000, () => driver.answerBooks(withBid(500)));
    expect(signals(driver)).toEqual([]);
  });

  it('does not judge a level that moved meanwhile', () => {
    const driver = quoting(AUDITED);
    pass(driver, 30_000, () => {
      driver.bid(YES, level(48, 400 + (driver.nowMs % 90)));
      driver.answerBooks(withBid(123));
    });
    expect(signals(driver)).toEqual([]);
  });

  it('takes a failed read for no answer', () => {
    const driver = quoting(AUDITED);
    pass(driver, 30_000, () => {
      for (const { requestId, tokenId } of driver.take('readBook')) {
        const outcome = { kind: 'unknown', cause: 'timeout', detail: '' } as const;
        const askedAtMs = unixMs(driver.nowMs);
        const message: VenueMessage = { kind: 'bookRead', requestId, tokenId, askedAtMs, outcome };
        driver.tell(message);
      }
    });
    expect(signals(driver)).toEqual([]);
  });

  it('hears a witness less who was wrong', () => {
    const driver = quoting(AUDITED);
    let reads = 0;
    const lie = () => {
      reads += driver.sent.filter(
        (each) => each.kind === 'readBook' && each.tokenId === YES,
      ).length;
      driver.answerBooks(withBid(499));
      // The venue's fresh snapshot says what we had all along.
      if (driver.take('resubscribe').length > 0) driver.healthyBook();
    };
    pass(driver, 30_000, lie);
    expect(driver.reported('book.resynced')).toMatchObject([{ signal: 'audit', wasRight: true }]);
    reads = 0;
    pass(driver, 20_000, lie);
    expect(reads).toBe(0);
  });

  it.each([
    { what: 'nothing else', hears: () => undefined, reconnects: 1 },
    {
      what: 'another book',
      hears: (driver: EngineDriver) => driver.bid(NO, level(30, 5)),
      reconnects: 0,
    },
  ])(
    'blames the connection where it finds a book old and nobody answers the subscription, nor $what is heard',
    ({ hears, reconnects }) => {
      const driver = quoting(AUDITED);
      pass(driver, 15_000, () => {
        hears(driver);
        driver.answerBooks(withBid(499));
      });
      expect(signals(driver)[0]).toBe('audit');
      expect(driver.take('reconnect')).toHaveLength(reconnects);
    },
  );

  it('keeps to its rate', () => {
    const driver = quoting({ auditsPerSec: 2, auditAgeMs: 500 });
    let reads = 0;
    pass(driver, 20_000, () => {
      reads += driver.sent.filter((each) => each.kind === 'readBook').length;
      driver.answerBooks(withBid(500));
    });
    expect(reads).toBeGreaterThan(15);
    expect(reads).toBeLessThanOrEqual(42);
  });

  it('goes faster where a round of all books would take too long, up to that', () => {
    const driver = quoting({ auditsPerSec: 0.05, auditRoundMs: 4_000, auditAgeMs: 500 });
    let reads = 0;
    pass(driver, 40_000, () => {
      reads += driver.sent.filter((each) => each.kind === 'readBook').length;
      driver.answerBooks(withBid(500));
    });
    expect(reads).toBeGreaterThan(15);
    expect(reads).toBeLessThanOrEqual(21);
  });

  it('stays off where it is turned off, however many books there are', () => {
    const driver = quoting({ auditsPerSec: 0, auditRoundMs: 100, auditAgeMs: 500 });
    pass(driver, 10_000);
    expect(driver.take('readBook')).toEqual([]);
  });
});

describe('the delay of the feed', () => {
  it("is how old changes are by the venue's stamps, a decayed mean", () => {
    const driver = quoting();
    expect(driver.engine.view().connection.feedDelayMs).toBeUndefined();
    driver.tell({ kind: 'clockOffset', offsetMs: 0, roundTripMs: 1 });
    driver.bid(YES, level(48, 550), 120);
    expect(driver.engine.view().connection.feedDelayMs).toBe(120);
    driver.bid(YES, level(48, 560), 20);
    expect(driver.engine.view().connection.feedDelayMs).toBeCloseTo(110);
  });
});
