// Faults that are no reason to stand aside, judged by the records of a venue that shares no line with
// bookend. `npm run uptime` plays them longer, beside a plain ladder.

import { beforeAll, describe, it } from 'vitest';
import { ensureBuilt } from '../../support/build.ts';
import { SHORT } from '../row-parts.ts';
import { bestOf, NEVER, type Played, quotesFor, RECOVERED_MS, SAFE, UPTIME } from './play.ts';

const AT_ONCE_MS = 2_000;
/** Placements of unknown outcome keep their places for so long. */
const KNOWN_BY_MS = 10_000;

function isLate({ extra, recoverMs }: Played): number {
  const firstMs = extra['first order ms'] ?? NEVER;
  const allMs = Math.max(extra['all levels ms'] ?? NEVER, recoverMs);
  return Math.max(firstMs - AT_ONCE_MS, allMs - KNOWN_BY_MS);
}

/** A cancel of a market takes its other quotes along, for as long as a placement takes. */
const CANCELS_FAIL_UPTIME = 0.95;
/** The first quotes show where the venue's books are one: until then the daemon reads them as of others. */
const MISPLACED_MAX = 4;

beforeAll(ensureBuilt);

describe.concurrent('bookend on a venue that fails it', () => {
  it('quotes on while the rest of partial fills cannot be cancelled', async ({ expect }) => {
    const { verdict } = await quotesFor(UPTIME, 'stuck');
    expect(verdict).toMatchObject(SAFE);
    expect(verdict.uptime).toBeGreaterThanOrEqual(UPTIME);
  });

  it('places at once after service_unavailable, and has all levels back within ten seconds', async ({
    expect,
  }) => {
    const { verdict, extra, recoverMs } = await bestOf('unavailable', isLate);
    expect(verdict).toMatchObject(SAFE);
    expect(extra['first order ms'] ?? NEVER).toBeLessThanOrEqual(AT_ONCE_MS);
    expect(extra['all levels ms'] ?? NEVER).toBeLessThanOrEqual(KNOWN_BY_MS);
    expect(recoverMs).toBeLessThanOrEqual(KNOWN_BY_MS);
  });

  it('quotes on while user frames are lost, and after that', async ({ expect }) => {
    const { verdict, recoverMs } = await quotesFor(UPTIME, 'frames-lost');
    expect(verdict).toMatchObject(SAFE);
    expect(verdict.uptime).toBeGreaterThanOrEqual(UPTIME);
    expect(recoverMs).toBeLessThanOrEqual(RECOVERED_MS);
  });

  it('quotes on while batch cancels fail and DELETE /orders works', async ({ expect }) => {
    const { verdict, recoverMs } = await quotesFor(CANCELS_FAIL_UPTIME, 'cancels-fail');
    expect(verdict).toMatchObject(SAFE);
    expect(verdict.uptime).toBeGreaterThanOrEqual(CANCELS_FAIL_UPTIME);
    expect(recoverMs).toBeLessThanOrEqual(RECOVERED_MS);
  });

  it('quotes where it belongs while each book shows the orders of both outcomes', async ({
    expect,
  }) => {
    const { verdict } = await quotesFor(UPTIME, 'unified');
    expect(verdict).toMatchObject(SAFE);
    expect(verdict.uptime).toBeGreaterThanOrEqual(UPTIME);
    expect(verdict.misplaced).toBeLessThanOrEqual(MISPLACED_MAX);
  });

  it.for(['bust-restored', 'bust-ended'] as const)(
    'quotes on when a trade fails on chain: %s',
    async (row, { expect }) => {
      const { verdict, extra, recoverMs } = await quotesFor(UPTIME, row);
      expect(verdict).toMatchObject(SAFE);
      expect(extra['trades failed']).toBe(SHORT.busts);
      expect(verdict.uptime).toBeGreaterThanOrEqual(UPTIME);
      expect(recoverMs).toBeLessThanOrEqual(RECOVERED_MS);
    },
  );
});
