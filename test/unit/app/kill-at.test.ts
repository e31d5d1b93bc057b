// The independent kill path over a real connection.

import { afterEach, beforeEach, expect, it } from 'vitest';
import { killAt } from '../../../src/app/venue-access.ts';
import { systemClock } from '../../../src/clock/system.ts';
import { Secret } from '../../../src/domain/secret.ts';
import { parseSettings } from '../../../src/settings/load.ts';
import {
  failure,
  type HttpDouble,
  inTurn,
  ok,
  startHttpDouble,
} from '../../support/http-double.ts';

const clock = systemClock();
const IDENTITY = {
  apiKey: new Secret('k'),
  apiSecret: new Secret('s'),
  apiPassphrase: new Secret('p'),
};
let venue: HttpDouble;

beforeEach(async () => {
  venue = await startHttpDouble();
});
afterEach(async () => await venue.stop());

it('looks again in time when the venue asks for a wait of minutes', async () => {
  venue.on('DELETE', '/orders', ok({ cancelled: 3, failed: 0 }));
  const busy = failure(429, 'rate_limited', { 'retry-after': '1000' });
  venue.on('GET', '/orders', inTurn(busy, ok([])));
  const text = `
markets: []
venue: { baseUrl: "${venue.baseUrl}" }
timing: { proofQuietMs: 300, proofDeadlineMs: 6000 }
`;
  const settings = parseSettings(text, { file: 'x', env: {}, strategies: new Map() });
  const credentials = { current: () => IDENTITY, reload: async () => false };
  const result = await killAt(
    { settings, credentials, clock, timers: clock },
    { scope: { kind: 'account' }, clock: clock.steady() },
  );
  expect(result).toMatchObject({ kind: 'confirmed' });
}, 20_000);
