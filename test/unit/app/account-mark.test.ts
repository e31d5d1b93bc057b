import { describe, expect, it } from 'vitest';
import { accountMark } from '../../../src/app/account-mark.ts';
import { Secret } from '../../../src/domain/secret.ts';

const VENUE = 'https://venue.test/api';

function keyed(apiKey: string) {
  const apiSecret = new Secret('s');
  return { apiKey: new Secret(apiKey), apiSecret, apiPassphrase: new Secret('p') };
}

describe('the mark of an account', () => {
  it('is one for one venue and key, and another for any other', () => {
    const mark = accountMark(VENUE, keyed('k-1'));
    expect(accountMark(`${VENUE}/`, keyed('k-1'))).toBe(mark);
    expect(accountMark(VENUE, keyed('k-2'))).not.toBe(mark);
    expect(accountMark('https://other.test/api', keyed('k-1'))).not.toBe(mark);
    expect(accountMark(VENUE, undefined)).toBeUndefined();
  });

  it('does not tell the key', () => {
    expect(accountMark(VENUE, keyed('k-secret'))).not.toContain('secret');
  });
});
