// The short way to an account without orders, beside a core that may be broken.

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { DaemonOptions, DaemonParts } from '../../../src/app/compose.ts';
import { ShortWay } from '../../../src/app/short-way.ts';
import type { VenueAccess } from '../../../src/app/venue-access.ts';
import { systemClock } from '../../../src/clock/system.ts';
import { VirtualClock } from '../../../src/clock/virtual.ts';
import type { OrderState } from '../../../src/domain/order.ts';
import { Secret } from '../../../src/domain/secret.ts';
import { unixMs } from '../../../src/domain/time.ts';
import { parseSettings } from '../../../src/settings/load.ts';
import { type HttpDouble, ok, startHttpDouble } from '../../support/http-double.ts';
import { passOf, peeked } from '../guard/support.ts';

type Core = {
  readonly counts?: Partial<Record<OrderState, number>>;
  readonly isBroken?: boolean;
  readonly clock?: object;
  readonly access?: VenueAccess;
  /** Until when a placement of this journal may arrive. */
  readonly untilMs?: number;
};

/** What the short way asks a core and its venue, and nothing else of them. */
function shortWay(core: Core, stop = async () => {}) {
  const { counts = {}, isBroken = false, clock = systemClock(), access, untilMs } = core;
  const lines: string[] = [];
  const say = (event: string) => void lines.push(event);
  const none = { intended: 0, sending: 0, unknown: 0, matched: 0, settling: 0, resting: 0 };
  const view = () => {
    if (isBroken) throw new Error('broken');
    return { ordersByState: { ...none, ...counts } };
  };
  const asked: number[] = [];
  const inFlightUntilMs = (horizonMs: number) => {
    asked.push(horizonMs);
    return untilMs;
  };
  const settings = { timing: { unknownHorizonMs: 45_000 } };
  const log = { info: say, warn: say, error: say };
  const options = { clock, log, settings } as unknown as DaemonOptions;
  const own = { inFlightUntilMs, meant: undefined, inFlight: ['a BUY'] };
  const parts = { engine: { view }, venue: { stop }, access, own };
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
    const clock = new VirtualClock();
    const cut = peeked(
      shortWay({ clock }, async () => await new Promise(() => {}))
        .way.cutVenue()
        .then(() => 'cut'),
    );
    await passOf(clock, 999, 1);
    expect(cut.value).toBeUndefined();
    await passOf(clock, 1, 1);
    expect(cut.value).toBe('cut');
  });

  it('that fails is told, and keeps nobody from cancelling', async () => {
    const { way, lines } = shortWay({}, async () => await Promise.reject(new Error('no socket')));
    await way.cutVenue();
    expect(lines).toEqual(['venue.stop_failed']);
  });
});

describe('a kill by the short way', () => {
  const AT_MS = unixMs(1_700_000_000_000);
  const clock = { ...systemClock(), nowMs: () => AT_MS };
  let venue: HttpDouble;

  beforeEach(async () => {
    venue = await startHttpDouble();
    venue.on('DELETE', '/orders', ok({ cancelled: 3, failed: 0 }));
    venue.on('GET', '/orders', ok([]));
  });
  afterEach(async () => await venue.stop());

  function kill(core: Core, bounds?: Parameters<ShortWay['kill']>[0]) {
    const text = `
markets: []
venue: { baseUrl: "${venue.baseUrl}" }
timing: { proofQuietMs: 200, proofDeadlineMs: 2000 }
`;
    const settings = parseSettings(text, { file: 'x', env: {}, strategies: new Map() });
    const [apiKey, apiSecret, apiPassphrase] = [new Secret('k'), new Secret('s'), new Secret('p')];
    const identity = { apiKey, apiSecret, apiPassphrase };
    const credentials = { current: () => identity, reload: async () => false };
    const timers = systemClock();
    const access = { settings, credentials, clock: timers, timers };
    return shortWay({ ...core, access, clock }).way.kill(bounds);
  }

  it('is confirmed where nothing is under way any more, to the millisecond', async () => {
    expect(await kill({})).toMatchObject({ kind: 'confirmed', cancelled: 3 });
    expect(await kill({ untilMs: AT_MS })).toMatchObject({ kind: 'confirmed' });
  });

  it('is not where a placement may arrive, and names what nobody has answered', async () => {
    const may = { kind: 'unconfirmed', cancelled: 3, left: [], inFlight: ['a BUY'] };
    expect(await kill({ untilMs: AT_MS + 1 })).toMatchObject(may);
    expect(await kill({ counts: { unknown: 1 } })).toMatchObject(may);
  });

  it('is confirmed though one might have arrived, where that was waited for', async () => {
    const bounds = { inFlightUntilMs: () => undefined };
    expect(await kill({ untilMs: AT_MS + 60_000 }, bounds)).toMatchObject({ kind: 'confirmed' });
  });
});

describe('a kill whose way to the venue is broken', () => {
  it('is unconfirmed, has cancelled nothing, and says why', async () => {
    const { way } = shortWay({});
    expect(await way.kill()).toMatchObject({
      ...{ kind: 'unconfirmed', cancelled: 0, tookMs: 0, left: undefined },
      detail: expect.stringContaining('TypeError'),
    });
  });
});
