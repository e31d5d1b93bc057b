import { expect, it } from 'vitest';
import { listenEmbedded } from '../../../src/app/embedded-venue.ts';
import { strategiesFor } from '../../../src/app/strategies.ts';
import { systemClock } from '../../../src/clock/system.ts';
import { loadSettings } from '../../../src/settings/load.ts';
import { listedEvent } from '../../support/listed-event.ts';

it('answers for as long as it is asked, though the time of day is set back by an hour', async () => {
  const file = 'config/paper.yaml';
  const { paper } = await loadSettings({ file, env: {}, strategies: await strategiesFor(file) });
  const machine = { wallMs: 1_800_000_000_000, steadyMs: 0 };
  const clock = systemClock({ wallMs: () => machine.wallMs, steadyMs: () => machine.steadyMs });
  const venue = await listenEmbedded({ paper, port: 0, clock }, [listedEvent('rain')]);
  const statuses = new Map<number, number>();
  for (let count = 0; count < 1_200; count += 1) {
    if (count === 600) machine.wallMs -= 3_600_000;
    machine.wallMs += 2;
    machine.steadyMs += 2;
    const request = { method: 'GET', target: '/api/time', headers: {}, body: '', address: 'here' };
    const { status } = venue.gate.answer(request);
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
  }
  await venue.stop();
  expect([...statuses]).toEqual([[200, 1_200]]);
});
