import { describe, expect, it } from 'vitest';
import { unixMs } from '../../../src/domain/time.ts';
import { Judge } from '../../../src/feeds/judge.ts';

const NOW_MS = 1_700_000_000_000;

function judging() {
  const judge = new Judge({ ageMsMax: 10_000, jumpMax: 0.2, jumpReadings: 3 });
  return (price: number, { afterMs, datedMs }: { afterMs: number; datedMs: number }) => {
    const statement = { kind: 'stated', price, deviation: undefined } as const;
    const atMs = unixMs(NOW_MS + datedMs);
    return judge.judge({ ...statement, atMs }, atMs, unixMs(NOW_MS + afterMs)).kind;
  };
}

describe('a statement', () => {
  it('behind one that was dated ahead is taken as soon as that one counts no more', () => {
    const judge = judging();
    expect(judge(0.4, { afterMs: 0, datedMs: 50_000 })).toBe('taken');
    expect(judge(0.5, { afterMs: 10_000, datedMs: 10_000 })).toBe('skipped');
    expect(judge(0.5, { afterMs: 10_001, datedMs: 10_001 })).toBe('taken');
    expect(judge(0.6, { afterMs: 11_000, datedMs: 11_000 })).toBe('taken');
  });

  it('from before the last one stays out, also when that one counts no more', () => {
    const judge = judging();
    expect(judge(0.4, { afterMs: 0, datedMs: 0 })).toBe('taken');
    expect(judge(0.3, { afterMs: 60_000, datedMs: -1 })).toBe('skipped');
  });
});
