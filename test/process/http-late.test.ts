// Quotes and the process that serves HTTP: they wait for it only where its port may be somebody else's.

import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeAll, describe, vi } from 'vitest';
import { ensureBuilt } from '../support/build.ts';
import { it } from '../support/scene.ts';

vi.setConfig({ testTimeout: 150_000 });

beforeAll(ensureBuilt);

// A machine that many share may take as long as the wait that is not to be.
const OPTIONS = { retry: 2 };

describe.concurrent('a first start', () => {
  it(
    'quotes while the process that serves HTTP still loads',
    OPTIONS,
    async ({ scene, expect }) => {
      const file = join(scene.folder, 'late.mjs');
      await writeFile(
        file,
        'if (process.argv[2] === "http") await new Promise((done) => setTimeout(done, 60_000));\n',
      );
      await scene.configure({});
      const daemon = scene.run({ NODE_OPTIONS: `--import=${pathToFileURL(file).href}` });
      await scene.untilOpen(4);
      expect(daemon.stderr()).not.toContain('"event":"http.silent"');
      expect(daemon.stderr()).not.toContain('"event":"daemon.started"');
      daemon.signal('SIGTERM');
      expect(await daemon.ended).toEqual({ code: 0, signal: null });
      expect(await scene.venue.openOrders()).toEqual([]);
    },
  );

  it('is refused where its port is taken, before anything is placed', async ({ scene, expect }) => {
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
    const address = taken.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    await scene.configure({});
    await scene.listenAt(port);
    const refused = scene.run();
    expect(await refused.ended).toEqual({ code: 1, signal: null });
    expect(refused.stderr()).toContain(`127.0.0.1:${port} is in use by another process`);
    expect(await scene.venue.openOrders()).toEqual([]);
    taken.close();
  });
});
