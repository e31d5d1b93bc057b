import { describe, expect, it } from 'vitest';
import {
  PreflightError,
  type PreflightVenue,
  preflight,
  type Waiting,
} from '../../../src/app/preflight.ts';
import { eventId, marketId, outcomeId, tokenId } from '../../../src/domain/ids.ts';
import type { MarketChoice } from '../../../src/domain/input.ts';
import type { Event } from '../../../src/domain/market.ts';
import type { Failure } from '../../../src/domain/message.ts';
import { tickGrid } from '../../../src/domain/ticks.ts';
import type { Timers } from '../../../src/domain/time.ts';
import { usdc } from '../../../src/domain/usdc.ts';

const outcome = (outcomeIndex: 0 | 1) => ({
  id: outcomeId(`o-${outcomeIndex}`),
  name: outcomeIndex === 1 ? 'Yes' : 'No',
  tokenId: tokenId(`0x0${outcomeIndex}`),
  outcomeIndex,
});

const rain: Event = {
  id: eventId('e-1'),
  slug: 'rain',
  title: 'Rain?',
  category: 'weather',
  status: 'open',
  grid: tickGrid('0.01'),
  expiryAtMs: undefined,
  markets: [
    {
      id: marketId('m-1'),
      title: 'Rain?',
      status: 'open',
      enableOrderBook: true,
      yes: outcome(1),
      no: outcome(0),
    },
  ],
};

const healthy: PreflightVenue = {
  measureClock: async () => ({ kind: 'ok', value: { offsetMs: 120, roundTripMs: 4 } }),
  readBalances: async () => ({
    kind: 'ok',
    value: {
      cashBalance: usdc(1),
      availableBalance: usdc(1),
      usdcOnHold: usdc(0),
      positions: [],
    },
  }),
  readNamedEvents: async (names) => ({
    kind: 'ok',
    value: { events: [rain].filter(({ slug }) => names.includes(slug)), skipped: [] },
  }),
};

const refused = (code: string): Failure => ({
  kind: 'refused',
  refusal: { code, message: 'no', httpStatus: 401, retryAfterMs: undefined },
});

const choice = (over: Partial<MarketChoice> = {}): MarketChoice => ({
  event: 'rain',
  market: undefined,
  strategy: 'ladder',
  params: {},
  ...over,
});

/** Time that passes as soon as somebody waits. */
const hasty: Timers = {
  after: (_durationMs, task) => {
    queueMicrotask(task);
    return () => undefined;
  },
};

async function problems(
  venue: Partial<PreflightVenue>,
  markets: readonly MarketChoice[] = [choice()],
  {
    hasCredentials = true,
    waits = [] as Waiting[],
    calledOff = new AbortController().signal,
    before = [] as readonly string[],
    unlisted = [] as string[],
  } = {},
): Promise<readonly string[]> {
  const select = async () => undefined;
  const options = {
    http: { ...healthy, ...venue },
    baseUrl: 'http://venue/api',
    hasCredentials,
    select,
    wasListed: ({ event }: Pick<MarketChoice, 'event'>) => before.includes(event),
  };
  const waiting = { timers: hasty, calledOff, onWait: (wait: Waiting) => waits.push(wait) };
  const error = await preflight({ ...options, ...waiting, markets }).then(
    (passed) => void unlisted.push(...passed.unlisted),
    (thrown: unknown) => thrown,
  );
  if (error === undefined) return [];
  if (error instanceof PreflightError) return error.problems;
  throw error;
}

/** A call that fails so often, each time with the next of these, and works then. */
function failing<Value>(failures: readonly Failure[], works: () => Promise<Value>) {
  const left = [...failures];
  return async () => left.shift() ?? (await works());
}

describe('the preflight', () => {
  it('passes when venue, account and markets are as configured', async () => {
    expect(await problems({}, [choice(), choice({ market: 'm-1' })])).toEqual([]);
  });

  it('says all that is wrong at once', async () => {
    const venue = { readBalances: async () => refused('unknown_api_key') };
    const found = await problems(venue, [choice({ event: 'snow' }), choice({ market: 'm-9' })]);
    expect(found).toEqual([
      expect.stringContaining('was it regenerated?'),
      'the venue has no event snow',
      'the event rain has no market m-9; it has m-1',
    ]);
  });

  it.each(['missing_credentials', 'unknown_api_key', 'invalid_signature', 'invalid_passphrase'])(
    'names what %s means for the configuration',
    async (code) => {
      const [found] = await problems({ readBalances: async () => refused(code) });
      expect(found).toContain(`(${code})`);
    },
  );

  it('begins without a market of an earlier run that the venue lists no more, and says so', async () => {
    const unlisted: string[] = [];
    const wanted = [choice(), choice({ event: 'snow' })];
    expect(await problems({}, wanted, { before: ['rain', 'snow'], unlisted })).toEqual([]);
    expect(unlisted).toEqual(['the venue has no event snow']);
  });

  it('says of an event that cannot be read that it is there', async () => {
    const skipped = [{ path: 'event[snow]', detail: 'event[snow].tickSize: is neither' }];
    const readNamedEvents = async () =>
      ({ kind: 'ok', value: { events: [rain], skipped } }) as const;
    expect(await problems({ readNamedEvents }, [choice(), choice({ event: 'snow' })])).toEqual([
      'the event snow cannot be read: event[snow].tickSize: is neither',
    ]);
  });

  it('asks for credentials before it asks the venue', async () => {
    const readBalances = async () => {
      throw new Error('must not be asked');
    };
    const [found] = await problems({ readBalances }, [choice()], { hasCredentials: false });
    expect(found).toContain('VENUE_API_KEY');
  });

  it('asks nothing further of an address that is none of this venue', async () => {
    const unreadable: Failure = { kind: 'unknown', cause: 'unreadable', detail: '200 <html>' };
    const found = await problems({
      measureClock: async () => unreadable,
      readBalances: async () => {
        throw new Error('must not be asked');
      },
    });
    expect(found).toEqual(['cannot reach the venue at http://venue/api: unreadable: 200 <html>']);
  });

  it.each([
    ['a host that does not exist', 'ENOTFOUND: getaddrinfo ENOTFOUND vneue'],
    ['a certificate of another host', 'ERR_TLS_CERT_ALTNAME_INVALID: altnames'],
  ])('ends at %s', async (_, detail) => {
    const notSent: Failure = { kind: 'notSent', detail };
    expect(await problems({ measureClock: async () => notSent })).toHaveLength(1);
  });

  it.each([1, 15_001, -15_001, 3_600_000])(
    'passes with a clock that is %i ms off',
    async (offsetMs) => {
      const value = { offsetMs, roundTripMs: 5 };
      expect(await problems({ measureClock: async () => ({ kind: 'ok', value }) })).toEqual([]);
    },
  );
});

describe('what passes by itself', () => {
  const limited: Failure = {
    kind: 'refused',
    refusal: { code: 'rate_limited', message: 'slow', httpStatus: 429, retryAfterMs: 7_000 },
  };
  const maintenance: Failure = {
    kind: 'refused',
    refusal: { code: 'maintenance', message: 'soon', httpStatus: 503, retryAfterMs: undefined },
  };
  const notPublished: Failure = {
    kind: 'refused',
    refusal: { code: 'overloaded', message: 'later', httpStatus: 503, retryAfterMs: undefined },
  };
  const outage: Failure = { kind: 'notSent', detail: 'ECONNREFUSED' };
  const timeout: Failure = { kind: 'unknown', cause: 'timeout', detail: '' };
  const broken: Failure = { kind: 'unknown', cause: 'serverError', detail: '502 <html>' };

  it('is waited for as long as the venue asks, and said', async () => {
    const waits: Waiting[] = [];
    const readBalances = failing([limited, limited], healthy.readBalances);
    expect(await problems({ readBalances }, [choice()], { waits })).toEqual([]);
    expect(waits).toEqual([
      { detail: 'the venue does not serve us yet: rate_limited: slow', retryMs: 7_000 },
      { detail: 'the venue does not serve us yet: rate_limited: slow', retryMs: 7_000 },
    ]);
  });

  it.each([
    ['maintenance', maintenance],
    ['a code of a server in trouble that nobody published', notPublished],
    ['an outage', outage],
    ['a request without an answer', timeout],
    ['a failing proxy', broken],
  ])('is waited for ever longer: %s', async (_, failure) => {
    const waits: Waiting[] = [];
    const all = Array.from({ length: 60 }, () => failure);
    const measureClock = failing(all, healthy.measureClock);
    expect(await problems({ measureClock }, [choice()], { waits })).toEqual([]);
    const waitsMs = waits.map(({ retryMs }) => retryMs);
    expect(waitsMs.slice(0, 13)).toEqual([...Array<number>(11).fill(500), 550, 605]);
    expect(waitsMs).toEqual(waitsMs.toSorted((one, other) => one - other));
    expect(waitsMs.slice(-2)).toEqual([15_000, 15_000]);
  });

  it('is asked at a pace where the venue asks for no wait at all', async () => {
    const waits: Waiting[] = [];
    const atOnce: Failure = {
      kind: 'refused',
      refusal: { code: 'maintenance', message: 'soon', httpStatus: 503, retryAfterMs: 0 },
    };
    const measureClock = failing([atOnce, atOnce, atOnce], healthy.measureClock);
    expect(await problems({ measureClock }, [choice()], { waits })).toEqual([]);
    expect(waits.map(({ retryMs }) => retryMs)).toEqual([500, 500, 500]);
  });

  it.each(['expired_timestamp', 'account_restricted', 'geo_restricted', 'service_unavailable'])(
    'is what %s says of the account',
    async (code) => {
      const readBalances = failing([refused(code)], healthy.readBalances);
      expect(await problems({ readBalances })).toEqual([]);
    },
  );

  it('does not hide what only a person can mend', async () => {
    const waits: Waiting[] = [];
    const venue = {
      readBalances: async () => refused('invalid_passphrase'),
      readNamedEvents: async () => timeout,
    };
    const [found] = await problems(venue, [choice()], { waits });
    expect(found).toContain('invalid_passphrase');
    expect(waits).toEqual([]);
  });

  it('is waited for no longer than the start is wanted', async () => {
    const calling = new AbortController();
    const measureClock = async () => {
      calling.abort(new Error('called off'));
      return outage;
    };
    const asked = problems({ measureClock }, [choice()], { calledOff: calling.signal });
    await expect(asked).rejects.toThrow('called off');
  });
});
