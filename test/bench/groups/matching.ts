// What the embedded venue and the simulation cost, which every backtest and every night of seeds waits for.

import { VirtualClock } from '../../../src/clock/virtual.ts';
import type { OrderHash } from '../../../src/domain/ids.ts';
import { shares } from '../../../src/domain/shares.ts';
import { tickGrid, ticks } from '../../../src/domain/ticks.ts';
import { usdc } from '../../../src/domain/usdc.ts';
import { openDirectVenue } from '../../../src/paper/direct.ts';
import { runSeed } from '../../simulation/run.ts';
import { seeded } from '../../support/generated-frames.ts';
import { inProcesses } from '../rig/processes.ts';
import { byItself, check, type GroupResult, type RunOptions } from '../rig/report.ts';

const GRID = tickGrid('0.01');
const START_MS = 1_700_000_000_000;
const STEPS = 20_000;
const ROUNDS = 7;
/** Of the floor in a round: once is a millisecond, of which the most is code that is still cold. */
const LEAST_PASSES = 20;
/** More than either sells. */
const SETS = 500_000;
const PROFILES = ['calm', 'stormy', 'feed'] as const;
const SIDES = ['BUY', 'SELL'] as const;

/** Of ten steps six rest near the touch, two take, and two cancel the oldest order. */
type Step = {
  readonly kind: 'rest' | 'take' | 'cancel';
  readonly side: (typeof SIDES)[number];
  readonly price: number;
  readonly quantity: number;
};

export function matching({ isShort }: RunOptions): GroupResult {
  const { ours, least } = inProcesses('matching', ['ours', 'least'], { isShort });
  const { simulation } = inProcesses('matching', ['simulation'], { isShort, turns: 3 });
  const ratio = ours / least;
  const ns = (ms = Number.NaN) => `${(ms * 1e6).toFixed(0)} ns`;
  return {
    title: 'the embedded venue and the simulation, processes of their own',
    head: ['work', 'ours', 'least', 'ratio'],
    rows: [
      ['a step of a mixed flow, least: arrays of numbers', ns(ours), ns(least), ratio.toFixed(1)],
      [
        'hours that one core simulates in an hour, three profiles',
        (1_000 / simulation).toFixed(0),
        '',
        '',
      ],
    ],
    ratios: [
      { name: 'matching.mixed', value: ratio, aimMax: 10 },
      { name: 'simulation.coreHoursPer1000', value: simulation, aimMax: 1.25 },
    ],
  };
}

/** A step's ms, and of the simulation the hours of a core for a thousand simulated ones. */
export function alone(name: string, isShort: boolean): number | Promise<number> {
  if (name === 'simulation') return simulated(isShort ? 0.003 : 0.1);
  check(name === 'ours' || name === 'least', `there is a contender ${name}`);
  const steps = flow(isShort ? 500 : STEPS);
  const run = () => check((name === 'ours' ? onExchange : onArrays)(steps) > 0, 'orders trade');
  const passes = name === 'ours' ? 1 : LEAST_PASSES;
  return byItself({ passes, run }, isShort ? 1 : ROUNDS) / steps.length;
}

function flow(count: number): readonly Step[] {
  const random = seeded(5);
  return Array.from({ length: count }, (): Step => {
    const side = SIDES[Math.floor(random() * 2)] ?? 'BUY';
    const away = 1 + Math.floor(random() * 5);
    const draw = random();
    const kind = draw < 0.6 ? 'rest' : draw < 0.8 ? 'take' : 'cancel';
    const isLow = (side === 'BUY') === (kind === 'rest');
    return {
      kind,
      side,
      price: isLow ? 50 - away : 50 + away,
      quantity: 5 + Math.floor(random() * 20),
    };
  });
}

/** @returns Steps that were accepted. */
function onExchange(steps: readonly Step[]): number {
  const clock = new VirtualClock({ startMs: START_MS });
  const market = { slug: 'm', title: 'm' };
  const event = {
    slug: 'e',
    title: 'e',
    category: 'c',
    tickSize: '0.01',
    markets: [market],
  } as const;
  const venue = openDirectVenue({
    ...{ clock, timers: clock, seed: 1, startingCash: 1_000, accountName: 'nobody' },
    events: [event],
  });
  const { desk } = venue;
  const [listed] = desk.events().flatMap(({ markets }) => markets);
  check(listed !== undefined, 'the market is listed');
  for (const trader of ['one', 'two']) {
    desk.fund(trader, usdc(10_000_000));
    desk.mintSets(trader, listed.id, shares(SETS));
  }
  const resting: OrderHash[] = [];
  let accepted = 0;
  for (const { kind, side, price, quantity } of steps) {
    clock.advance(1);
    const oldest = kind === 'cancel' ? resting.shift() : undefined;
    if (oldest !== undefined) desk.cancel('one', oldest);
    if (kind === 'cancel') continue;
    const answer = desk.place(kind === 'rest' ? 'one' : 'two', {
      ...{ tokenId: listed.yes.tokenId, side, price: ticks(GRID, price) },
      ...{ quantity: shares(quantity), timeInForce: kind === 'rest' ? 'GTC' : 'FAK' },
    });
    if (answer.kind !== 'accepted') continue;
    accepted += 1;
    if (kind === 'rest') resting.push(answer.orderHash);
  }
  venue.stop();
  return accepted;
}

type Resting = { readonly isBid: boolean; readonly price: number; left: number };

/** The same flow by price and time, and nothing else: no accounts, no frames, no settlement. */
function onArrays(steps: readonly Step[]): number {
  const levels = Array.from({ length: 200 }, (): Resting[] => []);
  const resting: Resting[] = [];
  let done = 0;
  for (const { kind, side, price, quantity } of steps) {
    const isBid = side === 'BUY';
    if (kind === 'cancel') {
      const oldest = resting.shift();
      if (oldest !== undefined) oldest.left = 0;
      continue;
    }
    done += 1;
    if (kind === 'rest') {
      const order = { isBid, price, left: quantity };
      levels[isBid ? price : 100 + price]?.push(order);
      resting.push(order);
      continue;
    }
    let left = quantity;
    for (
      let at = isBid ? 45 : 55;
      left > 0 && (isBid ? at <= price : at >= price);
      at += isBid ? 1 : -1
    ) {
      const level = levels[isBid ? 100 + at : at] ?? [];
      while (left > 0 && level.length > 0) {
        const [first] = level;
        const taken = Math.min(left, first?.left ?? 0);
        left -= taken;
        if (first !== undefined) first.left -= taken;
        if ((first?.left ?? 0) === 0) level.shift();
      }
    }
  }
  return done;
}

/** Hours of one core for a thousand simulated ones. */
async function simulated(hours: number): Promise<number> {
  const before = process.cpuUsage();
  let simulatedMs = 0;
  for (const profile of PROFILES) {
    const run = await runSeed({ seed: 1, profile, hours, rest: 'none', controls: 'plain' });
    check(run.violations.length === 0, `${profile} is clean`);
    simulatedMs += run.simulatedMs;
  }
  const { user, system } = process.cpuUsage(before);
  return (1_000 * (user + system)) / 1_000 / simulatedMs;
}
