import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createLastEvents, readable } from '../../../src/cli/last-events.ts';
import { COLOURED, PLAIN, paintFor } from '../../../src/cli/paint.ts';
import type { ShownMarket, ShownState } from '../../../src/cli/state-schema.ts';
import {
  beliefLines,
  duration,
  headLines,
  marketLines,
  reasonLines,
} from '../../../src/cli/status-lines.ts';
import { openScreen, screenLines } from '../../../src/cli/status-screen.ts';
import { clip, columns, fitted, harmless } from '../../../src/cli/text.ts';
import type { StateView } from '../../../src/domain/view.ts';
import { viewsMarket as market } from './shown.ts';

const state: ShownState = {
  atMs: 76_000,
  settingsVersion: 'fedcba987654',
  phase: 'quoting',
  phaseReason: 'all is well',
  markets: [market],
  ordersByState: { resting: 2, cancelling: 1, filled: 40 },
  account: { cashUsdc: '9812.4', availableUsdc: undefined, pnlUsdc: '1.5' },
  writes: { usedInWindow: 12, perWindow: 240 },
  connection: { socket: 'open', authenticated: true, clockOffsetMs: -3 },
  notReady: [],
};

describe('a state of a trader that is not there', () => {
  it.each([
    ['down', 'THE TRADER IS GONE: this is its last word, 9.0 s old'],
    ['stuck', 'THE TRADER DOES NOT TURN: this is its last word, 9.0 s old'],
  ])('is told apart from one of now: %s', (trader, line) => {
    const old = { ...state, age: { trader, stateMs: 9_000 } };
    expect(headLines(old, { width: 200 })).toContain(line);
    const alive = { ...state, age: { trader: 'alive', stateMs: 100 } };
    expect(headLines(alive, { width: 200 }).join('\n')).not.toContain('last word');
  });
});

describe('a position that is no plain number', () => {
  const settled = { low: '0', expected: '0', high: '0', pending: '0', uncertain: [] };
  const linesOf = (yes: object) =>
    reasonLines({ ...state, markets: [quoted({ yes, no: settled })] }, { width: 300 });
  const quoted = (positions: object): ShownMarket =>
    ({ ...market, bidReason: undefined, askReason: undefined, positions }) as ShownMarket;

  it('says what it may be, what has not settled, and what nobody has reported, and why', () => {
    const uncertain = [{ shares: '20', cause: 'balances_differ', sinceMs: state.atMs - 12_000 }];
    const lines = linesOf({ low: '15', expected: '20', high: '35', pending: '5', uncertain });
    expect(lines).toEqual([
      expect.stringMatching(
        /: YES 20: may be 15 to 35, 5 not settled yet, 20 uncertain \(balances_differ\) for 12 s$/,
      ),
    ]);
  });

  it('says nothing where all is settled', () => {
    expect(linesOf(settled)).toEqual([]);
  });
});

describe('the status of a daemon', () => {
  it('begins with the place where its recording could not be read on', () => {
    const venueFault = 'a recording is not usable: day.ndjson.gz, line 7: is no JSON';
    const [first, second] = headLines({ ...state, venueFault }, { width: 200 });
    expect(first).toBe(`NOTHING IS PLAYED ANY MORE: ${venueFault}`);
    expect(second).toContain('quoting');
    expect(second).not.toContain('all is well');
    expect(headLines(state, { width: 200 })[0]).toContain('all is well');
  });

  it('says that a kill is on no disk, and what a new start would do', () => {
    const latchFault = { by: 'http', at: '2026-11-21T12:00:00.000Z', detail: 'ENOSPC' };
    const killed = { ...state, phase: 'killed', latchFault };
    const text = headLines(killed, { width: 200 }).join('\n');
    expect(text).toContain('KILL NOT ON DISK, a new start would quote: ENOSPC; killed by http');
    expect(headLines(state, { width: 200 }).join('\n')).not.toContain('NOT ON DISK');
  });

  it('shows own quotes beside the book, positions and P&L of a market', () => {
    const [, row] = marketLines([market], { width: 120 });
    expect(row?.split(/\s{2,}/)).toEqual([
      'Will it rain tomorrow?',
      '0.48×50 +1',
      '0.48 | 0.52',
      'none',
      '12.5',
      '0',
      '-1.23',
      '7',
      '99/71 %',
    ]);
  });

  it('says how much time the share leaves out, and why, from a minute on', () => {
    const ask = {
      ...market.uptime.ask,
      excludedMs: { venue: 59_000, limit: 125_000, strategy: 999_000 },
    };
    const shown = { ...market, askReason: undefined, uptime: { ...market.uptime, ask } };
    expect(reasonLines({ atMs: 1_000, markets: [shown] }, { width: 200 })).toEqual([
      'Will it rain tomorrow?: not counted in QUOTED since the start: ask 2 min 5 s (limit)',
    ]);
  });

  it('says why a side is not quoted, since when, and what clears it', () => {
    expect(reasonLines(state, { width: 200 })).toEqual([
      'Will it rain tomorrow?: no ask: position_limit (500 of 500) for 1 min 15 s; clears: a fill of the other side',
    ]);
  });

  it('names the resume as it is to be typed, and first of all where everything is stopped', () => {
    const resume = 'npx bookend resume --config my.yaml';
    const shown = { width: 80, resume };
    const clears = 'bookend resume --market m-1';
    const reason = { code: 'killed', detail: '', sinceMs: 1_000, clears };
    const stopped = { ...market, askReason: reason };
    expect(reasonLines({ atMs: 1_000, markets: [stopped] }, { ...shown, width: 200 })).toEqual([
      `Will it rain tomorrow?: no ask: killed for 0 s; clears: ${resume} --market m-1`,
    ]);
    for (const phase of ['killed', 'paused', 'halted']) {
      expect(headLines({ ...state, phase }, shown)[1]).toBe(`to go on: ${resume}`);
    }
    expect(headLines(state, shown).join()).not.toContain('to go on');
  });

  it('says it once when both sides have the same reason', () => {
    const both = { ...market, ownBids: [], bidReason: market.askReason };
    const lines = reasonLines({ atMs: 1_000, markets: [both] }, { width: 200 });
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain('no quotes');
  });

  it('says what the venue is taken to do, since when, and on what evidence', () => {
    const evidence = 'each of two own orders in a row showed in both books';
    const venueBeliefs = [
      { what: 'books', value: 'unified', evidence, sinceMs: 1_000 },
      { what: 'quantityDecimals', marketId: market.marketId, value: '2', evidence: 'rejected' },
    ];
    expect(beliefLines({ ...state, venueBeliefs }, { width: 200 })).toEqual([
      `venue: books of YES and NO are unified for 1 min 15 s (${evidence})`,
      'Will it rain tomorrow?: decimals of a quantity are at most 2 (rejected)',
    ]);
  });

  it('says that the last edit of the file was refused, and why', () => {
    const refusedEdit = { file: 'run.yaml', at: '2026-11-28T03:00:00.000Z', problems: ['a: is 0'] };
    expect(headLines({ ...state, refusedEdit }, { width: 200 }).at(-1)).toBe(
      'THE LAST EDIT OF run.yaml WAS REFUSED, and the one before is in force: a: is 0 (2026-11-28T03:00:00.000Z)',
    );
  });

  it('counts living orders only, and never shows an unknown amount as zero', () => {
    const [first, second] = headLines(state, { width: 200 });
    expect(first).toContain('writes 12/240');
    expect(second).toContain('orders 2 resting, 1 cancelling');
    expect(second).toContain('available unknown');
  });

  it('takes the state of a daemon in the same process as it is', () => {
    const shown = (view: StateView): ShownState => view;
    expect(shown).toBeTypeOf('function');
  });

  it.each([
    [4_999, '4 s'],
    [61_000, '1 min 1 s'],
    [3_661_000, '1 h 1 min'],
    [90_000_000, '1 d 1 h'],
  ])('says %i ms as %s', (ms, text) => {
    expect(duration(ms)).toBe(text);
  });
});

describe('text on a terminal', () => {
  it('fits any text into exactly its columns', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme' }),
        fc.integer({ min: 2, max: 60 }),
        (text, width) => {
          const safe = harmless(text);
          expect(columns(clip(safe, width))).toBeLessThanOrEqual(width);
          expect(columns(fitted(safe, width))).toBe(width);
        },
      ),
    );
  });

  it('lets nothing from outside steer the terminal', () => {
    const hostile = { ...market, title: 'Rain\u001b[2J\u0007\u202Etomorrow\r\n' };
    const lines = marketLines([hostile], { width: 120 });
    expect(lines.join('')).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  });

  it('colours only a terminal that wants colours', () => {
    expect(paintFor({ isTTY: true }, {})).toBe(COLOURED);
    expect(paintFor({ isTTY: true }, { NO_COLOR: '1' })).toBe(PLAIN);
    expect(paintFor({ isTTY: true }, { TERM: 'dumb' })).toBe(PLAIN);
    expect(paintFor({ isTTY: false }, {})).toBe(PLAIN);
  });
});

describe('the last events', () => {
  it('reads a structured line as words', () => {
    const line = readable('{"level":30,"time":1000,"event":"order.filled","side":"BUY","pid":1}');
    expect(line).toMatch(/^\d\d:\d\d:\d\d order\.filled side=BUY$/);
  });

  it('shows names for ids it knows, the ends of a hash, and how bad it is', () => {
    const names = new Map([['0xaa', 'YES']]);
    const hash = `0x${'12'.repeat(32)}`;
    const line = JSON.stringify({ level: 'warn', event: 'order.external', tokenId: '0xaa', hash });
    expect(readable(line, names)).toBe('WARN order.external token=YES hash=0x1212…1212');
  });

  it('says of a token which market it is of, unless the line does', () => {
    const names = new Map([
      ['0xaa', 'YES · Will it rain?'],
      ['m-1', 'Will it rain?'],
    ]);
    const settled = JSON.stringify({ event: 'trade.settled', tokenId: '0xaa' });
    expect(readable(settled, names)).toBe('trade.settled token=YES · Will it rain?');
    const filled = JSON.stringify({ event: 'order.filled', marketId: 'm-1', tokenId: '0xaa' });
    expect(readable(filled, names)).toBe('order.filled market=Will it rain? token=YES');
  });

  it('keeps a bounded number of them', () => {
    const events = createLastEvents();
    for (let count = 0; count < 1_000; count += 1) events.add(`line ${count}`);
    expect(events.last(10_000)).toHaveLength(200);
    expect(events.last(2)).toEqual(['line 998', 'line 999']);
    expect(events.last(0)).toEqual([]);
  });
});

describe('the status screen', () => {
  const of = { title: () => 'bookend paper', state: () => state, events: createLastEvents() };

  it('never draws beyond the terminal, whatever its size', () => {
    const many = { ...state, markets: Array.from({ length: 60 }, () => market) };
    fc.assert(
      fc.property(
        fc.integer({ min: 20, max: 200 }),
        fc.integer({ min: 5, max: 80 }),
        (width, height) => {
          const lines = screenLines({ ...of, state: () => many }, { width, height });
          expect(lines.length).toBeLessThanOrEqual(height);
          for (const line of lines) expect(columns(line)).toBeLessThanOrEqual(width);
        },
      ),
    );
  });

  it('hides the cursor while it is on and gives the terminal back once', () => {
    const written: string[] = [];
    const terminal = { write: (text: string) => written.push(text) > 0, columns: 80, rows: 24 };
    const timers = { after: () => () => {} };
    const screen = openScreen({ ...of, terminal, timers });
    expect(written[0]).toContain('\u001b[?25l');
    screen.close();
    screen.close();
    expect(written.at(-1)).toBe('\u001b[?25h\u001b[?1049l');
    expect(written).toHaveLength(3);
  });

  it('skips frames for a terminal that does not keep up', () => {
    const written: string[] = [];
    const write = (text: string) => written.push(text) > 0;
    openScreen({
      ...of,
      terminal: { write, writableNeedDrain: true },
      timers: { after: () => () => {} },
    });
    expect(written).toHaveLength(1);
  });
});
