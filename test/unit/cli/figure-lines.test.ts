// The tables of what quoting came to.

import { describe, expect, it } from 'vitest';
import { deedLines, figureLines } from '../../../src/cli/figure-lines.ts';
import { FIGURES, marketView } from '../telemetry/views.ts';

const MARKET = { ...marketView('rain'), figures: FIGURES };
const STATE = {
  markets: [MARKET],
  ...{ account: { pnlUsdc: '-1.25' }, figures: FIGURES, writes: { sent: 812 } },
};

const cellsOf = (line: string | undefined) => (line ?? '').trim().split(/ {2,}/);

describe('figures as tables', () => {
  it('say where the profit is from, in parts that add up to the cent', () => {
    const [titles, market, all] = figureLines(STATE, 1_000);
    expect(cellsOf(titles)).toContain('TO 10 S');
    const [name, pnl, ...parts] = cellsOf(market);
    expect(name).toBe('Will it be rain?');
    expect(parts).toHaveLength(9);
    expect(parts.reduce((sum, part) => sum + Number(part), 0)).toBeCloseTo(Number(pnl), 9);
    expect(cellsOf(all)[0]).toBe('in all');
  });

  it('say what was done for it, with the order writes in all', () => {
    const [titles, market, all] = deedLines(STATE, 1_000).map(cellsOf);
    const of = (row: readonly string[] | undefined, title: string) =>
      row?.[titles?.indexOf(title) ?? -1];
    expect(of(market, 'MADE')).toBe('120');
    expect(of(market, 'UNSURE')).toBe('3');
    expect(of(market, 'TOUCH')).toBe('62.5 %');
    expect(of(all, 'WRITES')).toBe('812');
  });

  it('say how fills fared behind others', () => {
    const lines = deedLines(STATE, 1_000).map(cellsOf);
    expect(lines).toContainEqual(['up to 50', '2', '20', '-0.0010']);
  });

  it('have a dash for what is not known, and leave out a market in which nothing happened', () => {
    const quiet = {
      ...FIGURES,
      makerShares: '0',
      takerShares: '0',
      unsureShares: '0',
      inventoryMaxShares: '0',
    };
    const unknown = { ...FIGURES, pnlAtFairUsdc: undefined, queue: [], parts: undefined };
    const lines = figureLines(
      { ...STATE, markets: [{ ...MARKET, figures: quiet }], figures: unknown },
      1_000,
    );
    expect(lines.map((line) => cellsOf(line)[0])).toEqual(['MARKET', 'in all']);
    expect(cellsOf(lines[1])).toContain('–');
  });

  it('are not there of a daemon of an older version', () => {
    expect(figureLines({ markets: [marketView('rain')] }, 1_000)).toEqual([]);
  });
});
