// A pause that comes while the account is being cleared, or that was there before the life began.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { OrderReport } from '../../../src/domain/order.ts';
import { unixMs } from '../../../src/domain/time.ts';
import { type Ledger, openLedger } from '../../../src/journal/ledger/ledger.ts';
import { EngineDriver, listing, settings } from '../../support/engine-driver.ts';

let folder = '';
let ledger: Ledger;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bookend-paused-'));
  const path = join(folder, 'bookend.db');
  ledger = await openLedger({ path, clock: { nowMs: () => unixMs(1_700_000_000_000) } });
});
afterEach(async () => {
  ledger.close();
  await rm(folder, { recursive: true, force: true });
});

/** The venue lists what it has; cancels take away what they name, or everything. */
function serve(driver: EngineDriver, open: OrderReport[]): void {
  if (driver.sent.some(({ kind }) => kind === 'cancelAll')) open.length = 0;
  for (const hash of driver.answerCancels()) {
    const at = open.findIndex((each) => each.orderHash === hash);
    if (at !== -1) open.splice(at, 1);
  }
  driver.answerReads(open);
}

/** A life that was paused, and whose host died before a cancel left it. */
function leftPaused(): { readonly driver: EngineDriver; readonly open: OrderReport[] } {
  const driver = new EngineDriver();
  driver.start();
  driver.healthyBook();
  driver.tick();
  driver.acceptPlacements();
  driver.operator('pause');
  const open = [...driver.openReports()];
  ledger.commit(driver.records);
  return { driver, open };
}

describe('a pause while an account is being cleared', () => {
  it('lets it be cleared, and calls that by its name', () => {
    const driver = new EngineDriver();
    driver.settings(settings());
    driver.tell({ kind: 'catalogue', outcome: { kind: 'ok', value: [listing()] } });
    driver.tell({ kind: 'socketOpened' });
    driver.tell({ kind: 'authenticated' });
    const open: OrderReport[] = [];
    driver.run(200, () => serve(driver, open));
    expect(driver.engine.view().phase).toBe('clearing');
    driver.operator('pause');
    driver.run(3_000, () => serve(driver, open));
    expect(driver.reported('kill.proven')).toEqual([]);
    expect(driver.reported('start.cleared')).toHaveLength(1);
    expect(driver.engine.view().phase).toBe('paused');
    driver.operator('resume');
    driver.run(100, () => serve(driver, open));
    expect(driver.engine.view().phase).toBe('quoting');
  });
});

describe('a life that begins paused', () => {
  it.each(['configured', 'not configured'] as const)(
    'takes back what rests of the one before, on a market that is %s',
    (which) => {
      const { driver: before, open } = leftPaused();
      const driver = new EngineDriver();
      driver.nowMs = before.nowMs + 1_000;
      const base = settings();
      driver.settings(which === 'configured' ? base : { ...base, markets: [] });
      driver.restore(ledger.load());
      driver.tell({ kind: 'catalogue', outcome: { kind: 'ok', value: [listing()] } });
      driver.tell({ kind: 'socketOpened' });
      driver.tell({ kind: 'authenticated' });
      driver.run(20_000, () => serve(driver, open));
      expect(driver.engine.view().phase).toBe('paused');
      expect(open).toEqual([]);
      expect(driver.reported('kill.proven')).toEqual([]);
      expect(driver.placements()).toEqual([]);
    },
  );
});
