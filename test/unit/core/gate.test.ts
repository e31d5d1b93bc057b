// What keeps an account or a market from being quoted, whatever limits and controls say: each holds against a
// strategy that never stops wishing, has a code that the RUNBOOK explains, and ends with its cause.

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { EngineDriver, level, settings, YES } from '../../support/engine-driver.ts';
import { scraped } from '../../support/scraped.ts';
import { ask, bid, placed, wishing } from '../../support/wanted.ts';

const RUNBOOK = readFileSync(new URL('../../../ops/RUNBOOK.md', import.meta.url), 'utf8');

type Gate = {
  readonly code: string;
  readonly close: (driver: EngineDriver) => void;
  readonly open: (driver: EngineDriver) => void;
  /** What comes later than this is another flush of the venue. */
  readonly heldMs?: number;
};

const books = (driver: EngineDriver): void => driver.healthyBook();
const authenticate = (driver: EngineDriver): void => driver.tell({ kind: 'authenticated' });
const tear = (driver: EngineDriver): void =>
  driver.tell({ kind: 'bookUnreadable', tokenId: YES, detail: 'half a frame' });

/** The connection is back without a session; its books are there. */
function reconnected(driver: EngineDriver): void {
  driver.tell({ kind: 'socketLost', reason: 'cut' });
  driver.tell({ kind: 'socketOpened' });
  books(driver);
}

const GATES: readonly Gate[] = [
  {
    code: 'socket_lost',
    close: (driver) => driver.tell({ kind: 'socketLost', reason: 'cut' }),
    open: (driver) => {
      driver.tell({ kind: 'socketOpened' });
      authenticate(driver);
      books(driver);
    },
  },
  { code: 'user_channel_down', close: reconnected, open: authenticate },
  {
    code: 'credentials_refused',
    close: (driver) => {
      reconnected(driver);
      driver.tell({ kind: 'authRefused', detail: 'x' });
    },
    open: authenticate,
  },
  {
    code: 'ledger_not_writable',
    close: (driver) => driver.ledgerFault('disk full'),
    open: (driver) => driver.ledgerFault(undefined),
  },
  { code: 'no_book', close: tear, open: books },
  {
    code: 'partial_update',
    close: (driver) => driver.bid(YES, level(55, 10)),
    open: (driver) => driver.bid(YES, level(55, 0)),
    heldMs: 50,
  },
  {
    // One that falls ill again and again is asked for anew ever later.
    code: 'suspect_book',
    close: (driver) => {
      for (let relapse = 0; relapse < 3; relapse += 1) {
        books(driver);
        tear(driver);
        driver.tick();
      }
    },
    open: books,
  },
  {
    // No subscription, no read and no new connection has brought it.
    code: 'dead_book',
    close: (driver) => {
      tear(driver);
      driver.run(90_000, () => attend(driver));
    },
    open: books,
  },
];

/** Reads and cancels are answered; a placement never is, so that each of them is seen. */
function attend(driver: EngineDriver): void {
  driver.answerReads(driver.openReports());
  driver.answerCancels();
}

const reasonOf = (driver: EngineDriver) => driver.engine.view().markets[0]?.bidReason;

/** Quoted by a strategy whose target quotes move with every look, so that there is always something to place. */
function tempted(): EngineDriver {
  let looks = 0;
  const moving = () => {
    looks += 1;
    return [bid(46 + (looks % 3), 50), ask(52 + (looks % 3), 50)];
  };
  const driver = new EngineDriver([wishing(moving)]);
  driver.start(settings());
  books(driver);
  driver.run(200);
  expect(placed(driver)).toHaveLength(2);
  driver.acceptPlacements();
  return driver;
}

describe('a gate that is closed', () => {
  it.each(GATES)('$code lets nothing through while it is, and says so', (gate) => {
    const { code, close, open, heldMs = 1_000 } = gate;
    const driver = tempted();
    close(driver);
    driver.tick();
    placed(driver);
    driver.run(heldMs, () => attend(driver));
    expect(placed(driver)).toEqual([]);
    expect(reasonOf(driver)?.code).toBe(code);
    open(driver);
    driver.run(5_000, () => attend(driver));
    expect(placed(driver).length).toBeGreaterThan(0);
  });

  it.each(GATES)('$code is explained to operators by its code', ({ code }) => {
    expect(RUNBOOK).toContain(`\`${code}\``);
  });

  it.each(GATES)('$code is a series of its market and side', async ({ code, close }) => {
    const driver = tempted();
    close(driver);
    driver.tick();
    driver.tick();
    const metrics = scraped({ view: () => driver.engine.view(), version: '1' });
    const series = `bookend_unquoted_info{market="m-1",side="bid",reason="${code}"} 1`;
    expect(await metrics.text()).toContain(series);
  });
});
