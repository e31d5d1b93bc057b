import { describe, expect, it } from 'vitest';
import { isVenueCode } from '../../../src/domain/codes.ts';
import { WireError } from '../../../src/domain/errors.ts';
import { isAuthCode, VENUE_CODES } from '../../../src/wire/codes.ts';
import { parseEnvelope } from '../../../src/wire/envelope.ts';
import { parseCandles, parseChainAction, parseServerTime } from '../../../src/wire/feeds.ts';

describe('an envelope', () => {
  it.each([
    ['{"success":true,"data":[1]}', { kind: 'success', data: [1] }],
    ['{"success":true}', { kind: 'success', data: undefined }],
    [
      '{"success":false,"code":"RATE_LIMITED","message":"slow"}',
      { kind: 'failure', code: 'rate_limited', message: 'slow' },
    ],
    [
      '{"success":false,"message":"older shape"}',
      { kind: 'failure', code: undefined, message: 'older shape' },
    ],
    ['{"success":false}', { kind: 'failure', code: undefined, message: '' }],
    [
      '{"success":false,"code":7,"message":["a","b"]}',
      { kind: 'failure', code: undefined, message: '["a","b"]' },
    ],
  ])('of %s is sorted', (text, expected) => {
    expect(parseEnvelope(text)).toEqual(expected);
  });

  it.each([[''], ['<html>'], ['null'], ['[]'], ['{}'], ['{"success":"true"}'], ['{"success":tru']])(
    'is none: %j',
    (text) => {
      expect(parseEnvelope(text).kind).toBe('unreadable');
    },
  );

  it('never repeats a page of any length', () => {
    const envelope = parseEnvelope('x'.repeat(1_000_000));
    expect(JSON.stringify(envelope).length).toBeLessThan(200);
  });
});

describe('the codes', () => {
  it('are known by their own names only', () => {
    expect(isVenueCode('rate_limited')).toBe(true);
    expect(isVenueCode('constructor')).toBe(false);
  });

  it('about who we are stand in one group', () => {
    const codes = Object.keys(VENUE_CODES).filter((code) => isVenueCode(code) && isAuthCode(code));
    expect(codes).toEqual([
      'missing_credentials',
      'unknown_api_key',
      'invalid_signature',
      'invalid_passphrase',
      'expired_timestamp',
      'account_restricted',
      'geo_restricted',
    ]);
  });
});

describe('the time of the venue', () => {
  it.each([
    [1_700_000_000, 1_700_000_000],
    ['1700000000', 1_700_000_000],
    [1_700_000_000.9, 1_700_000_000],
  ])('is read from %j', (serverTime, expected) => {
    expect(parseServerTime({ serverTime })).toBe(expected);
  });

  it.each([[1_700_000_000_000], [0], ['now'], [null], ['2026-01-01T00:00:00Z']])(
    'is not guessed from %j',
    (serverTime) => {
      expect(() => parseServerTime({ serverTime })).toThrow(WireError);
    },
  );
});

describe('other small payloads', () => {
  it('are candles with exact numbers', () => {
    const wire = {
      timestamp: '2026-01-01T00:00:00Z',
      open: '0.1',
      high: '0.3',
      low: '0.1',
      close: '0.29',
      volume: '12.000001',
    };
    const [candle] = parseCandles([wire]);
    expect(candle?.atMs).toBe(1_767_225_600_000);
    expect(candle?.volume.toFixed()).toBe('12.000001');
    expect(() => parseCandles([wire, { ...wire, close: undefined }])).toThrow('kline[1].close');
  });

  it('are the hash of a chain action', () => {
    expect(parseChainAction({ txHash: '0xabc' })).toBe('0xabc');
    expect(() => parseChainAction({ txHash: '' })).toThrow(WireError);
  });
});
