// A start that cannot clear the account, since it lacks something, and orders that a previous run left.

import { describe, expect } from 'vitest';
import type { CoreSettings } from '../../../src/domain/input.ts';
import type { OrderReport } from '../../../src/domain/order.ts';
import { EngineDriver, listing, reportOf, settings } from '../../support/engine-driver.ts';
import { it } from '../../support/runs.ts';

/** The venue lists what it has; cancels take away what they name, or everything, and tell how many. */
function serve(driver: EngineDriver, open: OrderReport[]): void {
  for (const { requestId } of driver.take('cancelAll')) {
    const outcome = { kind: 'accepted', cancelled: open.length, failed: 0 } as const;
    open.length = 0;
    driver.tell({ kind: 'cancelled', requestId, outcome });
  }
  for (const { requestId, orderHashes } of driver.take('cancelOrders')) {
    const found = open.filter((each) => orderHashes.includes(each.orderHash));
    open.splice(0, open.length, ...open.filter((each) => !found.includes(each)));
    const failed = orderHashes.length - found.length;
    const outcome = { kind: 'accepted', cancelled: found.length, failed } as const;
    driver.tell({ kind: 'cancelled', requestId, outcome });
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

function quotes(driver: EngineDriver): readonly OrderReport[] {
  const found = driver.acceptPlacements().map(({ hash, order }) => reportOf(hash, order));
  expect(found).not.toEqual([]);
  return found;
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
        runs,
      }) => {
        const orders = { ...settings().orders, scope };
        const before = quoting(settings({ orders }));
        const open = [...before.openReports()];
        expect(open).toHaveLength(2);
        const driver = runs.restored(before, settings({ orders, markets: [] }));
        begin(driver);
        driver.run(10_000, () => serve(driver, open));
        expect(driver.engine.view().phase).toBe('starting');
        expect(open).toEqual([]);
        expect(driver.reported('order.external')).toEqual([]);
      });

      for (const where of ['a market that left the settings', 'a quoted one'] as const) {
        it(`${what} tells in its proof what it took back from ${where}, each once, scope ${scope}`, ({
          runs,
        }) => {
          const orders = { ...settings().orders, scope };
          const before = quoting(settings({ orders }));
          const open = [...before.openReports()];
          const markets = where === 'a quoted one' ? settings().markets : [];
          const driver = runs.restored(before, settings({ orders, markets }));
          begin(driver);
          driver.run(10_000, () => serve(driver, open));
          driver.ledgerFault(undefined);
          driver.tell({ kind: 'socketOpened' });
          driver.tell({ kind: 'authenticated' });
          driver.run(10_000, () => serve(driver, open));
          expect(driver.reported('start.cleared')).toMatchObject([{ cancelled: 2 }]);
        });
      }
    }
  }

  it('what an operator resumes tells of nothing that was cancelled while it quoted', () => {
    const driver = new EngineDriver();
    const open: OrderReport[] = [];
    driver.start();
    driver.run(6_000, () => {
      driver.healthyBook();
      serve(driver, open);
    });
    open.push(...quotes(driver));
    driver.settings(settings({ markets: [] }));
    driver.run(3_000, () => serve(driver, open));
    expect(open).toEqual([]);
    driver.operator('kill');
    driver.run(20_000, () => serve(driver, open));
    driver.operator('resume');
    driver.run(20_000, () => serve(driver, open));
    expect(driver.reported('kill.confirmed')).toMatchObject([{ cancelled: 0 }]);
    expect(driver.reported('start.cleared')).toMatchObject([{ cancelled: 0 }, { cancelled: 0 }]);
  });

  it('an order that is listed on though no cancel counts it goes on around it', () => {
    const before = quoting(settings());
    const [left] = before.openReports();
    if (left === undefined) throw new Error('two quotes rest');
    const driver = new EngineDriver();
    driver.settings(settings());
    driver.tell(CATALOGUE);
    driver.tell({ kind: 'socketOpened' });
    driver.tell({ kind: 'authenticated' });
    driver.run(10_000, () => {
      driver.answerReads([left]);
      for (const { requestId } of [...driver.take('cancelAll'), ...driver.take('cancelOrders')]) {
        const outcome = { kind: 'accepted', cancelled: 0, failed: 0 } as const;
        driver.tell({ kind: 'cancelled', requestId, outcome });
      }
    });
    expect(driver.engine.view()).toMatchObject({
      phase: 'quoting',
      uncancellable: [left.orderHash],
    });
  });

  it("no socket leaves somebody else's order there alone, in the own scope", ({ runs }) => {
    const before = quoting(settings({ orders: OWN }));
    const [ours, theirs] = before.openReports();
    if (ours === undefined || theirs === undefined) throw new Error('two quotes rest');
    const external = before.records.findLast(
      (each) => each.kind === 'order' && each.order.orderHash === theirs.orderHash,
    );
    if (external?.kind !== 'order') throw new Error('it is in the ledger');
    before.records.push({ ...external, order: { ...external.order, isExternal: true } });
    const open = [ours, theirs];
    const driver = runs.restored(before, settings({ orders: OWN, markets: [] }));
    driver.tell(CATALOGUE);
    driver.run(10_000, () => serve(driver, open));
    expect(open).toEqual([theirs]);
  });
});
