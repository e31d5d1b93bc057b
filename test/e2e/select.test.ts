// Markets that a filter selects: chosen from the venue's listing, and joining while the daemon runs.

import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { ensureBuilt } from '../support/build.ts';
import { CONTROL_TOKEN, LADDER, LiveDaemon, writeConfig } from '../support/live-daemon.ts';
import { LiveVenue } from '../support/live-venue.ts';
import { endAll, startBookend } from '../support/processes.ts';

// Three commands start as programs, where others do too.
vi.setConfig({ testTimeout: 120_000 });

let folder: string;
let venue: LiveVenue;

beforeAll(async () => {
  await ensureBuilt();
  folder = await mkdtemp(join(tmpdir(), 'bookend-e2e-select-'));
  venue = await LiveVenue.start();
});

afterAll(async () => {
  await endAll();
  await venue.stop();
  await rm(folder, { recursive: true, force: true });
});

async function ask(command: string, daemon: LiveDaemon): Promise<string> {
  // The port was any that was free.
  const config = JSON.parse(await readFile(join(folder, 'config.yaml'), 'utf8'));
  config.http.port = Number(new URL(daemon.address).port);
  await writeFile(join(folder, 'asked.yaml'), JSON.stringify(config));
  const run = startBookend([command, '--config', 'asked.yaml'], {
    cwd: folder,
    env: { ...venue.credentials(), BOOKEND_CONTROL_TOKEN: CONTROL_TOKEN },
  });
  await run.ended;
  return `${run.stdout()}${run.stderr()}`;
}

it('a filter quotes what opens while the daemon runs, and every command says what it has chosen', async () => {
  const rain = venue.market('rain');
  const [ann, ben] = [venue.market('race', 0), venue.market('race', 1)];
  await venue.quoteBook(rain, { bid: 0.4, ask: 0.6 });
  for (const { id } of [ann, ben]) {
    await venue.control('status', { marketId: id, status: 'closed' });
  }
  const select = { search: 'w', max: 3, refreshSec: 5 };
  await writeConfig(folder, venue, {
    markets: [{ select, strategy: 'ladder', params: LADDER }],
  });
  const daemon = await LiveDaemon.start(folder, venue);
  await daemon.untilResting(4);
  const [chosen] = (await daemon.state()).selection ?? [];
  expect(chosen).toMatchObject({ select: 'search=w', events: ['rain'], marketCount: 1 });

  for (const market of [ann, ben]) {
    await venue.control('status', { marketId: market.id, status: 'open' });
    await venue.quoteBook(market, { bid: 0.4, ask: 0.6 });
  }
  await daemon.untilResting(12);
  expect(await ask('status', daemon)).toContain(
    'select search=w: 3 of at most 3 markets in 2 events (2 fit): rain, race',
  );
  expect(await ask('markets', daemon)).toMatch(/race .*open +select/);
  expect(await ask('doctor', daemon)).toContain('search=w: 3 of at most 3 markets in 2 events');
});
