import { describe, expect, it } from 'vitest';
import { PreflightError, type PreflightVenue, preflight } from '../../../src/app/preflight.ts';
import { eventId, marketId, outcomeId, tokenId } from '../../../src/domain/ids.ts';
import type { MarketChoice } from '../../../src/domain/input.ts';
import type { Event } from '../../../src/domain/market.ts';
import type { Failure } from '../../../src/domain/message.ts';
import { tickGrid } from '../../../src/domain/ticks.ts';
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

async function problems(
  venue: Partial<PreflightVenue>,
  markets: readonly MarketChoice[] = [choice()],
  hasCredentials = true,
): Promise<readonly string[]> {
  const options = { http: { ...healthy, ...venue }, baseUrl: 'http://venue/api', hasCredentials };
  const error = await preflight({ ...options, markets }).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error === undefined) return [];
  if (error instanceof PreflightError) return error.problems;
  throw error;
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

  it.each([
    'missing_credentials',
    'unknown_api_key',
    'invalid_signature',
    'invalid_passphrase',
    'expired_timestamp',
    'account_restricted',
  ])('names what %s means for the configuration', async (code) => {
    const [found] = await problems({ readBalances: async () => refused(code) });
    expect(found).toContain(`(${code})`);
  });

  it('asks for credentials before it asks the venue', async () => {
    const readBalances = async () => {
      throw new Error('must not be asked');
    };
    const [found] = await problems({ readBalances }, [choice()], false);
    expect(found).toContain('VENUE_API_KEY');
  });

  it('asks nothing further of a venue that cannot be reached', async () => {
    const notSent: Failure = { kind: 'notSent', detail: 'ECONNREFUSED' };
    const found = await problems({
      measureClock: async () => notSent,
      readBalances: async () => {
        throw new Error('must not be asked');
      },
    });
    expect(found).toEqual(['cannot reach the venue at http://venue/api: ECONNREFUSED']);
  });

  it.each([
    [15_000, 0],
    [-15_000, 0],
    [15_001, 1],
    [-15_001, 1],
  ])('with a clock offset of %i ms has %i complaints', async (offsetMs, count) => {
    const value = { offsetMs, roundTripMs: 5 };
    const found = await problems({ measureClock: async () => ({ kind: 'ok', value }) });
    expect(found).toHaveLength(count);
  });

  it('does not take a failed read of the events for their absence', async () => {
    const timeout: Failure = { kind: 'unknown', cause: 'timeout', detail: '' };
    const found = await problems({ readNamedEvents: async () => timeout });
    expect(found).toEqual([expect.stringContaining('cannot be read')]);
  });
});
