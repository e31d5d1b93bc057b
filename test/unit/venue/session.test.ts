// The account's session while the venue refuses it, in whatever words.

import { expect, it } from 'vitest';
import { VirtualClock } from '../../../src/clock/virtual.ts';
import { Secret } from '../../../src/domain/secret.ts';
import { Session } from '../../../src/venue/ws/session.ts';

it('is there within 16 s of the end of what kept it away, however long that was', async () => {
  const clock = new VirtualClock();
  const endMs = 200_000;
  let authenticatedAtMs: number | undefined;
  const session: Session = new Session({
    send: () => {
      // The interface shows no code of an error frame.
      if (clock.nowMs() < endMs) session.onError('try again later', undefined);
      else session.onAuthenticated();
    },
    giveUp: () => {},
    credentials: () => ({ bearerToken: new Secret('a-token-of-a-test') }),
    venueNowMs: () => clock.nowMs(),
    cure: async () => {},
    onAuthenticated: () => {
      authenticatedAtMs ??= clock.nowMs();
    },
    onRefused: () => {},
    timers: clock,
    random: () => 0,
    answerMs: 10_000,
  });
  session.authenticate();
  for (let passedMs = 0; passedMs < 300_000; passedMs += 100) {
    clock.advance(100);
    await Promise.resolve();
  }
  expect(authenticatedAtMs).toBeGreaterThanOrEqual(endMs);
  expect(authenticatedAtMs).toBeLessThanOrEqual(endMs + 16_000);
});
