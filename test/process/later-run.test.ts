// What was right when the daemon began, and is not when its next trader does: it is tried until it is.

import { writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeAll, describe, vi } from 'vitest';
import { ensureBuilt } from '../support/build.ts';
import { freePort } from '../support/free-port.ts';
import { LADDER } from '../support/live-daemon.ts';
import { childrenOf, eventually, ROOT } from '../support/processes.ts';
import { it } from '../support/scene.ts';

vi.setConfig({ testTimeout: 150_000 });

beforeAll(ensureBuilt);

describe.concurrent('a trader that begins where one before it has died', () => {
  it('waits for a strategy that somebody is just editing', async ({ scene, expect }) => {
    const file = join(scene.folder, 'own.js');
    const house = pathToFileURL(join(ROOT, 'dist/strategies/ladder.js')).href;
    const right = `import { strategy as ladder } from '${house}';
export const strategy = { ...ladder, name: 'own' };
`;
    await writeFile(file, right);
    await scene.configure({ markets: [{ event: 'rain', strategy: './own.js', params: LADDER }] });
    const daemon = await scene.quoting();
    await writeFile(file, right.slice(0, -4));
    process.kill(daemon.traderPid(), 'SIGKILL');
    await daemon.untilSaid('"reason":"refused"');
    expect(daemon.process.stderr()).toContain('own.js does not load');
    await scene.untilOpen(0);
    await writeFile(file, right);
    await scene.untilOpen(4);
  });

  it('quotes though somebody else has taken the port of its HTTP', async ({ scene, expect }) => {
    const port = await freePort();
    await scene.listenAt(port);
    const daemon = await scene.quoting();
    const said = daemon.process.stderr;
    const [http = 0] = await childrenOf(daemon.process.child.pid, 'http');
    process.kill(http, 'SIGKILL');
    const other = createServer();
    await eventually('the port of the one that is gone', async () => await taken(other, port), {
      said,
    });
    await daemon.untilSaid('"event":"http.not_listening"');
    process.kill(daemon.traderPid(), 'SIGKILL');
    await daemon.untilSaid('"event":"guard.handed_over"');
    await scene.untilOpen(4);
    expect(daemon.traderPids()).toHaveLength(2);
    other.close();
  });
});

async function taken(server: Server, port: number): Promise<true | undefined> {
  return await new Promise((resolve) => {
    server.once('error', () => resolve(undefined));
    server.listen(port, '127.0.0.1', () => resolve(true));
  });
}
