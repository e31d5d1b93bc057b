// What a stop ends beside when no order is open.

import { describe, expect, it } from 'vitest';
import { withUnsettled } from '../../../src/app/doubted.ts';
import type { KillResult } from '../../../src/guard/kill.ts';

const PROVEN: KillResult = { kind: 'proven', cancelled: 2, tookMs: 10 };
const DETAIL =
  '1 matched orders have not settled as far as anybody has said, and one that fails may rest again';

describe('the proof of a stop', () => {
  it('is one where all that matched has settled', () => {
    expect(withUnsettled({ ...PROVEN, settling: 0, unsettled: [] }).kind).toBe('proven');
  });

  it.each([{ unsettled: ['0x99'] }, { settling: 1 }])(
    'is none beside what has not: %j',
    (counts) => {
      const result = withUnsettled({ ...PROVEN, ...counts });
      expect(result).toMatchObject({ kind: 'unproven', left: [], detail: DETAIL, cancelled: 2 });
    },
  );

  it('is none either by a list that says nothing of what the core has named', () => {
    const result = withUnsettled({ ...PROVEN, settling: 0 }, { unsettled: ['0x99'] });
    expect(result).toMatchObject({ kind: 'unproven', unsettled: ['0x99'], detail: DETAIL });
  });

  it('keeps saying what is open', () => {
    const open: KillResult = { ...PROVEN, kind: 'unproven', left: undefined, detail: 'away' };
    expect(withUnsettled({ ...open, unsettled: ['0x99'] })).toMatchObject({ detail: 'away' });
  });
});
