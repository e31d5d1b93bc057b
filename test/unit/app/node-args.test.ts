import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
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

  it('are those of an older Node where it knows no others', () => {
    expect(serverNodeArgs(folder, new Set()).join(' ')).not.toContain('permission');
  });

  it('end at its socket, its threads and what it reads', () => {
    const known = new Set(['--permission', '--allow-net']);
    expect(serverNodeArgs(folder, known)).toEqual(
      expect.arrayContaining(['--permission', `--allow-fs-write=${folder}`, '--allow-net']),
    );
    const args = serverNodeArgs(undefined, new Set(['--permission'])).join(' ');
    expect(args).not.toMatch(/fs-write|child-process|addons|inspector|allow-net/);
  });

  it.runIf(process.allowedNodeEnvironmentFlags.has('--permission'))(
    'are held by Node: no file elsewhere, no process',
    async () => {
      const file = join(folder, 'try.mjs');
      writeFileSync(file, TRY);
      const elsewhere = join(tmpdir(), 'bookend-rights-not-made');
      const args = [...serverNodeArgs(folder), file, folder, elsewhere];
      const { stdout, stderr } = await promisify(execFile)(process.execPath, args);
      expect(stdout).toBe('done ERR_ACCESS_DENIED ERR_ACCESS_DENIED');
      expect(stderr).toBe('');
    },
  );
});

const TRY = `
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
const [, , folder, elsewhere] = process.argv;
const codeOf = (task) => { try { task(); return 'done'; } catch (error) { return error.code; } };
process.stdout.write([
  codeOf(() => writeFileSync(folder + '/own', '')),
  codeOf(() => writeFileSync(elsewhere, '')),
  codeOf(() => execFileSync(process.execPath, ['--version'])),
].join(' '));
`;
