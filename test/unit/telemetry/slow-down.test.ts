// How many wrong tokens are compared, by address.

import { expect, it } from 'vitest';
import { unixMs } from '../../../src/domain/time.ts';
import { SlowDown } from '../../../src/telemetry/slow-down.ts';

function guessed(addresses: readonly string[]) {
  const slowDown = new SlowDown(
    { nowMs: () => unixMs(50_000) },
    {
      after: (_, task) => {
        task();
        return () => {};
      },
    },
  );
  for (const address of addresses) void slowDown.onWrong(address);
  return slowDown;
}

const times = (count: number, address: string) => Array.from({ length: count }, () => address);

it('an address of another host is barred by its 60th wrong token in a minute, and no other one', () => {
  expect(guessed(times(59, '192.0.2.7')).barredSec('192.0.2.7')).toBeUndefined();
  const slowDown = guessed(times(60, '192.0.2.7'));
  expect(slowDown.barredSec('192.0.2.7')).toBe(60);
  expect(slowDown.barredSec('192.0.2.8')).toBeUndefined();
});

it('an address of IPv6 stands for its whole network', () => {
  const slowDown = guessed([...times(30, '2001:db8:0:1::5'), ...times(30, '2001:db8:0:1:a:b:c:d')]);
  expect(slowDown.barredSec('2001:db8:0:1::77')).toBe(60);
  expect(slowDown.barredSec('2001:db8:0:2::5')).toBeUndefined();
  expect(guessed(times(60, '2001:db8::5')).barredSec('2001:db8::1:5')).toBe(60);
});

it.each(['127.0.0.1', '127.8.8.8', '::1', '::ffff:127.0.0.1'])(
  'nobody of this host is barred: %s',
  (address) => {
    expect(guessed(times(100, address)).barredSec(address)).toBeUndefined();
  },
);
