// What commands did without a daemon, and how the next start takes it on record.

import { appendFileSync, existsSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { recordErrands } from '../../../src/app/errands.ts';
import { runCli } from '../../../src/cli/cli.ts';
import { systemClock } from '../../../src/clock/system.ts';
import { unixMs } from '../../../src/domain/time.ts';
import { actionsFault, nextAction } from '../../../src/journal/action-chain.ts';
import { noteErrand, readErrands } from '../../../src/journal/errands.ts';
import { openLedger } from '../../../src/journal/ledger/ledger.ts';
import { tempFolder } from '../../support/temp-folder.ts';

const clock = systemClock();
const warned: string[] = [];
const log = { warn: (event: string) => void warned.push(event) };

function killAt(atMs: number, target = 'mkt_1') {
  const what = { action: 'kill', target, result: 'confirmed', detail: '1 cancelled' };
  return { atMs: unixMs(atMs), by: 'bookend kill (process 7)', ...what };
}

function journal(): string {
  return join(tempFolder('errands'), 'run.db');
}

/** As a start does it. */
async function start(path: string) {
  const ledger = await openLedger({ path, clock });
  await recordErrands(ledger, path, log);
  const actions = ledger.actions(100);
  ledger.close();
  return actions;
}

it('each is a link of the chain, with the moment at which it was done, and is taken once', async () => {
  const path = journal();
  await noteErrand(path, killAt(1_000));
  await noteErrand(path, killAt(2_000, 'mkt_2'));
  expect(await readErrands(path)).toEqual([killAt(1_000), killAt(2_000, 'mkt_2')]);
  const actions = await start(path);
  expect(actions).toMatchObject([
    { number: 1, ...killAt(1_000) },
    { number: 2, ...killAt(2_000, 'mkt_2') },
  ]);
  expect(actionsFault(actions)).toBeUndefined();
  expect(await readErrands(path)).toEqual([]);
  expect(await start(path)).toEqual(actions);
});

it('a start that ended between the record and the end of the file records none twice', async () => {
  const path = journal();
  await noteErrand(path, killAt(1_000));
  const ledger = await openLedger({ path, clock });
  ledger.commit([{ kind: 'action', action: nextAction(undefined, killAt(1_000)) }]);
  ledger.close();
  renameSync(`${path}.errands`, `${path}.errands.taking`);
  await noteErrand(path, killAt(2_000));
  expect(await readErrands(path)).toHaveLength(2);
  expect((await start(path)).map(({ atMs }) => atMs)).toEqual([1_000, 2_000]);
  expect(readdirSync(join(path, '..')).filter((name) => name.includes('errands'))).toEqual([]);
});

it('half a line, or one that is no errand, costs none of the others', async () => {
  const path = journal();
  await noteErrand(path, killAt(1_000));
  appendFileSync(`${path}.errands`, '{"atMs":3,"by":"x"}\n[]\n{"atMs":');
  await noteErrand(path, killAt(2_000));
  expect((await start(path)).map(({ atMs }) => atMs)).toEqual([1_000, 2_000]);
});

it('a file that is full takes no more, and says so', async () => {
  const path = journal();
  writeFileSync(`${path}.errands`, 'x'.repeat(1_000_001));
  await expect(noteErrand(path, killAt(1_000))).rejects.toThrow('it is full');
});

it('where there is no folder nothing is made', async () => {
  const folder = tempFolder('errands');
  await noteErrand(join(folder, 'none', 'run.db'), killAt(1_000));
  expect(existsSync(join(folder, 'none'))).toBe(false);
});

it('what cannot be read keeps no daemon from starting, and is said', async () => {
  const path = journal();
  writeFileSync(join(path, '..', 'a-file'), '');
  const ledger = await openLedger({ path, clock });
  await recordErrands(ledger, join(path, '..', 'a-file', 'run.db'), log);
  ledger.close();
  expect(warned).toEqual(['journal.errands_unread']);
});

it('`events` shows what the next start will take on record', async () => {
  // No daemon has ever run here.
  const path = journal();
  await noteErrand(path, killAt(1_000));
  const file = join(path, '..', 'config.yaml');
  writeFileSync(file, JSON.stringify({ journal: { path }, markets: [] }));
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  expect(await runCli(['events', '--config', file], { stdout, stderr, env: {} })).toBe(0);
  expect(String(stdout.read())).toContain(
    '- 1970-01-01T00:00:01.000Z kill of mkt_1 by bookend kill (process 7): confirmed; 1 cancelled; the next start takes it on record',
  );
});
