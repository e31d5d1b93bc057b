import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createVenueHttp, type VenueHttp } from '../../../src/venue/http/venue-http.ts';
import type { VenueHttpOptions } from '../../../src/venue/options.ts';
import {
  type Answerer,
  failure,
  type HttpDouble,
  inTurn,
  ok,
  raw,
  reset,
  silence,
  startHttpDouble,
} from '../../support/http-double.ts';
import { fixedCredentials, REAL_TIME, WIRE_EVENT } from '../../support/http-double-fixtures.ts';

let double: HttpDouble;
let http: VenueHttp;

beforeEach(async () => {
  double = await startHttpDouble();
  http = open();
});

function open(timeouts: VenueHttpOptions['timeouts'] = {}): VenueHttp {
  return createVenueHttp({
    baseUrl: double.baseUrl,
    credentials: fixedCredentials(undefined),
    clock: REAL_TIME,
    timers: REAL_TIME,
    timeouts,
  });
}

afterEach(async () => {
  await http.stop();
  await double.stop();
});

const ALL = Array.from({ length: 7 }, (_, index) => ({
  ...WIRE_EVENT,
  id: `e${index}`,
  slug: `s${index}`,
}));

type Baseline = { readonly cap: number; readonly hasTotal: boolean; readonly isArray: boolean };

/** A venue with seven events and its own idea of paging. */
function paging({ cap, hasTotal, isArray }: Baseline): Answerer {
  return (request, response) => {
    const { searchParams } = new URL(request.url, 'http://venue');
    const offset = Number(searchParams.get('offset'));
    const limit = Math.min(cap, Number(searchParams.get('limit')));
    const items = ALL.slice(offset, offset + limit);
    const total = hasTotal ? { total: ALL.length } : {};
    ok(isArray ? items : { items, ...total, limit, offset })(request, response);
  };
}

async function ids(): Promise<readonly string[] | string> {
  const outcome = await http.readAllEvents();
  return outcome.kind === 'ok' ? outcome.value.events.map(({ id }) => id) : outcome.kind;
}

const EVERY_ID = ALL.map(({ id }) => id);

describe('the whole listing', () => {
  it.each([
    ['pages as asked for', { cap: 100, hasTotal: true, isArray: false }, 1],
    ['caps its pages lower than asked for', { cap: 3, hasTotal: true, isArray: false }, 3],
    ['never says how many there are', { cap: 3, hasTotal: false, isArray: false }, 4],
    ['sends bare arrays', { cap: 3, hasTotal: false, isArray: true }, 4],
  ])('is complete when the venue %s', async (_name, baseline, requests) => {
    double.on('GET', '/events', paging(baseline));
    expect(await ids()).toEqual(EVERY_ID);
    expect(double.seen).toHaveLength(requests);
  });

  it('ends when the venue ignores the offset and sends everything again', async () => {
    double.on('GET', '/events', ok(ALL));
    expect(await ids()).toEqual(EVERY_ID);
    expect(double.seen).toHaveLength(2);
  });

  it('ends when the venue claims more than it has', async () => {
    double.on('GET', '/events', inTurn(ok({ items: ALL, total: 9 }), ok({ items: [], total: 9 })));
    expect(await ids()).toEqual(EVERY_ID);
  });

  it.each([
    ['refused', failure(503, 'maintenance'), 'refused'],
    ['garbage', raw(200, '<html>'), 'unknown'],
    ['no list', ok({ rows: [] }), 'unknown'],
  ])('is a failure when its second page is %s', async (_name, second, kind) => {
    double.on('GET', '/events', inTurn(ok({ items: ALL.slice(0, 3), total: 7 }), second));
    expect(await ids()).toBe(kind);
  });
});

const SILENT = 'no answer in';

describe('named events', () => {
  it('are a failure when the connection breaks at one, or reads wait', async () => {
    double.on('GET', '/events/s0', ok(ALL[0]));
    double.on('GET', '/events/s1', reset);
    expect(await http.readNamedEvents(['s0', 's1'])).toMatchObject({
      kind: 'unknown',
      cause: 'connection',
    });
    double.on('GET', '/events/s1', failure(429, 'rate_limited', { 'retry-after': '60' }));
    expect(await http.readNamedEvents(['s0', 's1'])).toMatchObject({ kind: 'notSent' });
  });

  it.each([
    ['a page of a proxy', raw(404, 'nothing here but a proxy'), 'nothing here'],
    ['a page of a server', raw(500, '<h1>Internal Server Error</h1>'), 'Internal Server Error'],
    ['garbage', raw(200, '{"success":tru'), 'no envelope'],
    ['more than anybody reads', raw(200, ' '.repeat(5_000_000)), 'MAX_SIZE'],
    ['no answer', silence, SILENT],
  ])(
    'go without one that is answered with %s, and never take it for gone',
    async (_, answerer, detail) => {
      await http.stop();
      http = open({ totalMs: detail === SILENT ? 300 : 10_000 });
      double.on('GET', '/events/s0', ok(ALL[0]));
      double.on('GET', '/events/s1', answerer);
      expect(await http.readNamedEvents(['s1', 's0'])).toMatchObject({
        kind: 'ok',
        value: {
          events: [{ slug: 's0' }],
          skipped: [{ path: 'event[s1]', detail: expect.stringContaining(detail) }],
        },
      });
      expect(await http.readNamedEvents(['s1'])).toMatchObject({ kind: 'unknown' });
    },
  );

  it.each([
    ['not there, in the other status of the code', failure(409, 'market_not_found'), []],
    ['not there, in no code', failure(404, 'event_not_found'), []],
    ['of a name that it does not take', failure(400, 'invalid_parameter'), ['event[s1]']],
    ['in another state', failure(422, 'market_resolved'), ['event[s1]']],
    ['gone', failure(410, 'gone'), ['event[s1]']],
  ])('go without one that the venue says is %s', async (_, answerer, skipped) => {
    double.on('GET', '/events/s0', ok(ALL[0]));
    double.on('GET', '/events/s1', answerer);
    const outcome = await http.readNamedEvents(['s1', 's0']);
    expect(outcome).toMatchObject({ kind: 'ok', value: { events: [{ slug: 's0' }] } });
    if (outcome.kind === 'ok')
      expect(outcome.value.skipped.map(({ path }) => path)).toEqual(skipped);
    // Asking again would change nothing.
    expect(double.seen).toHaveLength(2);
  });

  it.each([
    failure(401, 'unknown_api_key'),
    failure(403, 'account_restricted'),
    failure(400, 'expired_timestamp'),
    failure(403, 'forbidden'),
  ])('are a failure where it is about who asks: %#', async (answerer) => {
    double.on('GET', '/events/s0', ok(ALL[0]));
    double.on('GET', '/events/s1', answerer);
    expect(await http.readNamedEvents(['s1', 's0'])).toMatchObject({ kind: 'refused' });
  });

  it('go without one that the venue fails at, which is named, as long as it gives another', async () => {
    double.on('GET', '/events/s0', ok(ALL[0]));
    double.on('GET', '/events/s1', failure(500, 'internal_error'));
    expect(await http.readNamedEvents(['s1', 's0'])).toMatchObject({
      kind: 'ok',
      value: {
        events: [{ slug: 's0' }],
        skipped: [{ path: 'event[s1]', detail: 'HTTP 500, internal_error' }],
      },
    });
    expect(await http.readNamedEvents(['s1'])).toMatchObject({ kind: 'refused' });
  });

  it('have one that the venue failed at once, as after a moment of trouble', async () => {
    double.on('GET', '/events/s0', ok(ALL[0]));
    double.on('GET', '/events/s1', inTurn(failure(500, 'internal_error'), ok(ALL[1])));
    expect(await http.readNamedEvents(['s1', 's0'])).toMatchObject({
      kind: 'ok',
      value: { events: [{ slug: 's1' }, { slug: 's0' }], skipped: [] },
    });
  });
});
