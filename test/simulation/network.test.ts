// The network between the client and the venue, as one process of the daemon sees it.

import { expect, it } from 'vitest';
import { VirtualClock } from '../../src/clock/virtual.ts';
import { seededRandom } from '../../src/paper/crowd/random.ts';
import { openDirectVenue } from '../../src/paper/direct.ts';
import { type CalledOff, type Exchange, exchange } from '../../src/venue/http/exchange.ts';
import { SimulatedNetwork } from './world/network.ts';
import { Tally } from './world/tally.ts';
import { Weather } from './world/weather.ts';

const READ = { method: 'GET', path: '/api/time', headers: {}, body: '' } as const;
const LONG_MS = 10_000;

/** What comes of one read, and how often one left. */
async function readOnce(calledOff: CalledOff): Promise<{ result: Exchange; sent: number }> {
  const clock = new VirtualClock();
  const venue = openDirectVenue({
    clock,
    timers: clock,
    events: [],
    seed: 1,
    startingCash: 1,
    accountName: 'maker',
  });
  let sent = 0;
  const watch = {
    onSent: () => {
      sent += 1;
    },
    during: (_: unknown, effect: () => void) => effect(),
    onAnswer: () => undefined,
  };
  const weather = new Weather(seededRandom(1), new Tally());
  const parts = { venue, timers: clock, weather, watch, onWake: () => undefined };
  const network = new SimulatedNetwork(parts, 1);
  const limits = { totalMs: LONG_MS, timers: clock, calledOff };
  const asked = exchange(network, READ, limits);
  clock.advance(LONG_MS / 2);
  const result = await Promise.race([
    asked,
    new Promise<never>((_, reject) => setImmediate(reject)),
  ]);
  venue.stop();
  return { result, sent };
}

it('carries a request', async () => {
  const { result, sent } = await readOnce(() => undefined);
  expect(result).toMatchObject({ kind: 'answer', status: 200 });
  expect(sent).toBe(1);
});

it('carries nothing that is called off when it would leave, and the client knows at once', async () => {
  const { result, sent } = await readOnce(() => 'too old');
  expect(result).toMatchObject({ kind: 'failed', wasSent: false });
  expect(sent).toBe(0);
});
