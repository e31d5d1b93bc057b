// Who is let in, and what is said to those who are not. Nothing is placed.
// @spec Authentication

import { holds, payload, refusal, seen } from '../../../src/cli/doctor/card.ts';
import { textAt } from '../../../src/cli/doctor/shape.ts';
import { harmless } from '../bench/bench.ts';
import type { RawRest } from '../bench/raw-rest.ts';

const READ = '/portfolio/balances';
const HEADERS = ['SERVICE-API-KEY', 'SERVICE-TIMESTAMP', 'SERVICE-PASSPHRASE', 'SERVICE-SIGNATURE'];
/** Every endpoint that needs authentication and changes nothing. */
const GUARDED = [
  ...['/orders', '/portfolio/balances', '/portfolio/summary', '/portfolio/positions'],
  ...['/portfolio/trades', '/portfolio/deposits', '/portfolio/withdrawals'],
  '/positions/claimable',
];

export const AUTHENTICATION_CARDS = harmless(
  {
    id: 'C-040',
    title: 'public endpoints ask for nothing, everything of an account asks for credentials',
    spec: 'Authentication',
    covers: ['text Authentication 1', 'text What the service does 3'],
    run: async ({ rest, target }) => {
      for (const path of ['/time', '/events?limit=1', `/orderbook/${target.yes}`]) {
        payload(await rest.get(path), path);
      }
      for (const path of GUARDED) refusal(await rest.get(path), 'missing_credentials');
      return undefined;
    },
  },
  {
    id: 'C-041',
    title: 'a request without any one of the four headers has no credentials',
    spec: 'Request headers',
    covers: ['code missing_credentials'],
    run: async ({ rest }) => {
      for (const name of HEADERS) {
        const answer = await rest.ask('GET', READ, { headers: { [name]: undefined } });
        refusal(answer, 'missing_credentials');
        isAuthStatus(answer.status);
      }
      return undefined;
    },
  },
  {
    id: 'C-042',
    title: 'a key that nobody has is unknown',
    spec: 'Signature',
    covers: ['code unknown_api_key', 'rule Signature 4'],
    run: async ({ rest, keys }) => {
      const as = { ...keys, apiKey: `${keys.apiKey}x` };
      const answer = await rest.ask('GET', READ, { as });
      refusal(answer, 'unknown_api_key');
      isAuthStatus(answer.status);
      return String(answer.status);
    },
  },
  {
    id: 'C-043',
    title: 'a passphrase of another key does not match',
    spec: 'Signature',
    covers: ['code invalid_passphrase'],
    run: async ({ rest, keys }) => {
      const as = { ...keys, apiPassphrase: `${keys.apiPassphrase}x` };
      const answer = await rest.ask('GET', READ, { as });
      refusal(answer, 'invalid_passphrase');
      isAuthStatus(answer.status);
      return undefined;
    },
  },
  {
    id: 'C-044',
    title: 'a signature over anything but what was sent does not match',
    spec: 'Signature',
    covers: ['code invalid_signature', 'signature body', 'rule Signature 2'],
    run: async ({ rest, keys }) => {
      const wrong = [
        await rest.ask('GET', READ, { as: { ...keys, apiSecret: `${keys.apiSecret}x` } }),
        await rest.ask('GET', READ, { signedPath: `/api${READ}` }),
        await rest.ask('GET', `${READ}?limit=1`, { signedPath: READ }),
        await rest.ask('GET', READ, { signedMethod: 'get' }),
        await rest.ask('GET', READ, { signedBody: '{}' }),
        ...(await reserialised(rest)),
      ];
      for (const answer of wrong) {
        refusal(answer, 'invalid_signature');
        isAuthStatus(answer.status);
      }
      return undefined;
    },
  },
  {
    id: 'C-045',
    title: 'a timestamp up to half a minute off is taken, one further off in either way is not',
    spec: 'Limits',
    covers: ['code expired_timestamp', 'rule Signature 3'],
    run: async ({ rest }) => {
      const serverTime = Number(textAt((await rest.get('/time')).data, 'serverTime'));
      const offSec = serverTime - Math.floor(Date.now() / 1_000);
      for (const shiftSec of [-26, 26]) {
        payload(await rest.ask('GET', READ, { shiftSec: offSec + shiftSec }), `${shiftSec} s off`);
      }
      for (const shiftSec of [-40, 40, -86_400, 86_400]) {
        const answer = await rest.ask('GET', READ, { shiftSec: offSec + shiftSec });
        refusal(answer, 'expired_timestamp');
        isAuthStatus(answer.status);
      }
      return `${offSec} s between the clocks`;
    },
  },
  {
    id: 'C-046',
    title: 'a timestamp that is no count of seconds is refused',
    spec: 'Signature',
    covers: ['signature timestamp'],
    run: async ({ rest }) => {
      for (const text of ['soon', String(Date.now()), '-1', '1e9']) {
        const headers = { 'SERVICE-TIMESTAMP': text };
        const answer = await rest.ask('GET', READ, { headers });
        refusal(answer, 'expired_timestamp', 'invalid_signature', 'missing_credentials');
      }
      return undefined;
    },
  },
  {
    id: 'C-047',
    title: 'an unknown token, market or event is not found',
    spec: 'Errors',
    covers: ['code token_not_found', 'code market_not_found'],
    run: async ({ rest, target }) => {
      const token = await rest.get(`/orderbook/0x${'f'.repeat(64)}`);
      refusal(token, 'token_not_found');
      refusal(await rest.get(`/orderbook/${target.yesOutcomeId}`), 'token_not_found');
      refusal(await rest.get('/markets/no-such-market'), 'market_not_found');
      holds([404, 409].includes(token.status), `404 or 409 expected, ${seen(token)}`);
      return undefined;
    },
  },
  {
    id: 'C-048',
    title: 'a parameter that is out of its range or no such value is refused',
    spec: 'Errors',
    covers: ['code invalid_parameter', 'code missing_parameter'],
    run: async ({ rest, target }) => {
      const wrong = ['/events?limit=0', '/events?limit=101', '/events?limit=many'];
      for (const path of [...wrong, `/orderbook/${target.yes}?depth=201`, '/kline?interval=m2']) {
        const answer = await rest.get(path);
        refusal(answer, 'invalid_parameter', 'invalid_request', 'missing_parameter');
        holds(answer.status === 400, `400 expected, ${seen(answer)}`);
      }
      refusal(await rest.get('/kline'), 'missing_parameter');
      return undefined;
    },
  },
);

function isAuthStatus(status: number): void {
  holds(status === 401 || status === 403, `401 or 403 expected, seen ${status}`);
}

/** The same order of nothing, signed as one text and sent as another. */
async function reserialised(rest: RawRest) {
  const signedBody = JSON.stringify({ orderHashes: ['0x1'] });
  const rawBody = '{ "orderHashes": ["0x1"] }';
  return [await rest.ask('POST', '/orders/batch-cancel', { rawBody, signedBody })];
}
