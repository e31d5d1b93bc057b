import { describe, expect } from 'vitest';
import type { OrderReport } from '../../../src/domain/order.ts';
import { EngineDriver, listing, settings } from '../../support/engine-driver.ts';
import { it } from '../../support/runs.ts';

/** The venue lists what it has; cancels take away what they name, or everything. */
function serve(driver: EngineDriver, open: OrderReport[]): void {
  if (driver.sent.some(({ kind }) => kind === 'cancelAll')) open.length = 0;
  for (const hash of driver.answerCancels()) {
    const at = open.findIndex((each) => each.orderHash === hash);
    if (at !== -1) open.splice(at, 1);
  }
  driver.answerReads(open);
}

/** A run that was paused, and whose host died before a cancel left it. */
function leftPaused(): { readonly driver: EngineDriver; readonly open: OrderReport[] } {
  const driver = new EngineDriver();
  driver.start();
  driver.healthyBook();
  driver.tick();
  driver.acceptPlacements();
  driver.operator('pause');
  const open = [...driver.openReports()];
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
    // The venue takes its time with the cancel.
    driver.run(200, () => driver.answerReads(open));
    expect(driver.engine.view().phase).toBe('clearing');
    driver.operator('pause');
    driver.run(3_000, () => serve(driver, open));
    expect(driver.reported('kill.confirmed')).toEqual([]);
    expect(driver.reported('start.cleared')).toHaveLength(1);
    expect(driver.engine.view().phase).toBe('paused');
    driver.operator('resume');
    driver.run(100, () => serve(driver, open));
    expect(driver.engine.view().phase).toBe('quoting');
  });
});

describe('a run that begins paused', () => {
  it.for(['configured', 'not configured'] as const)(
    'takes back what rests of the one before, on a market that is %s',
    (which, { runs }) => {
      const { driver: before, open } = leftPaused();
      const base = settings();
      const markets = which === 'configured' ? base.markets : [];
      const driver = runs.restored(before, { ...base, markets });
      driver.tell({ kind: 'catalogue', outcome: { kind: 'ok', value: [listing()] } });
      driver.tell({ kind: 'socketOpened' });
      driver.tell({ kind: 'authenticated' });
      driver.run(20_000, () => serve(driver, open));
      expect(driver.engine.view().phase).toBe('paused');
      expect(open).toEqual([]);
      expect(driver.reported('kill.confirmed')).toEqual([]);
      expect(driver.placements()).toEqual([]);
    },
  );
});
