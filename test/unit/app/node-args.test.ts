import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { serverNodeArgs, traderNodeArgs } from '../../../src/app/node-args.ts';
import { tempFolder } from '../../support/temp-folder.ts';

describe('the young generation of a trader', () => {
  it('is bounded', () => {
    const args = traderNodeArgs({ execArgv: ['--enable-source-maps'], nodeOptions: undefined });
    expect(args).toEqual(['--max-semi-space-size=2']);
  });

  it.each([
    { execArgv: ['--max-semi-space-size=8'], nodeOptions: undefined },
    { execArgv: ['--max_semi_space_size=8'], nodeOptions: undefined },
    { execArgv: [], nodeOptions: '--no-warnings --max-semi-space-size=8' },
  ])('is what an operator chose: $execArgv $nodeOptions', (chosen) => {
    expect(traderNodeArgs(chosen)).toEqual([]);
  });
});

describe('the rights of the process that serves HTTP', () => {
  const folder = tempFolder('rights');
  const known = new Set(['--permission', '--allow-net']);

  it('are those of an older Node where it knows no others', () => {
    const args = serverNodeArgs({ folder, reads: ['/data'] }, new Set());
    expect(args.join(' ')).not.toMatch(/permission|allow/);
  });

  it('end at its socket, its threads and what it reads', () => {
    expect(serverNodeArgs({ folder, reads: ['/data/x'] }, known)).toEqual(
      expect.arrayContaining([
        ...['--permission', '--allow-net', `--allow-fs-write=${folder}`],
        ...[`--allow-fs-read=${folder}`, '--allow-fs-read=/data/x'],
      ]),
    );
    const args = serverNodeArgs({ folder: undefined, reads: [] }, new Set(['--permission']));
    expect(args.join(' ')).not.toMatch(/fs-|child-process|addons|inspector|allow-net/);
  });

  it.runIf(process.allowedNodeEnvironmentFlags.has('--permission'))(
    'are held by Node, in threads too: no other file, no process',
    async () => {
      const file = join(folder, 'try.mjs');
      writeFileSync(file, TRY);
      const apart = tempFolder('rights-apart');
      for (const name of ['config.yaml', 'config.yaml.env', '.env', 'venue.json']) {
        writeFileSync(join(apart, name), '');
      }
      const reads = [join(apart, 'config.yaml')];
      const args = [...serverNodeArgs({ folder, reads }), file, folder, apart];
      const { stdout, stderr } = await promisify(execFile)(process.execPath, args, { cwd: folder });
      const said = 'done done no no no no no no no no';
      expect(stdout.trim().split('\n')).toEqual([said, said]);
      expect(stderr).toBe('');
    },
  );
});

const TRY = `
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { isMainThread, Worker } from 'node:worker_threads';
const [folder, apart] = process.argv.slice(2);
const codeOf = (task) => {
  try { task(); return 'done'; } catch (error) { return error.code === 'ERR_ACCESS_DENIED' ? 'no' : error.code; }
};
const read = (path) => codeOf(() => readFileSync(path));
console.log([
  codeOf(() => writeFileSync(folder + '/own', '')),
  read(apart + '/config.yaml'),
  codeOf(() => writeFileSync(apart + '/config.yaml', '')),
  read(apart + '/config.yaml.env'),
  read(apart + '/.env'),
  read(apart + '/venue.json'),
  read('/proc/self/environ'),
  read('/proc/' + process.ppid + '/environ'),
  isMainThread ? codeOf(() => process.chdir(apart)) : 'no',
  codeOf(() => execFileSync(process.execPath, ['--version'])),
].join(' '));
if (isMainThread) new Worker(new URL(import.meta.url), { argv: [folder, apart] });
`;
