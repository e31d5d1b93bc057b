// A clock that was minutes ahead in one run and is right in the next: the venue dated what it lists, and our
// own dates are later than that.

import { describe, expect } from 'vitest';
import { orderHash } from '../../../src/domain/ids.ts';
import { unixMs } from '../../../src/domain/time.ts';
import { EngineDriver, listing, reportOf, settings, YES } from '../../support/engine-driver.ts';
import { ListedAccount } from '../../support/listed-account.ts';
import { it } from '../../support/runs.ts';

const RESTING = orderHash('0x4a3d');
const OWN = { ...settings(), orders: { ...settings().orders, scope: 'own' as const } };

const CASES = [
  { aheadMs: 0, laterMs: 180_000 },
  { aheadMs: 600_000, laterMs: 180_000 },
  { aheadMs: 600_000, laterMs: 720_000 },
  { aheadMs: 240_000, laterMs: 300_000 },
].flatMap((each) => [OWN.markets, []].map((markets) => ({ ...each, markets })));

describe('a placement without an answer that rests, where others trade', () => {
  it.for(CASES)(
    'is ours in a next run $laterMs ms later, of a clock $aheadMs ms ahead',
    ({ aheadMs, laterMs, markets }, { runs }) => {
      const first = new EngineDriver();
      first.start(OWN);
      first.tell({ kind: 'clockOffset', offsetMs: -aheadMs, roundTripMs: 20 });
      first.healthyBook();
      first.tick();
      const orders = first.placements().flatMap((write) => write.orders);
      const bid = orders.find(({ side, tokenId }) => side === 'BUY' && tokenId === YES);
      if (bid === undefined) throw new Error('a bid was placed');
      const createdAtMs = unixMs(first.nowMs - aheadMs);
      first.tick();
      runs.ledger.commit(first.records);
      const driver = new EngineDriver();
      driver.nowMs = createdAtMs + laterMs;
      driver.settings({ ...OWN, markets });
      driver.restore(runs.ledger.load());
      driver.tell({ kind: 'clockOffset', offsetMs: 0, roundTripMs: 20 });
      driver.tell({ kind: 'catalogue', outcome: { kind: 'ok', value: [listing()] } });
      driver.tell({ kind: 'socketOpened' });
      driver.tell({ kind: 'authenticated' });
      const account = new ListedAccount(driver, 'silent');
      account.open = [{ ...reportOf(RESTING, bid), createdAtMs }];
      account.run(6_000);
      expect(account.cancelled).toContain(RESTING);
    },
  );
});
