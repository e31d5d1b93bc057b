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

/** A session whose venue answers the first auth frame of its connection, and refuses each further one. */
function takenOnce(clock: VirtualClock, first: 'authenticated' | 'refused') {
  const told = { auths: 0, givenUpAtMs: [] as number[] };
  const session: Session = new Session({
    send: () => {
      told.auths += 1;
      // The document shows a message of an error frame, and no code.
      if (told.auths === 1 && first === 'authenticated') session.onAuthenticated();
      else session.onError('already asked', undefined);
    },
    giveUp: () => {
      told.givenUpAtMs.push(clock.nowMs());
      session.end();
    },
    credentials: () => ({ bearerToken: new Secret('a-token-of-a-test') }),
    venueNowMs: () => clock.nowMs(),
    cure: async () => {},
    onAuthenticated: () => {},
    onRefused: () => {},
    timers: clock,
    random: () => 0,
    answerMs: 10_000,
  });
  return { session, told };
}

async function pass(clock: VirtualClock, ms: number): Promise<void> {
  for (let passedMs = 0; passedMs < ms; passedMs += 100) {
    clock.advance(100);
    await Promise.resolve();
  }
}

it('gives a connection up at once that had a session and takes no second auth frame', async () => {
  const clock = new VirtualClock();
  const { session, told } = takenOnce(clock, 'authenticated');
  session.authenticate();
  await pass(clock, 5_000);
  session.authenticate();
  await pass(clock, 600_000);
  expect(told).toEqual({ auths: 2, givenUpAtMs: [5_000] });
});

it('gives a connection up within 16 s that goes on refusing its session', async () => {
  const clock = new VirtualClock();
  const { session, told } = takenOnce(clock, 'refused');
  session.authenticate();
  await pass(clock, 600_000);
  expect(told.auths).toBe(4);
  expect(told.givenUpAtMs).toHaveLength(1);
  expect(told.givenUpAtMs[0]).toBeLessThanOrEqual(16_000);
});
