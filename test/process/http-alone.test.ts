// The process that serves HTTP when the one that started it is gone, at whatever moment.

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { ensureBuilt } from '../support/build.ts';
import { MAIN } from '../support/processes.ts';
import { tempFolder } from '../support/temp-folder.ts';

beforeAll(ensureBuilt);

function started() {
  const folder = tempFolder('alone');
  const child = fork(MAIN, ['http'], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  const begin = {
    ...{ kind: 'begin', http: { host: '127.0.0.1', port: 0, allowedHosts: [] } },
    ...{
      configFile: join(folder, 'config.yaml'),
      journal: join(folder, 'x.db'),
      token: undefined,
      roleTokens: {},
    },
    ...{ path: join(folder, 'trader'), hasKiller: true, proofMsMax: 1_000 },
  };
  return { folder, child, begin };
}

describe('the process that serves HTTP', () => {
  it('ends where whoever started it was gone before it had loaded', async () => {
    const { child } = started();
    const ended = once(child, 'exit');
    child.disconnect();
    expect(await ended).toEqual([0, null]);
  });

  it('takes the folder of its socket away when whoever made it has ended by force', async () => {
    const { child, begin, folder } = started();
    const ended = once(child, 'exit');
    const listening = new Promise<void>((resolve) => {
      child.on('message', ({ kind }: { kind: string }) => {
        if (kind === 'listening') resolve();
      });
    });
    child.send(begin);
    await listening;
    expect(existsSync(begin.path)).toBe(true);
    child.disconnect();
    expect(await ended).toEqual([0, null]);
    expect(existsSync(folder)).toBe(false);
  });
});
