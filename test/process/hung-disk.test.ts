// A kill beside a disk that hangs: whoever opens its ledger waits for somebody at the other end.

import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, vi } from 'vitest';
import { ensureBuilt } from '../support/build.ts';
import { it } from '../support/scene.ts';

vi.setConfig({ testTimeout: 90_000 });

beforeAll(ensureBuilt);

describe.skipIf(process.platform === 'win32')('a ledger on a disk that hangs', () => {
  it('keeps no kill of own orders from its word, nor from its end', async ({ scene, expect }) => {
    mkdirSync(join(scene.folder, 'data'));
    execFileSync('mkfifo', [join(scene.folder, 'data/test.db')]);
    const killing = scene.command('kill', '--own', '--json');
    const { code, signal } = await killing.ended;
    expect(JSON.parse(killing.stdout())).toMatchObject({
      kind: 'unproven',
      detail: expect.stringContaining('does not answer'),
    });
    expect([code, signal]).toEqual([null, 'SIGKILL']);
  });
});
