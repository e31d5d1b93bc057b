import { describe, expect, it } from 'vitest';
import {
  marketId,
  outcomeId,
  type RequestId,
  type TokenId,
  tokenId,
} from '../../../../src/domain/ids.ts';
import type { Event } from '../../../../src/domain/market.ts';
import type { Level } from '../../../../src/domain/message.ts';
import { unixMs } from '../../../../src/domain/time.ts';
import { TRUST_DEFAULTS, type TrustSettings } from '../../../../src/domain/trust.ts';
import {
  balances,
  EngineDriver,
  level,
  listing,
  NO,
  settings,
  YES,
} from '../../../support/engine-driver.ts';

const HOUR_MS = 3_600_000;

type Book = { readonly bids: readonly Level[]; readonly asks: readonly Level[] };
/** YES at 30 and NO at 70, as two books that belong together. */
const AT_30: Book = { bids: [level(28, 500)], asks: [level(32, 500)] };
const AT_70: Book = { bids: [level(68, 500)], asks: [level(72, 500)] };

function quoting(trust: Partial<TrustSettings> = {}): EngineDriver {
  const driver = new EngineDriver();
  driver.start(settings({ trust: { ...TRUST_DEFAULTS, ownOrderAuditMs: 0, ...trust } }));
  tellBooks(driver, AT_30, AT_70);
  driver.tick();
  driver.acceptPlacements();
  driver.reports.length = 0;
  return driver;
}

function tellBooks(driver: EngineDriver, yes: Book, no: Book): void {
  driver.book(YES, yes.bids, yes.asks);
  driver.book(NO, no.bids, no.asks);
}

/** The venue goes on; `onRead` answers what is read of books. */
function pass(driver: EngineDriver, durationMs: number, onRead: (read: Read) => void): void {
  driver.run(durationMs, () => {
    driver.answerReads([], balances());
    driver.answerCancels();
    driver.acceptPlacements();
    for (const read of driver.take('readBook')) onRead(read);
  });
}

type Read = { readonly requestId: RequestId; readonly tokenId: TokenId };

function answer(
  driver: EngineDriver,
  requestId: RequestId,
  of: { readonly tokenId: TokenId; readonly book: Book | undefined },
): void {
  const askedAtMs = unixMs(driver.nowMs);
  const outcome =
    of.book === undefined
      ? ({ kind: 'unknown', cause: 'timeout', detail: '' } as const)
      : ({ kind: 'ok', value: of.book } as const);
  driver.tell({ kind: 'bookRead', requestId, tokenId: of.tokenId, askedAtMs, outcome });
}

function truth(driver: EngineDriver) {
  return ({ requestId, tokenId: token }: Read) =>
    answer(driver, requestId, { tokenId: token, book: token === YES ? AT_30 : AT_70 });
}

function signals(driver: EngineDriver): readonly string[] {
  return driver.reported('book.doubt').map(({ signal }) => signal);
}

/** The listing with so many more markets in its event. */
function listingWith(more: number): Event {
  const event = listing();
  const outcome = (number: number, outcomeIndex: 0 | 1) => ({
    id: outcomeId(`o-${number}-${outcomeIndex}`),
    name: outcomeIndex === 1 ? 'Yes' : 'No',
    tokenId: tokenId(`0x${outcomeIndex === 1 ? 'a' : 'b'}${number}`),
    outcomeIndex,
  });
  const others = Array.from({ length: more }, (_, number) => ({
    id: marketId(`m-other-${number}`),
    title: `Other ${number}`,
    status: 'open' as const,
    enableOrderBook: true,
    yes: outcome(number, 1),
    no: outcome(number, 0),
  }));
  return { ...event, markets: [...event.markets, ...others] };
}

describe('a book that was told under a wrong name', () => {
  it('of its sibling contradicts that sibling', () => {
    const driver = quoting();
    driver.book(YES, AT_70.bids, AT_70.asks);
    pass(driver, 3_000, () => undefined);
    expect(signals(driver)).toEqual(['parity', 'parity']);
  });

  it('both at once, which contradict nothing, are found by an audit', () => {
    const driver = quoting();
    tellBooks(driver, AT_70, AT_30);
    pass(driver, 10_000, truth(driver));
    expect(signals(driver).slice(0, 2)).toEqual(['audit', 'audit']);
  });
});

describe('audits of which no read is answered as it should be', () => {
  it('doubt nothing in an hour, and find a difference as soon as one is', () => {
    const driver = quoting();
    let reads = 0;
    pass(driver, HOUR_MS, ({ requestId, tokenId: token }) => {
      reads += 1;
      if (reads % 3 > 0) answer(driver, requestId, { tokenId: token, book: undefined });
    });
    expect(reads).toBeGreaterThan(300);
    expect(signals(driver)).toEqual([]);
    const wrong = { ...AT_30, bids: [level(28, 499)] };
    pass(driver, 40_000, ({ requestId, tokenId: token }) =>
      answer(driver, requestId, { tokenId: token, book: token === YES ? wrong : AT_70 }),
    );
    expect(signals(driver)).toContain('audit');
  });
});

describe('markets that come while a book resyncs', () => {
  it('do not keep it from being asked for again, and from a new connection in the end', () => {
    const driver = quoting({ auditsPerSec: 0 });
    driver.tell({ kind: 'bookUnreadable', tokenId: YES, detail: 'half a frame' });
    let more = 0;
    let renewals = 0;
    for (let left = 30; left > 0; left -= 1) {
      more += 1;
      const outcome = { kind: 'ok', value: [listingWith(more)] } as const;
      driver.tell({ kind: 'catalogue', outcome });
      pass(driver, 2_000, () => undefined);
      renewals += driver.take('resubscribe').filter((each) => each.tokenId === YES).length;
    }
    expect(renewals).toBe(3);
    expect(driver.take('reconnect')).toHaveLength(1);
  });
});
