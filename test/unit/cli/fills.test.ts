// `fills`: what the ledger has of own fills.

import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { PassThrough } from 'node:stream';
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet';
import { beforeEach, describe, expect, it } from 'vitest';
import { runCli } from '../../../src/cli/cli.ts';
import { intentId, marketId, tokenId } from '../../../src/domain/ids.ts';
import type { StoredFill } from '../../../src/domain/record.ts';
import { shares } from '../../../src/domain/shares.ts';
import { tickGrid, ticks } from '../../../src/domain/ticks.ts';
import { unixMs } from '../../../src/domain/time.ts';
import { openLedger } from '../../../src/journal/ledger/ledger.ts';
import { tempFolder } from '../../support/temp-folder.ts';

const GRID = tickGrid('0.01');
let file = '';
let journal = '';

beforeEach(() => {
  const folder = tempFolder('fills');
  file = join(folder, 'run.yaml');
  journal = join(folder, 'run.db');
  writeFileSync(
    file,
    `venue: { baseUrl: 'https://venue.example/api', wsUrl: 'wss://venue.example/ws' }\njournal: { path: ${journal} }\n`,
  );
});

function fill(at: string, change: Partial<StoredFill> = {}): StoredFill {
  return {
    intentId: intentId(`i-${at}`),
    marketId: marketId('m-1'),
    tokenId: tokenId('0x01'),
    side: 'BUY',
    price: ticks(GRID, 48),
    ticksPerUnit: 100,
    quantity: shares(2.5),
    executedAfter: shares(2.5),
    cashNano: -1_200_000_000,
    atMs: unixMs(Date.parse(at)),
    ...change,
  };
}

async function stored(...fills: readonly StoredFill[]): Promise<void> {
  const ledger = await openLedger({ path: journal, clock: { nowMs: () => unixMs(Date.now()) } });
  ledger.commit(fills.map((each) => ({ kind: 'fill', fill: each })));
  ledger.close();
}

async function fills(...args: readonly string[]) {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const code = await runCli(['fills', '--config', file, ...args], { stdout, stderr, env: {} });
  return { code, out: String(stdout.read() ?? ''), err: String(stderr.read() ?? '') };
}

describe('`fills`', () => {
  const early = fill('2026-11-22T23:59:59.999Z');
  const late = fill('2026-11-23T00:00:00.000Z', { marketId: marketId('m-2'), isInferred: true });

  it('prints them oldest first as CSV, with where each is from', async () => {
    await stored(late, early);
    const { out } = await fills('--csv');
    expect(out.trimEnd().split('\n')).toEqual([
      'time,marketId,tokenId,side,price,shares,cashUsdc,intentId,source',
      '2026-11-22T23:59:59.999Z,m-1,0x01,BUY,0.48,2.5,-1.200000,i-2026-11-22T23:59:59.999Z,reported',
      '2026-11-23T00:00:00.000Z,m-2,0x01,BUY,0.48,2.5,-1.200000,i-2026-11-23T00:00:00.000Z,inferred',
    ]);
  });

  it('writes a Parquet file with numbers, times and texts', async () => {
    await stored(late, early);
    const parquet = join(dirname(file), 'fills.parquet');
    const { out } = await fills('--csv', '--parquet', parquet);
    expect(out.trimEnd().split('\n')).toHaveLength(3);
    expect(await parquetReadObjects({ file: await asyncBufferFromFile(parquet) })).toEqual([
      expect.objectContaining({
        time: new Date('2026-11-22T23:59:59.999Z'),
        ...{ marketId: 'm-1', price: 0.48, shares: 2.5, cashUsdc: -1.2, source: 'reported' },
      }),
      expect.objectContaining({ time: new Date('2026-11-23T00:00:00.000Z'), marketId: 'm-2' }),
    ]);
  });

  it('says where no Parquet file can be written', async () => {
    await stored(early);
    const { code, err } = await fills('--parquet', join(dirname(file), 'no', 'fills.parquet'));
    expect(code).toBe(2);
    expect(err).toContain('fills.parquet: cannot be written (ENOENT');
  });

  it('keeps to the time and market that are asked for, in UTC', async () => {
    await stored(late, early);
    const times = async (...args: readonly string[]) => {
      const rows: unknown = JSON.parse((await fills('--json', ...args)).out);
      return Array.isArray(rows) ? rows.map((row) => Reflect.get(row, 'time')) : [];
    };
    expect(await times('--from', '2026-11-23')).toEqual(['2026-11-23T00:00:00.000Z']);
    expect(await times('--to', '2026-11-23')).toEqual(['2026-11-22T23:59:59.999Z']);
    expect(await times('--from', '2026-11-23T01:00+01:00')).toEqual(['2026-11-23T00:00:00.000Z']);
    expect(await times('--market', 'm-1')).toEqual(['2026-11-22T23:59:59.999Z']);
  });

  it('adds up what they cost', async () => {
    await stored(late, early);
    expect((await fills()).out).toContain('2 fills, cash -2.400000 USDC without fees');
  });

  it('says that there is no ledger, and refuses what is no time', async () => {
    expect(await fills()).toMatchObject({ code: 1, err: expect.stringContaining('no ledger') });
    expect(await fills('--from', 'someday')).toMatchObject({
      code: 2,
      err: expect.stringContaining('not a time, as 2026-11-23'),
    });
  });
});
