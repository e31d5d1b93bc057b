// `bookend kill` from a folder without a journal, as on another machine: a daemon that answers at the address
// of the configuration confirms the kill of its own account, and no other.

import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, vi } from 'vitest';
import { ensureBuilt } from '../support/build.ts';
import { CONTROL_TOKEN, LADDER, LiveDaemon, writeConfig } from '../support/live-daemon.ts';
import { LiveVenue } from '../support/live-venue.ts';
import { startBookend } from '../support/processes.ts';
import { it, type Scene } from '../support/scene.ts';

vi.setConfig({ testTimeout: 150_000 });

const OWN = { scope: 'own' };

beforeAll(ensureBuilt);

/** Kills with the configuration of the scene and nothing else of it, and tells the daemon at an address. */
async function killFromElsewhere({ folder, venue }: Scene, address: string) {
  const elsewhere = join(folder, 'elsewhere');
  await mkdir(elsewhere);
  const config: object = JSON.parse(await readFile(join(folder, 'config.yaml'), 'utf8'));
  const http = { port: Number(new URL(address).port) };
  await writeFile(join(elsewhere, 'config.yaml'), JSON.stringify({ ...config, http }));
  const kill = startBookend(['kill', '--config', 'config.yaml'], {
    cwd: elsewhere,
    env: { ...venue.credentials(), BOOKEND_CONTROL_TOKEN: CONTROL_TOKEN },
  });
  const { code } = await kill.ended;
  return { code, stdout: kill.stdout(), stderr: kill.stderr() };
}

describe('a kill with credentials that cannot be read', () => {
  it('says so, and stops the daemon all the same', async ({ scene, expect }) => {
    const daemon = await scene.quoting();
    const kill = startBookend(['kill', '--config', 'config.yaml'], {
      cwd: scene.folder,
      env: { VENUE_CREDENTIALS_FILE: join(scene.folder, 'of-somebody-else.json') },
    });
    const { code } = await kill.ended;
    expect(code).not.toBe(0);
    expect(kill.stderr()).toContain('VENUE_CREDENTIALS_FILE cannot be read');
    await daemon.untilPhase('killed');
    expect(await scene.venue.openOrders()).toEqual([]);
  });
});

describe('a kill without credentials', () => {
  it('says so once and at once, stops the daemon all the same, and confirms nothing', async ({
    scene,
    expect,
  }) => {
    const daemon = await scene.quoting();
    const kill = startBookend(['kill', '--config', 'config.yaml'], { cwd: scene.folder });
    const { code } = await kill.ended;
    expect(code).toBe(4);
    const said = `${kill.stdout()}${kill.stderr()}`;
    expect(said.match(/no credentials/g)).toHaveLength(1);
    await daemon.untilPhase('killed');
    expect(await scene.venue.openOrders()).toEqual([]);
  });
});

describe('a kill of own orders without the ledger that names them', () => {
  it('is confirmed by the daemon of the account', async ({ scene, expect }) => {
    await scene.configure({ orders: OWN });
    const daemon = await scene.quoting();
    const { code } = await killFromElsewhere(scene, daemon.address);
    expect(code).toBe(0);
    expect(await scene.venue.openOrders()).toEqual([]);
  });

  it('is not confirmed by a daemon of another account', async ({ scene, expect }) => {
    await scene.configure({ orders: OWN });
    await scene.quoting();
    const otherVenue = await LiveVenue.start();
    const folder = join(scene.folder, 'other');
    await mkdir(folder);
    const markets = [{ event: 'rain', strategy: 'ladder', params: LADDER }];
    await writeConfig(folder, otherVenue, { markets });
    const other = await LiveDaemon.start(folder, otherVenue);

    const { code, stdout, stderr } = await killFromElsewhere(scene, other.address);
    expect(code).toBe(4);
    expect(stdout).toContain('NOT CONFIRMED');
    expect(stderr).toContain('confirms nothing here');
    expect(await scene.venue.openOrders()).toHaveLength(4);

    other.process.signal('SIGTERM');
    await other.process.ended;
    await otherVenue.stop();
  });
});
