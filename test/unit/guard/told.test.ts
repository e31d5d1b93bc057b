import { expect, it } from 'vitest';
import { VirtualClock } from '../../../src/clock/virtual.ts';
import { orderHash } from '../../../src/domain/ids.ts';
import { tellNotClear, tellWhenGone } from '../../../src/guard/told.ts';
import { GuardWorld } from './support.ts';

function listening() {
  const said: unknown[][] = [];
  const say = (...words: readonly unknown[]) => void said.push([...words]);
  return { said, log: { info: say, warn: say, error: say } };
}

it('orders that are not cleared are named, fifty of them and the count of all', () => {
  const { said, log } = listening();
  const left = Array.from({ length: 60 }, (_, index) => orderHash(`0x${index + 100}`));
  tellNotClear(log, { left, detail: 'down' });
  const orderHashes = left.slice(0, 50);
  expect(said).toEqual([['guard.not_clear', { detail: 'down', left: 60, orderHashes }]]);
});

it('a process that was killed is gone at some time, by what, and after how long', async () => {
  const world = new GuardWorld();
  const { said, log } = listening();
  const clock = new VirtualClock({ startMs: 1_000 });
  const startedAtMs = clock.nowMs();
  const isTold = tellWhenGone(world.trader, startedAtMs, { clock, log });
  clock.advance(700);
  world.trader.end({ code: null, signal: 'SIGKILL' });
  await isTold;
  expect(said).toEqual([
    ['guard.trader_gone', { pid: 1, signal: 'SIGKILL', code: null, aliveMs: 700 }],
  ]);
});
