// `split`, `merge` and `redeem` where nothing is sent: what programs read of it.

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { runCli } from '../../../src/cli/cli.ts';
import { KillDesk } from './kill-desk.ts';

let desk: KillDesk;
beforeEach(async () => {
  desk = await KillDesk.open();
});
afterEach(async () => {
  await desk.close();
});

async function split(...args: readonly string[]) {
  const { baseUrl, wsUrl } = desk.venue;
  const file = join(desk.folder, 'config.yaml');
  const venue = `venue: { baseUrl: '${baseUrl}', wsUrl: '${wsUrl}' }`;
  await writeFile(file, `${venue}\nmarkets: []\njournal: { path: ${desk.journal} }\n`);
  const { event, market } = desk.marketAt(0);
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const named = ['--config', file, '--market', market.id, '--event', event.slug, '--json'];
  const env = desk.credentials;
  const code = await runCli(['split', ...named, ...args], { stdout, stderr, env });
  return { code, json: JSON.parse(String(stdout.read() ?? '')) };
}

it('has a state in a dry run, and where it is not possible', async () => {
  const dry = await split('--amount', '5', '--dry-run');
  expect([dry.code, dry.json]).toMatchObject([0, { amount: '5', state: 'dry-run' }]);
  const refused = await split('--amount', '90000');
  expect([refused.code, refused.json.state]).toEqual([1, 'refused']);
  expect(refused.json.detail).toContain('are available');
});
