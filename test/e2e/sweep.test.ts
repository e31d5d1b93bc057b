// A sweep that somebody ends at the keyboard says what is kept, and goes on from there.

import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { ensureBuilt } from '../support/build.ts';
import { eventually, ROOT, type RunningProcess, startBookend } from '../support/processes.ts';
import { tempFolder } from '../support/temp-folder.ts';

vi.setConfig({ testTimeout: 150_000 });

beforeAll(ensureBuilt);

function startSweep(folder: string, hours: string, ...more: readonly string[]) {
  const of = ['--config', join(ROOT, 'config/paper.yaml'), '--strategy', 'ladder'];
  const range = ['--range', 'halfSpreadTicks=1,2,3', '--workers', '1'];
  const world = ['--world', 'calm', '--seeds', '1', '--hours', hours];
  return startBookend(['sweep', ...of, ...range, ...world, ...more], { cwd: folder });
}

async function untilOneDone({ stderr }: RunningProcess): Promise<void> {
  await eventually('one set', () => /^1 of 4/m.test(stderr()) || undefined, { said: stderr });
}

describe('a sweep that is interrupted', () => {
  it('says where its sets are kept, and the same command goes on from there', async () => {
    const folder = tempFolder('sweep');
    const first = startSweep(folder, '0.3', '--file', 'sets.ndjson');
    await untilOneDone(first);
    first.signal('SIGINT');
    expect((await first.ended).code).toBe(130);
    const kept = /interrupted: (\d) sets are kept in sets\.ndjson/.exec(first.stderr())?.[1];
    expect(Number(kept)).toBeGreaterThan(0);
    const second = startSweep(folder, '0.3', '--file', 'sets.ndjson');
    expect((await second.ended).code).toBe(0);
    const lines = second.stderr().match(/^\d of 4/gm) ?? [];
    expect(lines).toHaveLength(4 - Number(kept));
  });

  it('does not go on with results of other settings', async () => {
    const folder = tempFolder('sweep');
    const known = await readFile(join(ROOT, 'config/paper.yaml'), 'utf8');
    const sweep = async (text: string) => {
      await writeFile(join(folder, 'config.yaml'), text);
      const of = ['--config', 'config.yaml', '--strategy', 'ladder', '--range', 'levels=1'];
      const world = ['--world', 'calm', '--seeds', '1', '--hours', '0.01', '--workers', '1'];
      return startBookend(['sweep', ...of, ...world, '--file', 'sets.ndjson'], { cwd: folder });
    };
    expect((await (await sweep(known)).ended).code).toBe(0);
    const other = await sweep(`${known}\nbacktest: { takerFeeRate: 0.02 }\n`);
    expect((await other.ended).code).toBe(2);
    expect(other.stderr()).toContain('other settings or recordings');
  });

  it('says that none is kept where no file was named', async () => {
    const sweep = startSweep(tempFolder('sweep'), '0.3');
    await untilOneDone(sweep);
    sweep.signal('SIGINT');
    expect((await sweep.ended).code).toBe(130);
    expect(sweep.stderr()).toContain('none is kept without --file');
  });
});
