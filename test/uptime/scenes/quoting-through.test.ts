// What a user of the built program sees, judged by the records of a venue that shares no line with it:
// one scene for each fault that once kept quotes away. `npm run uptime` plays them longer.

import { beforeAll, describe, it } from 'vitest';
import { ensureBuilt } from '../../support/build.ts';
import type { Outcome } from '../rig/run-row.ts';
import { type FaultRow, faultRows, SHORT } from '../rows.ts';

const ROWS = faultRows(SHORT);
/** Of a process with a processor to itself: what it waited for one is taken off. */
const FIRST_QUOTE_MS = 1_000;
const FIRST_QUOTE_AFTER_CANCELS_MS = 2_000;
const RECOVERED_MS = 2_000;
const UPTIME = 0.97;

beforeAll(ensureBuilt);

async function played(row: FaultRow): Promise<Outcome & { readonly ownFirstQuoteMs: number }> {
  const outcome = await ROWS[row].run('bookend', { isLight: true });
  const { firstQuoteMs = Number.POSITIVE_INFINITY } = outcome.verdict;
  return { ...outcome, ownFirstQuoteMs: firstQuoteMs - outcome.waitedMs };
}

/** Nothing doubled, no limit broken. */
const SAFE = { breaches: [], duplicates: 0 };

describe.concurrent('bookend on a venue it has never met', () => {
  it('quotes a clean account within a second', async ({ expect }) => {
    const { verdict, ownFirstQuoteMs } = await played('clean');
    expect(verdict).toMatchObject(SAFE);
    expect(ownFirstQuoteMs).toBeLessThanOrEqual(FIRST_QUOTE_MS);
  });

  it('takes settled shares as its opening position and quotes within a second', async ({
    expect,
  }) => {
    const { verdict, ownFirstQuoteMs } = await played('opening');
    expect(verdict).toMatchObject(SAFE);
    expect(ownFirstQuoteMs).toBeLessThanOrEqual(FIRST_QUOTE_MS);
  });

  it('cancels what an earlier process left, and quotes within two seconds', async ({ expect }) => {
    const { verdict, ownFirstQuoteMs } = await played('earlier');
    expect(verdict).toMatchObject(SAFE);
    expect(ownFirstQuoteMs).toBeLessThanOrEqual(FIRST_QUOTE_AFTER_CANCELS_MS);
  });

  it('quotes on while the rest of partial fills cannot be cancelled', async ({ expect }) => {
    const { verdict } = await played('stuck');
    expect(verdict).toMatchObject(SAFE);
    expect(verdict.uptime).toBeGreaterThanOrEqual(UPTIME);
  });

  it('has both sides back at once after service_unavailable, and all levels within ten seconds', async ({
    expect,
  }) => {
    const { verdict, extra } = await played('unavailable');
    expect(verdict).toMatchObject(SAFE);
    expect(verdict.recoverMs).toBeLessThanOrEqual(RECOVERED_MS);
    expect(extra['all levels ms']).toBeLessThanOrEqual(10_000);
  });

  it('quotes on while user frames are lost, and after that', async ({ expect }) => {
    const { verdict } = await played('frames-lost');
    expect(verdict).toMatchObject(SAFE);
    expect(verdict.uptime).toBeGreaterThanOrEqual(UPTIME);
    expect(verdict.recoverMs).toBeLessThanOrEqual(RECOVERED_MS);
  });

  it.for(['bust-restored', 'bust-ended'] as const)(
    'quotes on when a trade fails on chain: %s',
    async (row, { expect }) => {
      const { verdict, extra } = await played(row);
      expect(verdict).toMatchObject(SAFE);
      expect(extra['trades failed']).toBe(SHORT.busts);
      expect(verdict.uptime).toBeGreaterThanOrEqual(UPTIME);
      expect(verdict.recoverMs).toBeLessThanOrEqual(RECOVERED_MS);
    },
  );

  it('moves outer levels to their targets within two seconds while writes are free', async ({
    expect,
  }) => {
    const { verdict, extra } = await played('outer-level');
    expect(verdict).toMatchObject(SAFE);
    expect(extra['converged ms']).toBeLessThanOrEqual(2_000);
  });

  it("rests both sides within the venue's ceiling of open orders, nearest levels first", async ({
    expect,
  }) => {
    const { verdict, extra } = await played('ceiling');
    expect(verdict).toMatchObject(SAFE);
    expect(extra['nearest levels resting, of 4']).toBe(4);
    expect(verdict.uptime).toBeGreaterThanOrEqual(UPTIME);
  });
});
