// What one frame costs the core as the number of markets grows, at the venue's own pace per market.

import { FLUSH_MS } from '../../../src/core/book/mirror.ts';
import { seeded } from '../../support/generated-frames.ts';
import { Desk } from '../rig/desk.ts';
import { check, type GroupResult, quantile, type RunOptions } from '../rig/report.ts';

/** Frames between two ticks: what one turn of the loop takes in. */
const BATCH = 10;

/** A desk and the means to give it frames; time passes as fast as the venue's flushes allow. */
export function stepper(markets: number): (frames: number) => number {
  const desk = new Desk({ markets, levels: 1 });
  const random = seeded(markets);
  // One frame in each flush for each market.
  const batchMs = (BATCH * FLUSH_MS) / markets;
  return (frames) => {
    const startedMs = performance.now();
    for (let done = 0; done < frames; done += BATCH) {
      for (let count = 0; count < BATCH; count += 1) frame(desk, done + count, random);
      const before = desk.nowMs;
      desk.nowMs += batchMs;
      // The loop ticks every 50 ms even when nothing comes.
      for (let at = before + 50; at < desk.nowMs; at += 50) desk.tick();
      desk.tick();
    }
    return ((performance.now() - startedMs) * 1_000) / frames;
  };
}

/**
 * Mostly sizes behind the touch, as on real books. The touch itself moves so seldom that a thousand
 * markets stay within the write budget: what a full budget costs is another measurement.
 */
function frame(desk: Desk, turn: number, random: () => number): void {
  // Each frame is of another market, so that ten frames are ten decisions however many there are.
  const token = desk.tokens[turn % desk.tokens.length];
  if (token === undefined) return;
  const side = random() < 0.5 ? 'bid' : 'ask';
  const isTouch = random() < 0.002;
  const away = isTouch ? -1 : Math.floor(random() * 15);
  const price = side === 'bid' ? 40 - away : 60 + away;
  const size = isTouch && random() < 0.5 ? 0 : 1 + Math.floor(random() * 900);
  desk.delta(token.yes, side, price, size);
}

/** The same pace per market at ten, a hundred and a thousand of them, in turns. */
export function step({ isShort }: RunOptions): GroupResult {
  const sizes = [10, 100, 1_000] as const;
  const steppers = sizes.map((markets) => ({ markets, run: stepper(markets) }));
  const times = new Map<number, number[]>(sizes.map((markets) => [markets, []]));
  const rounds = isShort ? 1 : 21;
  for (const { run } of steppers) run(isShort ? 200 : 5_000);
  for (let round = 0; round < rounds; round += 1) {
    for (const { markets, run } of steppers) times.get(markets)?.push(run(isShort ? 100 : 2_000));
  }
  const of = (markets: number) => quantile(times.get(markets) ?? [], 0.3);
  const ten = of(10);
  check(ten > 0, 'a step takes time');
  return {
    title: 'step per frame, ticks, plans and writes included',
    head: ['markets', 'a frame', '× ten markets'],
    rows: sizes.map((markets) => [
      `${markets}`,
      `${of(markets).toFixed(1)} µs`,
      (of(markets) / ten).toFixed(2),
    ]),
    ratios: [100, 1_000].map((markets) => ({
      name: `step.${markets}`,
      value: of(markets) / ten,
      aimMax: 1.3,
    })),
  };
}
