// The operators' record: what gets on it, that it is a chain, and that a chain which is not whole is told.

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import Sqlite from 'libsql';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { OperatorRecord } from '../../../src/app/operator-record.ts';
import { runCli } from '../../../src/cli/cli.ts';
import { systemClock } from '../../../src/clock/system.ts';
import type { StoredAction } from '../../../src/domain/action.ts';
import { marketId } from '../../../src/domain/ids.ts';
import type { LedgerRecord } from '../../../src/domain/record.ts';
import type { Report } from '../../../src/domain/report.ts';
import { unixMs } from '../../../src/domain/time.ts';
import { actionsFault, nextAction } from '../../../src/journal/action-chain.ts';
import { openLedger } from '../../../src/journal/ledger/ledger.ts';

const NOW = unixMs(1_800_000_000_000);

function recordOf(before: readonly StoredAction[] = []) {
  const kept: LedgerRecord[] = [];
  const told: Report[] = [];
  const record = new OperatorRecord({
    clock: { nowMs: () => NOW },
    before,
    keep: (each) => kept.push(each),
    tell: (report) => told.push(report),
  });
  const actions = () => kept.flatMap((each) => (each.kind === 'action' ? [each.action] : []));
  return { record, told, actions };
}

function threeActions(): readonly StoredAction[] {
  const { record, actions } = recordOf();
  for (const order of ['pause', 'resume', 'kill']) {
    record.onReport({ event: 'operator.order', order, by: 'http ::1', accepted: true });
  }
  return actions();
}

describe('the record', () => {
  it('has each order with who gave it and whether it was taken', () => {
    const { record, actions } = recordOf();
    const by = 'console 127.0.0.1 with the trade token';
    record.onReport({ event: 'operator.order', order: 'resume', by, accepted: false });
    const market = { marketId: marketId('m-1'), by: 'console ::1' } as const;
    record.onReport({ event: 'operator.market_order', order: 'kill', ...market, accepted: true });
    record.onReport({ event: 'market.kill_confirmed', ...market, tookMs: 5 });
    record.onReport({ event: 'market.unknown', choice: 'rain' });
    expect(actions()).toMatchObject([
      { number: 1, atMs: NOW, by, action: 'resume', target: 'account', result: 'refused' },
      { number: 2, by: 'console ::1', action: 'kill', target: 'm-1', result: 'done' },
      { number: 3, by: 'bookend', action: 'kill', target: 'm-1', result: 'confirmed' },
    ]);
    expect(actionsFault(actions())).toBeUndefined();
  });

  it('goes on from where an earlier run ended, whose end it shows again', () => {
    const before = threeActions();
    const { record, told, actions } = recordOf(before);
    record.begin();
    expect(told).toHaveLength(3);
    record.onReport({ event: 'operator.order', order: 'resume', by: 'me', accepted: true });
    expect(actions()).toMatchObject([{ number: 4 }]);
    expect(actionsFault([...before, ...actions()])).toBeUndefined();
  });

  it('says when what earlier runs left is not what was recorded, and has that on record, too', () => {
    const [one, two, three] = threeActions();
    if (!one || !two || !three) throw new Error('three actions are on record');
    const { record, told, actions } = recordOf([one, { ...two, by: 'nobody' }, three]);
    record.begin();
    expect(told.at(-1)).toMatchObject({ event: 'operator.record_damaged' });
    expect(actions()).toMatchObject([{ number: 4, result: 'damaged' }]);
  });
});

describe('the chain', () => {
  it.each(['by', 'action', 'target', 'result', 'detail', 'atMs'] as const)(
    'does not fit where %s of a link was changed',
    (field) => {
      const changed = threeActions().map((each) =>
        each.number === 2 ? { ...each, [field]: field === 'atMs' ? 1 : 'x' } : each,
      );
      expect(actionsFault(changed)).toContain('number 2');
    },
  );

  it('does not fit where a link was taken out, and fits where the oldest are no longer kept', () => {
    const [one, two, three] = threeActions();
    if (!one || !two || !three) throw new Error('three actions are on record');
    expect(actionsFault([one, three])).toBe('number 2 is missing');
    expect(actionsFault([two, three])).toBeUndefined();
  });

  it('keeps no more of a text than a line or two', () => {
    const long = { atMs: NOW, action: 'kill', target: 'account', result: 'done', detail: '' };
    expect(nextAction(undefined, { ...long, by: 'x'.repeat(10_000) }).by).toHaveLength(500);
  });
});

describe('the record in a ledger', () => {
  const clock = systemClock();
  let folder = '';
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'bookend-record-'));
  });
  afterEach(async () => await rm(folder, { recursive: true, force: true }));

  it('is whole there whatever characters a venue has put into its words, or a cut has left', async () => {
    const { record, actions } = recordOf();
    for (const detail of ['no\0thing', 'half \ud83d', `${'x'.repeat(499)}\u{1f600}`]) {
      record.add({ by: 'me', action: 'merge', target: 'm-1', result: 'refused', detail });
    }
    const ledger = await openLedger({ path: join(folder, 'bookend.db'), clock });
    ledger.commit(actions().map((action) => ({ kind: 'action', action })));
    const read = ledger.actions(10);
    ledger.close();
    expect(read).toHaveLength(3);
    expect(actionsFault(read)).toBeUndefined();
  });

  async function written(): Promise<string> {
    const path = join(folder, 'bookend.db');
    const ledger = await openLedger({ path, clock });
    ledger.commit(threeActions().map((action) => ({ kind: 'action', action }) as const));
    expect(ledger.actions(2).map(({ number }) => number)).toEqual([2, 3]);
    ledger.close();
    return path;
  }

  async function shown(path: string) {
    const file = join(folder, 'c.yaml');
    await writeFile(
      file,
      `venue: { baseUrl: 'https://venue.example/api', wsUrl: 'wss://venue.example/ws' }\njournal: { path: ${path} }\n`,
    );
    const [stdout, stderr] = [new PassThrough(), new PassThrough()];
    const code = await runCli(['events', '--config', file], { stdout, stderr, env: {} });
    return { code, stdout: String(stdout.read() ?? ''), stderr: String(stderr.read() ?? '') };
  }

  it('is shown by `bookend events`', async () => {
    const { code, stdout } = await shown(await written());
    expect(code).toBe(0);
    expect(stdout).toContain('pause of account by http ::1: done');
    expect(stdout.trim().split('\n')).toHaveLength(3);
  });

  it('is told to be damaged where somebody has written to it', async () => {
    const path = await written();
    const sql = new Sqlite(path);
    sql.exec("UPDATE actions SET by = 'somebody else' WHERE number = 3");
    sql.close();
    const { code, stderr } = await shown(path);
    expect(code).toBe(1);
    expect(stderr).toContain('THE RECORD IS DAMAGED: number 3');
  });
});
