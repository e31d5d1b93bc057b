// A trader that dies while its disk takes nothing: whoever makes room gets quotes, and nobody has to resume.

import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, vi } from 'vitest';
import { ensureBuilt } from '../support/build.ts';
import { eventually } from '../support/processes.ts';
import { it } from '../support/scene.ts';

vi.setConfig({ testTimeout: 150_000 });

beforeAll(ensureBuilt);

const run = promisify(execFile);
const mayLimit = await run('prlimit', ['--version']).then(
  () => process.platform === 'linux',
  () => false,
);

/** More than the guard lets crash before it stays down. */
const DEATHS = 7;

describe.runIf(mayLimit)('a trader that dies on a disk without room', () => {
  it('is started again for as long as it takes', async ({ scene, expect }) => {
    await scene.configure({ guard: { reserve: false } });
    const daemon = await scene.quoting();
    const guard = daemon.process.child.pid;
    // What it starts from now on inherits the limit.
    const limit = async (bytes: string) =>
      await run('prlimit', ['--pid', String(guard), `--fsize=${bytes}:unlimited`]);
    await limit('50');
    process.kill(daemon.traderPid(), 'SIGKILL');
    const said = daemon.process.stderr;
    await eventually(
      'deaths',
      () => (said().split('guard.trader_died').length > DEATHS ? true : undefined),
      { said, withinMs: 100_000 },
    );
    expect(await scene.venue.openOrders()).toEqual([]);
    // Each claim that is left there would be watched for a sign of activity.
    const claims = readdirSync(join(scene.folder, 'data')).filter((name) => /\.lock\./.test(name));
    expect(claims.length).toBeLessThanOrEqual(2);
    await limit('unlimited');
    await scene.untilOpen(4);
    expect(said()).toContain('"reason":"refused"');
    expect(said()).not.toContain('guard.staying_down');
  });
});
