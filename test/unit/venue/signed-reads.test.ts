// Public reads at a venue that wants them signed, and at one that does not. @spec Authentication

import { afterEach, describe, expect, it } from 'vitest';
import { Secret } from '../../../src/domain/secret.ts';
import { createVenueHttp, type VenueHttp } from '../../../src/venue/http/venue-http.ts';
import type { CredentialsProvider, SignedReads } from '../../../src/venue/options.ts';
import {
  type Answerer,
  failure,
  type HttpDouble,
  json,
  ok,
  startHttpDouble,
} from '../../support/http-double.ts';
import { CREDENTIALS, fixedCredentials, REAL_TIME } from '../../support/http-double-fixtures.ts';

const NOBODY: CredentialsProvider = {
  current: () => undefined,
  reload: () => Promise.resolve(false),
};
const PAGE = ok({ items: [], total: 0, limit: 1, offset: 0 });

let double: HttpDouble | undefined;
let http: VenueHttp | undefined;

afterEach(async () => {
  await http?.stop();
  await double?.stop();
  [http, double] = [undefined, undefined];
});

async function open(
  events: Answerer,
  credentials: CredentialsProvider = fixedCredentials(CREDENTIALS),
  signsReads?: SignedReads,
): Promise<{ http: VenueHttp; double: HttpDouble }> {
  double = await startHttpDouble();
  double.on('GET', '/events', events);
  double.on('GET', '/time', ok({ serverTime: Math.floor(Date.now() / 1_000) }));
  http = createVenueHttp({
    ...{ baseUrl: double.baseUrl, credentials, clock: REAL_TIME, timers: REAL_TIME, signsReads },
  });
  return { http, double };
}

/** Takes a signature by this key, and refuses whoever has none or another one. */
function wantsKey(key: string, refusal: Answerer): Answerer {
  return (request, response) => {
    const isKnown = request.headers['service-api-key'] === key;
    (isKnown ? PAGE : refusal)(request, response);
  };
}

/** The key that each request was signed with. */
const keysOf = (venue: HttpDouble) =>
  venue.seen.map(({ headers }) => headers['service-api-key'] ?? 'none');

describe('a venue that refuses public reads for want of a signature', () => {
  it.each([
    ['a code', failure(401, 'missing_credentials')],
    ['the older reference, by its status', json(401, { success: false, message: 'sign in' })],
    ['a word that nobody published', failure(403, 'unauthorized')],
  ])('has them signed from then on: %s', async (_, refusal) => {
    const { http, double } = await open(wantsKey('key-1', refusal));
    expect((await http.readEventsPage({})).kind).toBe('ok');
    expect((await http.readEventsPage({})).kind).toBe('ok');
    expect(keysOf(double)).toEqual(['none', 'key-1', 'key-1']);
  });

  it('is asked once where there are no credentials', async () => {
    const { http, double } = await open(failure(401, 'missing_credentials'), NOBODY);
    expect(await http.readEventsPage({})).toMatchObject({
      kind: 'refused',
      refusal: { code: 'missing_credentials' },
    });
    expect(keysOf(double)).toEqual(['none']);
  });

  it('is read with the new key once the old one is refused', async () => {
    let current = CREDENTIALS;
    const credentials = {
      current: () => ({ ...current }),
      reload: () => {
        current = { ...CREDENTIALS, apiKey: new Secret('key-2') };
        return Promise.resolve(true);
      },
    };
    const refusal: Answerer = (request, response) => {
      const isSigned = request.headers['service-api-key'] !== undefined;
      failure(401, isSigned ? 'unknown_api_key' : 'missing_credentials')(request, response);
    };
    const { http, double } = await open(wantsKey('key-2', refusal), credentials);
    expect((await http.readEventsPage({})).kind).toBe('refused');
    expect((await http.readEventsPage({})).kind).toBe('ok');
    expect(keysOf(double)).toEqual(['none', 'key-1', 'key-1', 'key-2']);
  });

  it('that knows no key of ours is asked no more than twice for each read', async () => {
    const refusal: Answerer = (request, response) => {
      const isSigned = request.headers['service-api-key'] !== undefined;
      failure(401, isSigned ? 'unknown_api_key' : 'missing_credentials')(request, response);
    };
    const { http, double } = await open(refusal);
    for (let read = 0; read < 5; read += 1) {
      expect((await http.readEventsPage({})).kind).toBe('refused');
    }
    expect(double.seen.length).toBeLessThanOrEqual(10);
  });

  it('has no other refusal answered with a signature', async () => {
    for (const code of ['geo_restricted', 'maintenance', 'market_not_found']) {
      const { http, double } = await open(failure(403, code));
      expect((await http.readEventsPage({})).kind).not.toBe('ok');
      expect(keysOf(double)).toEqual(['none']);
      await http.stop();
      await double.stop();
    }
  });
});

describe('a venue that limits the reads of nobody', () => {
  const limited: Answerer = (request, response) => {
    const isSigned = request.headers['service-api-key'] !== undefined;
    (isSigned ? PAGE : failure(429, 'rate_limited', { 'retry-after': '0.05' }))(request, response);
  };

  it('has them signed from the next one on, as the account that it counts otherwise', async () => {
    const { http, double } = await open(limited);
    expect(await http.readEventsPage({})).toMatchObject({ refusal: { code: 'rate_limited' } });
    expect((await http.readEventsPage({})).kind).toBe('ok');
    expect((await http.measureClock()).kind).toBe('ok');
    expect(keysOf(double)).toEqual(['none', 'key-1', 'none']);
  });

  it('for long keeps nobody from reads of the account, nor from the same reads signed', async () => {
    const { http, double } = await open((request, response) => {
      const isSigned = request.headers['service-api-key'] !== undefined;
      const refusal = failure(429, 'rate_limited', { 'retry-after': '60' });
      (isSigned ? PAGE : refusal)(request, response);
    });
    double.on('GET', '/orders', ok([]));
    expect(await http.readEventsPage({})).toMatchObject({ refusal: { code: 'rate_limited' } });
    expect(await http.readOpenOrders()).toEqual({ kind: 'ok', value: [] });
    expect((await http.readEventsPage({})).kind).toBe('ok');
  });

  it('of the time alone keeps nobody from reads of the account', async () => {
    const { http, double } = await open(PAGE, fixedCredentials(CREDENTIALS), 'always');
    double.on('GET', '/time', failure(429, 'rate_limited', { 'retry-after': '60' }));
    double.on('GET', '/orders', ok([]));
    expect(await http.measureClock()).toMatchObject({ refusal: { code: 'rate_limited' } });
    expect(await http.readOpenOrders()).toEqual({ kind: 'ok', value: [] });
  });

  it('is read unsigned where there are no credentials', async () => {
    const { http, double } = await open(limited, NOBODY);
    for (let read = 0; read < 2; read += 1) await http.readEventsPage({});
    expect(keysOf(double)).toEqual(['none', 'none']);
  });
});

describe('an account that may not trade', () => {
  it.each(['account_restricted', 'geo_restricted'])('reads what anybody may: %s', async (code) => {
    const answer: Answerer = (request, response) => {
      const isSigned = request.headers['service-api-key'] !== undefined;
      (isSigned ? failure(403, code) : PAGE)(request, response);
    };
    const { http, double } = await open(answer, fixedCredentials(CREDENTIALS), 'always');
    expect((await http.readEventsPage({})).kind).toBe('ok');
    expect((await http.readEventsPage({})).kind).toBe('ok');
    expect(keysOf(double)).toEqual(['key-1', 'none', 'none']);
  });
});

describe('public reads that are signed by configuration', () => {
  it('all are but the time, which a signature carries', async () => {
    const { http, double } = await open(PAGE, fixedCredentials(CREDENTIALS), 'always');
    await http.readEventsPage({});
    await http.measureClock();
    expect(keysOf(double)).toEqual(['key-1', 'none']);
  });

  it('do without credentials that the venue does not take', async () => {
    const answer: Answerer = (request, response) => {
      const isSigned = request.headers['service-api-key'] !== undefined;
      (isSigned ? failure(401, 'unknown_api_key') : PAGE)(request, response);
    };
    const { http, double } = await open(answer, fixedCredentials(CREDENTIALS), 'always');
    expect((await http.readEventsPage({})).kind).toBe('ok');
    expect((await http.readEventsPage({})).kind).toBe('ok');
    expect(keysOf(double)).toEqual(['key-1', 'none', 'none']);
  });

  it.each([
    ['the older reference, by its status', json(401, { success: false, message: 'no' })],
    ['a word that nobody published', failure(403, 'forbidden')],
  ])('do without a signature that is refused without a code: %s', async (_, refusal) => {
    const answer: Answerer = (request, response) => {
      const isSigned = request.headers['service-api-key'] !== undefined;
      (isSigned ? refusal : PAGE)(request, response);
    };
    const { http, double } = await open(answer, fixedCredentials(CREDENTIALS), 'always');
    expect((await http.readEventsPage({})).kind).toBe('ok');
    expect((await http.readEventsPage({})).kind).toBe('ok');
    expect(keysOf(double)).toEqual(['key-1', 'none', 'none']);
  });

  it('do without one that is too old where the time cannot be read', async () => {
    const answer: Answerer = (request, response) => {
      const isSigned = request.headers['service-api-key'] !== undefined;
      (isSigned ? failure(401, 'expired_timestamp') : PAGE)(request, response);
    };
    const { http, double } = await open(answer, fixedCredentials(CREDENTIALS), 'always');
    double.on('GET', '/time', failure(404, 'not_found'));
    expect((await http.readEventsPage({})).kind).toBe('ok');
    expect((await http.readEventsPage({})).kind).toBe('ok');
    expect(keysOf(double)).toEqual(['key-1', 'none', 'none', 'none']);
  });

  it('hand on what is refused for another reason, signed or not', async () => {
    for (const refusal of [failure(404, 'market_not_found'), failure(403, 'market_not_found')]) {
      const { http, double } = await open(refusal, fixedCredentials(CREDENTIALS), 'always');
      expect(await http.readEventsPage({})).toMatchObject({
        refusal: { code: 'market_not_found' },
      });
      expect(keysOf(double)).toEqual(['key-1']);
      await http.stop();
      await double.stop();
    }
  });

  it('leave unsigned in a browser session, which is served less than anybody, until they have to be signed', async () => {
    const bearer = fixedCredentials({ bearerToken: new Secret('session-1') });
    const openly = await open(PAGE, bearer, 'always');
    await openly.http.readEventsPage({});
    expect(openly.double.seen.map(({ headers }) => headers['authorization'])).toEqual([undefined]);
    await openly.http.stop();
    await openly.double.stop();
    const wanted: Answerer = (request, response) => {
      const isSigned = request.headers['authorization'] === 'Bearer session-1';
      (isSigned ? PAGE : failure(401, 'missing_credentials'))(request, response);
    };
    const { http } = await open(wanted, bearer, 'always');
    expect((await http.readEventsPage({})).kind).toBe('ok');
  });

  it('leave unsigned where there is nobody to sign', async () => {
    const { http, double } = await open(PAGE, NOBODY, 'always');
    expect((await http.readEventsPage({})).kind).toBe('ok');
    expect(keysOf(double)).toEqual(['none']);
  });

  it('measure the clock where the venue finds the signature too old, and ask again', async () => {
    let refusals = 0;
    const answer: Answerer = (request, response) => {
      refusals += 1;
      (refusals === 1 ? failure(401, 'expired_timestamp') : PAGE)(request, response);
    };
    const { http, double } = await open(answer, fixedCredentials(CREDENTIALS), 'always');
    expect((await http.readEventsPage({})).kind).toBe('ok');
    expect(keysOf(double)).toEqual(['key-1', 'none', 'key-1']);
  });
});

describe('a venue that wants the time signed too', () => {
  it('is not waited for where it finds that signature too old', async () => {
    const { http, double } = await open(PAGE);
    double.on('GET', '/time', (request, response) => {
      const isSigned = request.headers['service-api-key'] !== undefined;
      failure(401, isSigned ? 'expired_timestamp' : 'missing_credentials')(request, response);
    });
    expect((await http.measureClock()).kind).toBe('refused');
    expect((await http.measureClock()).kind).toBe('refused');
  });
});
