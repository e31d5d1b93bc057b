// The short way to an account without orders, beside a core that may be broken.

import { describe, expect, it } from 'vitest';
import type { DaemonOptions, DaemonParts } from '../../../src/app/compose.ts';
import { ShortWay } from '../../../src/app/short-way.ts';
import { systemClock } from '../../../src/clock/system.ts';
import type { OrderState } from '../../../src/domain/order.ts';

type Core = { readonly counts?: Partial<Record<OrderState, number>>; readonly isBroken?: boolean };

/** What the short way asks a core and its venue, and nothing else of them. */
function shortWay({ counts = {}, isBroken = false }: Core, stop = async () => {}) {
  const lines: string[] = [];
  const say = (event: string) => void lines.push(event);
  const none = { intended: 0, sending: 0, unknown: 0, matched: 0, settling: 0, resting: 0 };
  const view = () => {
    if (isBroken) throw new Error('broken');
    return { ordersByState: { ...none, ...counts } };
  };
  const asked: number[] = [];
  const inFlightUntilMs = (horizonMs: number) => void asked.push(horizonMs);
  const settings = { timing: { unknownHorizonMs: 45_000 } };
  const log = { info: say, warn: say, error: say };
  const options = { clock: systemClock(), log, settings } as unknown as DaemonOptions;
  const parts = { engine: { view }, venue: { stop }, own: { inFlightUntilMs } };
  return { way: new ShortWay(options, parts as unknown as DaemonParts), lines, asked };
}

describe('what the short way asks of a core', () => {
  it.each([
    ['intended', true],
    ['sending', true],
    ['unknown', true],
    ['resting', false],
    ['settling', false],
  ] as const)('an order that is %s may still be accepted unseen: %s', (state, may) => {
    expect(shortWay({ counts: { [state]: 1 } }).way.hasUnanswered()).toBe(may);
  });

  it('takes one that cannot say for one that has placements under way, and nothing that settles', () => {
    const { way } = shortWay({ isBroken: true });
    expect(way.hasUnanswered()).toBe(true);
    expect(way.settling()).toBe(0);
  });

  it('counts what is matched and what settles', () => {
    expect(shortWay({ counts: { matched: 2, settling: 3, resting: 7 } }).way.settling()).toBe(5);
  });

  it('asks what may arrive by the horizon of the settings', () => {
    const { way, asked } = shortWay({});
    expect(way.inFlightUntilMs()).toBeUndefined();
    expect(asked).toEqual([45_000]);
  });
});

describe('the venue of a core that is cut', () => {
  it('is waited for, and no longer than a second', async () => {
    let isStopped = false;
    const { way } = shortWay({}, async () => {
      isStopped = true;
    });
    await way.cutVenue();
    expect(isStopped).toBe(true);
    const startedAt = performance.now();
    await shortWay({}, async () => await new Promise(() => {})).way.cutVenue();
    expect(performance.now() - startedAt).toBeGreaterThan(900);
    expect(performance.now() - startedAt).toBeLessThan(5_000);
  });

  it('that fails is told, and keeps nobody from cancelling', async () => {
    const { way, lines } = shortWay({}, async () => await Promise.reject(new Error('no socket')));
    await way.cutVenue();
    expect(lines).toEqual(['venue.stop_failed']);
  });
});

describe('a kill whose way to the venue is broken', () => {
  it('is unconfirmed, and says why', async () => {
    const { way } = shortWay({});
    expect(await way.kill()).toMatchObject({ kind: 'unconfirmed', left: undefined });
  });
});
