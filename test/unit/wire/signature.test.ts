import { describe, expect, it } from 'vitest';
import { AssertionError } from '../../../src/domain/assert.ts';
import { Secret } from '../../../src/domain/secret.ts';
import { type UnixSec, unixMs, unixSec } from '../../../src/domain/time.ts';
import { type Method, signature } from '../../../src/wire/signature.ts';

const AT = unixSec(unixMs(1_700_000_000_000));
const LATER = unixSec(unixMs(1_700_000_001_999));

type Vector = readonly [
  name: string,
  request: { readonly method: Method; readonly path: string; readonly body: string },
  auth: { readonly secret: string; readonly atSec: UnixSec },
  expected: string,
];

// Each expected value was computed by: printf '%s' MESSAGE | openssl dgst -sha256 -hmac SECRET -binary | base64
const VECTORS: readonly Vector[] = [
  [
    'a bare path',
    { method: 'GET', path: '/orders', body: '' },
    { secret: 's3cret', atSec: AT },
    'cNeBxS8pVJ9n6bFUrjlHYC+bmkgmHFkvlsnoZ7N3+No=',
  ],
  [
    'a query as it is sent, escapes and all',
    { method: 'GET', path: '/orders?marketId=m%201', body: '' },
    { secret: 's3cret', atSec: AT },
    'wWYbku4evZDDheBeqWi/U+DIv7cFJzatHIg3UZwOh7I=',
  ],
  [
    'a body byte for byte',
    {
      method: 'POST',
      path: '/orders',
      body: '{"tokenId":"0xa1","side":"BUY","price":0.29,"quantity":12.5,"orderType":"GTC"}',
    },
    { secret: 's3cret', atSec: AT },
    'oMKDW25fnTGSQgzoqqWebiULwuoG1SKGs8gs7jhDiJY=',
  ],
  [
    'a delete with a query and no body',
    { method: 'DELETE', path: '/orders?tokenId=0xa1', body: '' },
    { secret: 's3cret', atSec: AT },
    '788/xPLf0QQZK1XGBY3sPH4P6vrymN14HnyzeXmG4os=',
  ],
  [
    'the fixed path of the socket',
    { method: 'GET', path: '/ws', body: '' },
    { secret: 's3cret', atSec: AT },
    'IP+QHHyfei1VtYUwoyO9LM25Gpnkif3oE+r+SbwnPKc=',
  ],
  [
    'a secret beyond ASCII, in UTF-8',
    { method: 'POST', path: '/orders/batch-cancel', body: '{"orderHashes":["0x1","0x2"]}' },
    { secret: 'ключ-🔑', atSec: LATER },
    'zqLR8YCu81dD6nNQXHH1noIH41VnIRPdlqclHVnI+Pg=',
  ],
];

describe('the signature', () => {
  it.each(VECTORS)('covers %s', (_name, request, { secret, atSec }, expected) => {
    expect(signature(request, { secret: new Secret(secret), atSec })).toBe(expected);
  });

  it('refuses a path that still carries the prefix', () => {
    const request = { method: 'GET', path: '/api/orders', body: '' } as const;
    expect(() => signature(request, { secret: new Secret('s'), atSec: AT })).toThrow(
      AssertionError,
    );
  });
});
