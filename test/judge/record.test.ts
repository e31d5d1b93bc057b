// A small fixed part of the judge's table, held against its record: `auto` may earn less than it did by no more than the
// error of the difference on common paths. `npm run judge -- --record` writes the record anew, which is a decision.

import { readFileSync } from 'node:fs';
import { describe, expect, it, vi } from 'vitest';
import { hearings, type Row } from './court.ts';
import { RECORD_CASE, RECORD_FILE, type Recorded, recordedOf } from './record.ts';
import { moreThan } from './verdict.ts';

// Two seconds of a processor of its own; a busy machine takes its time.
vi.setConfig({ testTimeout: 180_000 });

const record: readonly Recorded[] = JSON.parse(readFileSync(RECORD_FILE, 'utf8'));

/** What is within it is rounding, of numbers that a record keeps with four decimals. */
const ROUNDING_USDC = 0.001;

/** How far a default fell behind its record, beyond the error; nothing where it did not. */
function behind(now: readonly Recorded[], before: readonly Recorded[]): string | undefined {
  const more = moreThan(now, before);
  if (more === undefined || now.length !== before.length) return 'not the runs of the record';
  const least = more.mean + (more.error ?? 0);
  if (least >= -ROUNDING_USDC) return undefined;
  return `${more.mean.toFixed(2)} ± ${(more.error ?? 0).toFixed(2)} USDC an hour`;
}

describe("the judge's record", () => {
  it.each(RECORD_CASE.worlds)(
    'of `auto` in %s is not undercut by more than its error',
    async (world) => {
      const runs = await hearings({ ...RECORD_CASE, worlds: [world] });
      const rows: Row[] = [];
      for (const { run } of runs) rows.push(await run());
      const before = record.filter((row) => row.world === world);
      expect(before).toHaveLength(RECORD_CASE.seeds);
      expect(behind(rows.map(recordedOf), before)).toBeUndefined();
    },
  );

  it('is undercut where every block earns less, and not where one earns less and another more', () => {
    const before = record.filter(({ world }) => world === 'calm');
    const changed = (by: readonly number[]) =>
      before.map((row) => ({
        ...row,
        blocksUsdc: row.blocksUsdc.map((usdc, at) => usdc + (by[at] ?? 0)),
      }));
    expect(behind(before, before)).toBeUndefined();
    expect(behind(changed([-1, -1]), before)).toMatch(/^-6\.00 ± 0\.00 USDC an hour$/);
    expect(behind(changed([-2, 1.9]), before)).toBeUndefined();
    expect(behind(before.slice(1), before)).toBe('not the runs of the record');
  });
});
