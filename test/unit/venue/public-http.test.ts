import { Pool } from 'undici';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/clock/system.ts';
import { getOnly, type RawAnswer } from '../../../src/venue/http/get-only.ts';
import { openReadLanes } from '../../../src/venue/http/lanes.ts';
import { createPublicHttp } from '../../../src/venue/http/public-http.ts';
import { VENUE_CONNECTIONS, VENUE_LIMITS, VENUE_TIMEOUTS } from '../../../src/venue/options.ts';
import { failure, type HttpDouble, ok, startHttpDouble } from '../../support/http-double.ts';

const NOW_SEC = 1_900_000_000;

let double: HttpDouble;
beforeEach(async () => {
  double = await startHttpDouble();
  double.on('GET', '/time', ok({ serverTime: NOW_SEC }));
});
afterEach(async () => await double.stop());

describe('a client for public reads', () => {
  it('reads, signs nothing, and shows each answer as it came', async () => {
    const clock = systemClock();
    const answers: RawAnswer[] = [];
    const http = createPublicHttp({
      ...{ baseUrl: double.baseUrl, clock, timers: clock },
      onAnswer: (answer) => answers.push(answer),
    });
    expect((await http.measureClock()).kind).toBe('ok');
    await http.stop();
    expect(double.seen.map(({ method }) => method)).toEqual(['GET']);
    expect(Object.keys(double.seen[0]?.headers ?? {}).join()).not.toMatch(/service-/);
    const body = `{"success":true,"data":{"serverTime":${NOW_SEC}}}`;
    expect(answers).toEqual([{ path: '/api/time', status: 200, body }]);
  });

  it('has nothing to sign with where the venue asks for a signature, and says so', async () => {
    double.on('GET', '/events', failure(401, 'missing_credentials'));
    const clock = systemClock();
    const http = createPublicHttp({ baseUrl: double.baseUrl, clock, timers: clock });
    expect(await http.readEventsPage({})).toMatchObject({
      kind: 'refused',
      refusal: { code: 'missing_credentials' },
    });
    await http.stop();
    expect(double.seen).toHaveLength(1);
  });

  it('has no call by which anything is written', () => {
    const clock = systemClock();
    const http = createPublicHttp({ baseUrl: double.baseUrl, clock, timers: clock });
    const calls = Object.keys(http).filter((name) => !/^(read|measure)/.test(name));
    expect(calls.sort()).toEqual(['stop', 'venueNowMs']);
  });
});

describe('connections for reads alone', () => {
  it.each(['POST', 'DELETE', 'PUT', 'PATCH'] as const)('send no %s', (method) => {
    const pool = new Pool(double.origin);
    const dispatcher = pool.compose(getOnly(() => undefined));
    const send = () => dispatcher.dispatch({ method, path: '/api/orders' }, {});
    expect(send).toThrow('this client only reads');
    expect(double.seen).toEqual([]);
  });

  it('have no lane for orders and none for cancels', async () => {
    const lanes = openReadLanes(
      {
        origin: double.origin,
        limits: VENUE_LIMITS,
        timeouts: VENUE_TIMEOUTS,
        connections: VENUE_CONNECTIONS,
        timers: systemClock(),
      },
      () => undefined,
    );
    let ran = 0;
    for (const lane of [lanes.order, lanes.exit, lanes.all]) {
      const turn = await lane.run(() => {
        ran += 1;
        return Promise.resolve();
      }, true);
      expect(turn).toEqual({ kind: 'notRun', detail: 'this client only reads' });
    }
    expect(ran).toBe(0);
    await lanes.read.stop();
  });
});
