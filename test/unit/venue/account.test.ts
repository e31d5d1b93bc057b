// Credentials that are read again while requests are under way.

import { expect, it } from 'vitest';
import { Account } from '../../../src/venue/http/account.ts';
import { CREDENTIALS, credentialsOf } from '../../support/http-double-fixtures.ts';

it('tells of other credentials once, those of a disk too that answers when nobody waits for it any more', async () => {
  let current = CREDENTIALS;
  let isQuick = true;
  let told = 0;
  const reload = async () => {
    if (isQuick) current = credentialsOf('key-2');
    return isQuick;
  };
  const account = new Account({ current: () => current, reload }, () => {
    told += 1;
  });
  expect(await Promise.all([account.renew(CREDENTIALS), account.renew(CREDENTIALS)])).toEqual([
    true,
    true,
  ]);
  expect(told).toBe(1);
  isQuick = false;
  expect(await account.renew(current)).toBe(false);
  expect(told).toBe(1);
  current = credentialsOf('key-3');
  expect(account.current()).toBe(current);
  expect(account.current()).toBe(current);
  expect(told).toBe(2);
});
