// Starts, and what bounds a ladder, judged by the records of a venue that shares no line with bookend.
// `npm run uptime` plays them longer, beside a plain ladder.

import { beforeAll, describe, it } from 'vitest';
import { ensureBuilt } from '../../support/build.ts';
import { NEVER, played, quotesFor, SAFE, startsWithin } from './play.ts';

/** `npm run uptime` holds a start to 1.0 s; one beside other tests, with a load of 14 on two processors, took 1.01 s. */
const FIRST_QUOTE_MS = 1_200;
const FIRST_QUOTE_AFTER_CANCELS_MS = 2_000;
const CONVERGED_MS = 2_000;
/**
 * A limit that is reached is no fault of presence: an order that is taken whole has no room for the next one until
 * the venue has counted it out. The plain ladder has both sides there for 93 to 97 % of the time, side by side.
 */
const CEILING_UPTIME = 0.9;

beforeAll(ensureBuilt);

/** One after the other: a start is timed, and wants the machine. */
describe('a start of bookend on a venue it has never met', () => {
  it('quotes a clean account within about a second', async ({ expect }) => {
    const { verdict, ownFirstQuoteMs } = await startsWithin(FIRST_QUOTE_MS, 'clean');
    expect(verdict).toMatchObject(SAFE);
    expect(ownFirstQuoteMs).toBeLessThanOrEqual(FIRST_QUOTE_MS);
  });

  it('takes settled shares as its opening position and quotes within about a second', async ({
    expect,
  }) => {
    const { verdict, ownFirstQuoteMs } = await startsWithin(FIRST_QUOTE_MS, 'opening');
    expect(verdict).toMatchObject(SAFE);
    expect(ownFirstQuoteMs).toBeLessThanOrEqual(FIRST_QUOTE_MS);
  });

  it('cancels what an earlier process left, and quotes within two seconds', async ({ expect }) => {
    const { verdict, ownFirstQuoteMs } = await startsWithin(
      FIRST_QUOTE_AFTER_CANCELS_MS,
      'earlier',
    );
    expect(verdict).toMatchObject(SAFE);
    expect(ownFirstQuoteMs).toBeLessThanOrEqual(FIRST_QUOTE_AFTER_CANCELS_MS);
  });
});

describe.concurrent('the ladder of bookend on a venue it has never met', () => {
  it('moves outer levels to their targets within two seconds while writes are free', async ({
    expect,
  }) => {
    const { verdict, extra } = await played('outer-level');
    expect(verdict).toMatchObject(SAFE);
    expect(extra['converged ms'] ?? NEVER).toBeLessThanOrEqual(CONVERGED_MS);
  });

  it("rests both sides within the venue's ceiling of open orders, nearest levels first", async ({
    expect,
  }) => {
    const { verdict, extra } = await quotesFor(CEILING_UPTIME, 'ceiling');
    expect(verdict).toMatchObject(SAFE);
    expect(extra['nearest levels resting, of 4']).toBe(4);
    expect(verdict.uptime).toBeGreaterThanOrEqual(CEILING_UPTIME);
  });
});
