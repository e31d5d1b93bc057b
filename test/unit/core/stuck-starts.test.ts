// A start that cannot clear the account, since it lacks something, and orders that an earlier life left.

import { describe, expect } from 'vitest';
import type { CoreSettings } from '../../../src/domain/input.ts';
import type { OrderReport } from '../../../src/domain/order.ts';
import { EngineDriver, listing, settings } from '../../support/engine-driver.ts';
import { it } from '../../support/lives.ts';

/** The venue lists what it has; cancels take away what they name, or everything. */
function serve(driver: EngineDriver, open: OrderReport[]): void {
  if (driver.take('cancelAll').length > 0) open.length = 0;
  for (const hash of driver.answerCancels()) {
    const at = open.findIndex((each) => each.orderHash === hash);
    if (at !== -1) open.splice(at, 1);
  }
  driver.answerReads(open);
}

function quoting(value: CoreSettings): EngineDriver {
  const driver = new EngineDriver();
  driver.start(value);
  driver.healthyBook();
  driver.tick();
  driver.acceptPlacements();
  return driver;
}

const CATALOGUE = { kind: 'catalogue', outcome: { kind: 'ok', value: [listing()] } } as const;
const OWN = { ...settings().orders, scope: 'own' } as const;

const LACKS: Readonly<Record<string, (driver: EngineDriver) => void>> = {
  'no socket': (driver) => driver.tell(CATALOGUE),
  'no user channel': (driver) => {
    driver.tell(CATALOGUE);
    driver.tell({ kind: 'socketOpened' });
  },
  'no room on the disk': (driver) => {
    driver.ledgerFault('no space left on device');
    driver.tell(CATALOGUE);
    driver.tell({ kind: 'socketOpened' });
    driver.tell({ kind: 'authenticated' });
  },
};

describe('a start with', () => {
  for (const [what, begin] of Object.entries(LACKS)) {
    for (const scope of ['account', 'own'] as const) {
      it(`${what} cancels what rests on a market that left the settings, scope ${scope}`, ({
        lives,
      }) => {
        const orders = { ...settings().orders, scope };
        const before = quoting(settings({ orders }));
        const open = [...before.openReports()];
        expect(open).toHaveLength(2);
        const driver = lives.restored(before, settings({ orders, markets: [] }));
        begin(driver);
        driver.run(10_000, () => serve(driver, open));
        expect(driver.engine.view().phase).toBe('starting');
        expect(open).toEqual([]);
        expect(driver.reported('order.orphan')).toEqual([]);
      });
    }
  }

  it("no socket leaves somebody else's order there alone, in the own scope", ({ lives }) => {
    const before = quoting(settings({ orders: OWN }));
    const [ours, theirs] = before.openReports();
    if (ours === undefined || theirs === undefined) throw new Error('two quotes rest');
    const orphan = before.records.findLast(
      (each) => each.kind === 'order' && each.order.orderHash === theirs.orderHash,
    );
    if (orphan?.kind !== 'order') throw new Error('it is in the ledger');
    before.records.push({ ...orphan, order: { ...orphan.order, isOrphan: true } });
    const open = [ours, theirs];
    const driver = lives.restored(before, settings({ orders: OWN, markets: [] }));
    driver.tell(CATALOGUE);
    driver.run(10_000, () => serve(driver, open));
    expect(open).toEqual([theirs]);
  });
});
