// `orders` and `pnl`, and the times that all commands take which look back.

import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { PassThrough } from 'node:stream';
import { beforeEach, describe, expect, it } from 'vitest';
import { runCli } from '../../../src/cli/cli.ts';
import { csvCell, ROWS_MAX } from '../../../src/cli/past-options.ts';
import { tableLines } from '../../../src/cli/table.ts';
import { timeOf } from '../../../src/cli/times.ts';
import { intentId, marketId, tokenId } from '../../../src/domain/ids.ts';
import type { StoredFill, StoredOrder } from '../../../src/domain/record.ts';
import { shares } from '../../../src/domain/shares.ts';
import { tickGrid, ticks } from '../../../src/domain/ticks.ts';
import { unixMs } from '../../../src/domain/time.ts';
import type { DayLine, DayOrder } from '../../../src/journal/days/day-line.ts';
import { openDays } from '../../../src/journal/days/day-writer.ts';
import { openLedger } from '../../../src/journal/ledger/ledger.ts';
import { ownOrder } from '../../support/own-orders.ts';
import { tempFolder } from '../../support/temp-folder.ts';

const GRID = tickGrid('0.01');
const NOON = Date.parse('2026-11-23T12:00:00Z');
const clock = { nowMs: () => unixMs(NOON + 3_600_000) };
let file = '';
let journal = '';

beforeEach(() => {
  const folder = tempFolder('past');
  file = join(folder, 'run.yaml');
  journal = join(folder, 'run.db');
  writeFileSync(
    file,
    `venue: { baseUrl: 'https://venue.example/api', wsUrl: 'wss://venue.example/ws' }\njournal: { path: ${journal} }\n`,
  );
});

function fill(change: Partial<StoredFill> = {}): StoredFill {
  return {
    ...{ intentId: intentId('i-1'), marketId: marketId('m-1'), tokenId: tokenId('0x01') },
    ...{ side: 'BUY', price: ticks(GRID, 48), ticksPerUnit: 100, quantity: shares(10) },
    ...{ executedAfter: shares(10), cashNano: -4_800_000_000, atMs: unixMs(NOON) },
    ...change,
  };
}

function order(): StoredOrder {
  const own = { ...ownOrder({ price: 48 }), leg: 'yes', ticksPerUnit: 100 } as const;
  return { ...own, intentId: intentId('i-1'), orderHash: undefined, sentAtMs: unixMs(NOON) };
}

async function kept({
  fills = [],
  orders = [],
  lines = [],
}: {
  readonly fills?: readonly StoredFill[];
  readonly orders?: readonly StoredOrder[];
  readonly lines?: readonly DayLine[];
}): Promise<void> {
  const ledger = await openLedger({ path: journal, clock });
  ledger.commit([
    ...orders.map((each) => ({ kind: 'order', order: each }) as const),
    ...fills.map((each) => ({ kind: 'fill', fill: each }) as const),
  ]);
  ledger.close();
  const room = { days: 400, bytes: 1_000_000 };
  const days = await openDays({ journal, clock, kept: room, onFault: () => {} });
  for (const line of lines) days.write(line);
  await days.close();
}

async function ran(name: string, ...args: readonly string[]) {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const code = await runCli([name, '--config', file, ...args], { stdout, stderr, env: {} });
  return { code, out: String(stdout.read() ?? ''), err: String(stderr.read() ?? '') };
}

describe('`orders`', () => {
  it('shows those of the ledger and those of past days, each once, in the order in which they were sent', async () => {
    const ended: DayOrder = {
      ...{ intentId: 'i-0', marketId: 'm-2', tokenId: '0x02', side: 'SELL', price: '0.52' },
      ...{ shares: '50', filled: '20', sentAtMs: NOON - 86_400_000, state: 'cancelled' },
    };
    const again = { ...ended, intentId: 'i-1', sentAtMs: NOON, marketId: 'm-1' };
    await kept({
      orders: [order()],
      lines: [
        { kind: 'order', atMs: NOON - 86_000_000, order: ended },
        { kind: 'order', atMs: NOON + 1, order: again },
      ],
    });
    const { out } = await ran('orders', '--csv');
    expect(out.trimEnd().split('\n')).toEqual([
      'sentAt,marketId,tokenId,side,price,shares,filled,state,endedAt,intentId,orderHash',
      '2026-11-22T12:00:00.000Z,m-2,0x02,SELL,0.52,50,20,cancelled,2026-11-22T12:06:40.000Z,i-0,',
      '2026-11-23T12:00:00.000Z,m-1,0x01,BUY,0.48,50,0,resting,,i-1,',
    ]);
    const today = await ran('orders', '--from', '2026-11-23');
    expect(today.out).toContain('1 orders, 0 with a fill, 1 not ended');
    expect((await ran('orders', '--market', 'm-3')).out).toBe('no order\n');
  });
});

const MARKET: DayLine = {
  ...{ kind: 'market', atMs: NOON, marketId: 'm-1', title: '=Will it rain?', strategy: 'auto' },
  ...{ yesTokenId: '0x01', noTokenId: '0x02' },
};
const NOTED: DayLine = {
  ...{ kind: 'fill', atMs: NOON, intentId: 'i-1', executedAfter: 10_000_000, marketId: 'm-1' },
  ...{ isYes: true, middle: 0.5 },
};
const LATER: DayLine = {
  ...{ kind: 'later', atMs: NOON, intentId: 'i-1', executedAfter: 10_000_000 },
  middles: [0.49, 0.495, 0.52],
};

describe('a table of what was traded', () => {
  it('names a market by its title and a token as YES or NO; rows for programs have the ids', async () => {
    await kept({ fills: [fill()], orders: [order()], lines: [MARKET] });
    for (const name of ['fills', 'orders']) {
      expect((await ran(name)).out).toMatch(/ =Will it rain\? {2}YES {4}BUY /);
      expect((await ran(name, '--csv')).out).toContain(',m-1,0x01,BUY,');
    }
  });

  it('may have as many rows as are ever read', () => {
    const rows = Array.from({ length: ROWS_MAX / 4 }, () => [{ text: '0.48' }]);
    const table = { columns: [{ title: 'PRICE', align: 'right' } as const], rows };
    expect(tableLines(table, { width: 80 })).toHaveLength(rows.length + 1);
  });

  it('has the ids where nobody noted a name', async () => {
    await kept({ fills: [fill()] });
    expect((await ran('fills')).out).toMatch(/ m-1 +0x01 +BUY /);
  });
});

async function total(...args: readonly string[]) {
  return JSON.parse((await ran('pnl', '--json', ...args)).out).total;
}

describe('`pnl`', () => {
  it('splits profit into the spread, the moves after the fill, and what came later', async () => {
    await kept({ fills: [fill()], lines: [MARKET, NOTED, LATER] });
    expect(await total()).toMatchObject({
      pnlUsdc: 0.4,
      spreadUsdc: 0.2,
      movedUsdc: { to1s: -0.1, to10s: 0.05, to60s: 0.25 },
      laterUsdc: 0,
      feesUsdc: 0,
    });
  });

  it('says no more digits to programs than money has', async () => {
    const noted: DayLine = { ...NOTED, middle: 0.49 };
    await kept({
      fills: [fill()],
      lines: [MARKET, noted, { ...LATER, middles: [0.51, 0.51, 0.51] }],
    });
    expect(JSON.parse((await ran('pnl', '--json')).out)).toMatchObject({
      total: { pnlUsdc: 0.3 },
      markets: [{ pnlUsdc: 0.3 }],
    });
  });

  it('says no more digits of a curve than of money', async () => {
    const other = fill({
      intentId: intentId('i-2'),
      quantity: shares(20),
      executedAfter: shares(20),
    });
    const noted = { ...NOTED, intentId: 'i-2', executedAfter: 20_000_000, middle: 0.49 } as const;
    await kept({ fills: [fill(), other], lines: [MARKET, NOTED, noted] });
    const { out } = await ran('pnl', '--json');
    expect(out).toContain('0.013333');
    expect(out).not.toMatch(/\d\.\d{7,}/);
  });

  it('counts a bought NO as a sold YES, and the fee of what was sent to take', async () => {
    const no = fill({ tokenId: tokenId('0x02'), price: ticks(GRID, 40) });
    const noted = { ...NOTED, isYes: false, middle: 0.58, takerFeeRate: 0.1 };
    await kept({ fills: [no], lines: [MARKET, noted] });
    expect(await total()).toMatchObject({ spreadUsdc: 0.2, feesUsdc: -0.24 });
  });

  it('keeps a fill without a book whole, and one that nobody reported by its name', async () => {
    const inferred = fill({ intentId: intentId('inferred-1'), isInferred: true });
    await kept({ fills: [fill({ atMs: unixMs(NOON - 5) }), inferred], lines: [MARKET, NOTED] });
    const { out } = await ran('pnl');
    expect(out).toContain('1 fills were reported by nobody: 0.20 USDC of it is an estimate');
    expect(out).toContain('of 1 fills the book is not known');
    expect(await total()).toMatchObject({ unsplitUsdc: 0.4, spreadUsdc: 0 });
  });

  it('says where no price and no outcome is known, and adds up nothing of it', async () => {
    await kept({ fills: [fill()] });
    const { out } = await ran('pnl');
    expect(out).toContain('of 1 markets no price was seen: they are in no sum');
    expect(out).toContain('of 1 fills the outcome is not known');
    expect(out).toMatch(/m-1 +1 +\? +\?/);
  });

  it('takes out what failed on the chain', async () => {
    const bust: DayLine = { kind: 'bust', atMs: NOON + 9, intentId: 'i-1', micro: 4_000_000 };
    await kept({ fills: [fill()], lines: [MARKET, NOTED, LATER, bust] });
    expect(await total()).toMatchObject({ pnlUsdc: 0.24 });
    expect((await ran('pnl')).out).toContain('4.00 shares failed on the chain');
  });

  it('values shares at the last middle before the end of the time that is asked for', async () => {
    const noted = { ...NOTED, atMs: NOON + 60_000, intentId: 'i-2', middle: 0.9 } as const;
    await kept({ fills: [fill()], lines: [MARKET, NOTED, noted] });
    expect(await total('--to', '2026-11-23T12:01')).toMatchObject({ pnlUsdc: 0.2 });
    expect(await total()).toMatchObject({ pnlUsdc: 4.2 });
  });

  it('values shares by the outcome, whatever a look at an older fill says later', async () => {
    const side = { countedMs: 0, quotedMs: 0, excludedMs: {} };
    const markets = [{ marketId: 'm-1', middle: 1, net: 10, pnlUsdc: 5.2, bid: side, ask: side }];
    const head = { phase: 'quoting', pnlUsdc: 5.2, ordersPlaced: 1, writesUsed: 0, writesMax: 1 };
    const sample = { kind: 'sample', atMs: NOON + 30_000, ...head, markets } as const;
    const middles = [0.5, 0.5, 0.5];
    const { intentId, executedAfter } = NOTED;
    const later = { kind: 'later', atMs: NOON, intentId, executedAfter, middles } as const;
    await kept({ fills: [fill()], lines: [MARKET, NOTED, sample, later] });
    expect(await total()).toMatchObject({ pnlUsdc: 5.2 });
  });

  it('gives a spreadsheet no formula of a title', async () => {
    await kept({ fills: [fill()], lines: [MARKET, NOTED] });
    expect((await ran('pnl', '--csv')).out).toContain(`m-1,"'=Will it rain?",1,`);
    expect(csvCell('-1.5')).toBe('-1.5');
  });

  it('refuses a time that ends before it begins', async () => {
    const { code, err } = await ran('pnl', '--from', '2026-11-24', '--to', '2026-11-23');
    expect(code).toBe(2);
    expect(err).toContain('--from: must be before --to');
  });
});

it('`report --json` writes the page too, where `--out` names a file', async () => {
  await kept({ fills: [fill()], lines: [MARKET, NOTED] });
  const page = join(dirname(file), 'day.html');
  const { code, out } = await ran('report', '--day', '2026-11-23', '--json', '--out', page);
  expect([code, JSON.parse(out).earned.total.fills]).toEqual([0, 1]);
  expect(readFileSync(page, 'utf8')).toContain('<!doctype html>');
});

describe('a form of the rows', () => {
  it.each(['fills', 'orders', 'pnl'])(
    'is CSV or JSON of `%s`, never silently one of two',
    async (name) => {
      const { code, out, err } = await ran(name, '--csv', '--json');
      expect([code, out]).toEqual([2, '']);
      expect(err).toContain("option '--csv' cannot be used with option '--json'");
    },
  );
});

describe('a market that the journal has never seen', () => {
  it.each(['fills', 'orders', 'pnl'])(
    'is named by `%s`, beside those that it has',
    async (name) => {
      await kept({ lines: [MARKET] });
      const { code, err } = await ran(name, '--market', 'm-7');
      expect(code).toBe(0);
      expect(err).toContain('the journal has seen no market m-7');
      expect(err).toMatch(/m-1 {2}=Will it rain\?/);
      expect((await ran(name, '--market', 'm-1')).err).toBe('');
    },
  );
});

describe('a time on the command line', () => {
  it.each([
    ['2026-11-23', '2026-11-23T00:00:00.000Z'],
    ['2026-11-23 10:30', '2026-11-23T10:30:00.000Z'],
    ['2026-11-23t10:30:01.5+02:00', '2026-11-23T08:30:01.500Z'],
    ['today', '2026-11-23T00:00:00.000Z'],
    ['yesterday', '2026-11-22T00:00:00.000Z'],
    ['90m', '2026-11-23T10:30:00.000Z'],
    ['12h', '2026-11-23T00:00:00.000Z'],
    ['7d', '2026-11-16T12:00:00.000Z'],
  ])('may be %s', (text, expected) => {
    expect(new Date(timeOf(text, NOON) ?? Number.NaN).toISOString()).toBe(expected);
  });

  it.each(['someday', '2026-13-01', '2026-02-30', '2026-11-23T25:00', '3w', ''])(
    'is not %j',
    (text) => {
      expect(timeOf(text, NOON)).toBeUndefined();
    },
  );
});
