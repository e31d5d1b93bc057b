// The faults that a bot must quote through, on the venue double.

import { DoubleFloor } from './rig/double-floor.ts';
import { defineRow, type Extra, type Row, type Scene, sleep, waitFor } from './rig/run-row.ts';
import type { DoubleOptions, Switches } from './venue-double/options.ts';

type DoubleScene = Scene & { readonly floor: DoubleFloor };

const OUTAGE_MS = 12_000;
const LOST_MS = 10_000;
const BUSTS = 3;
const BETWEEN_BUSTS_MS = 3_000;
const CONVERGED_MS_MAX = 4_000;
const QUIET_MS = 3_000;
const DRIFT_STEPS = 3;
const DRIFT_STEP_MS = 400;

const FINE: DoubleOptions['grid'] = { tickSize: '0.001', ticksPerUnit: 1_000 };

export const CLEAN = defineRow({
  name: 'clean',
  title: 'clean account',
  seconds: 20,
  open: opened(),
});

export const OPENING = defineRow({
  name: 'opening',
  title: 'settled shares at the first start, nothing open',
  seconds: 15,
  open: opened({ openingShares: { yes: 80, no: 30 } }),
});

export const EARLIER = defineRow({
  name: 'earlier',
  title: 'orders of an earlier process rest at the start',
  seconds: 15,
  open: async () => {
    const floor = await DoubleFloor.start({ openingShares: { yes: 80, no: 30 } });
    floor.leaveOrders(6);
    await sleep(20);
    return floor;
  },
});

export const STUCK = defineRow({
  name: 'stuck',
  title: 'partial fills whose rest cannot be cancelled, busy market',
  seconds: 40,
  crowd: { moveMs: 800, tradeMs: 300, tradeShares: [3, 18] },
  open: opened({}, { partialsCancellable: false }),
});

export const UNAVAILABLE = defineRow({
  name: 'unavailable',
  title: '12 s of service_unavailable, then well',
  seconds: 40,
  open: opened(),
  act: async (scene) => await unavailable(scene, OUTAGE_MS),
});

export const FRAMES_LOST = defineRow({
  name: 'frames-lost',
  title: 'user frames lost for 10 s',
  seconds: 30,
  open: opened(),
  act: async (scene) => await framesLost(scene, LOST_MS),
});

export const BUST_RESTORED = defineRow({
  name: 'bust-restored',
  title: 'trades fail on chain, their orders put back',
  seconds: 30,
  open: opened({}, { failedTrade: 'restore' }),
  act: busts,
});

export const BUST_ENDED = defineRow({
  name: 'bust-ended',
  title: 'trades fail on chain, their orders end',
  seconds: 30,
  open: opened({}, { failedTrade: 'cancel' }),
  act: busts,
});

export const OUTER_LEVEL = defineRow({
  name: 'outer-level',
  title: 'outer levels 3 ticks from their target, 0.001 grid, budget idle',
  seconds: 10,
  quotes: { halfSpreadTicks: 10, levels: 3, levelSpacingTicks: 5 },
  // Others stand at the same prices, so that a place in the queue seems worth something.
  crowd: { halfSpreadTicks: 11, levels: 30, moveMs: 0, tradeMs: 0 },
  open: opened({ grid: FINE, markets: 1 }),
  act: outerLevel,
});

export const CEILING = defineRow({
  name: 'ceiling',
  title: "at the venue's ceiling of open orders",
  seconds: 25,
  quotes: { levels: 5 },
  crowd: { moveMs: 0 },
  open: opened({}, { openOrdersMax: 8 }),
  act: ceiling,
});

export const RESTARTS = defineRow({
  name: 'restarts',
  title: 'restarts: ended and started, kill -9 of all of it, kill -9 of the trader',
  seconds: 30,
  open: opened(),
  act: restarts,
});

export const FAULT_ROWS: readonly Row[] = [
  CLEAN,
  OPENING,
  EARLIER,
  STUCK,
  UNAVAILABLE,
  FRAMES_LOST,
  BUST_RESTORED,
  BUST_ENDED,
  OUTER_LEVEL,
  CEILING,
  RESTARTS,
];

function opened(options: Partial<DoubleOptions> = {}, switches: Partial<Switches> = {}) {
  return async () => await DoubleFloor.start(options, switches);
}

/** Everything is refused, and one placement in four takes effect all the same. */
export async function unavailable(scene: DoubleScene, forMs: number): Promise<Extra> {
  const { floor, judge } = scene;
  await sleep(3_000);
  floor.venue.switches.isUnavailable = true;
  judge.isVenueDown = true;
  await sleep(forMs);
  floor.venue.switches.isUnavailable = false;
  judge.isVenueDown = false;
  judge.onFaultsOver();
  return {};
}

export async function framesLost(scene: DoubleScene, forMs: number): Promise<Extra> {
  const { floor, judge } = scene;
  await sleep(3_000);
  floor.venue.switches.losesUserFrames = true;
  await sleep(forMs);
  floor.venue.switches.losesUserFrames = false;
  judge.onFaultsOver();
  return {};
}

export async function busts({ floor, judge }: DoubleScene): Promise<Extra> {
  for (let count = 0; count < BUSTS; count += 1) {
    await sleep(BETWEEN_BUSTS_MS);
    floor.venue.switches.failNextTrades = 1;
    await waitFor(() => floor.venue.switches.failNextTrades === 0, BETWEEN_BUSTS_MS);
  }
  judge.onFaultsOver();
  return {};
}

/** The middle drifts by three ticks, one at a time, four times over; then each level must come to its target. */
async function outerLevel({ floor, crowd, quotes }: DoubleScene): Promise<Extra> {
  let worstMs = 0;
  await waitFor(() => isAtTargets(floor, crowd.middle(0), quotes), CONVERGED_MS_MAX);
  for (const way of [1, 1, -1, -1]) {
    for (let step = 0; step < DRIFT_STEPS; step += 1) {
      crowd.move(0, way);
      await sleep(DRIFT_STEP_MS);
    }
    const movedMs = Date.now();
    const isConverged = () => isAtTargets(floor, crowd.middle(0), quotes);
    if (!(await waitFor(isConverged, CONVERGED_MS_MAX))) return { 'converged ms': undefined };
    worstMs = Math.max(worstMs, Date.now() - movedMs);
  }
  return { 'converged ms': worstMs };
}

function isAtTargets(floor: DoubleFloor, middle: number, quotes: Scene['quotes']): boolean {
  const { resting } = floor.bot(0);
  const { halfSpreadTicks, levels, levelSpacingTicks } = quotes;
  return [-1, 1].every((sign) =>
    Array.from({ length: levels }, (_, level) => level).every((level) => {
      const target = middle + sign * (halfSpreadTicks + level * levelSpacingTicks);
      return resting.some(
        ({ axisSide, ticks }) => axisSide === (sign < 0 ? 'bid' : 'ask') && ticks === target,
      );
    }),
  );
}

/** Once trading pauses, the nearest level of each side must rest: the ceiling leaves room for two each. */
export async function ceiling({ floor, crowd, judge, quotes }: DoubleScene): Promise<Extra> {
  await sleep(12_000);
  crowd.isTrading = false;
  judge.onFaultsOver();
  await sleep(QUIET_MS);
  const { halfSpreadTicks } = quotes;
  let nearest = 0;
  for (let market = 0; market < floor.marketCount; market += 1) {
    for (const sign of [-1, 1]) {
      const target = crowd.middle(market) + sign * halfSpreadTicks;
      if (floor.bot(market).resting.some(({ ticks }) => ticks === target)) nearest += 1;
    }
  }
  return { 'nearest levels resting, of 4': nearest };
}

/** @returns From each start of a process to its first quotes, the first start left out. */
async function restarts({ bot, judge }: DoubleScene): Promise<Extra> {
  const downMs: number[] = [];
  const ways = [
    async () => {
      await bot.stop();
      bot.start();
    },
    async () => {
      await bot.kill();
      bot.start();
    },
    async () => {
      bot.killTrader();
      if (bot.name === 'plain') {
        await bot.kill();
        bot.start();
      }
    },
  ];
  for (const way of ways) {
    await sleep(3_000);
    const diedMs = Date.now();
    judge.onDeath();
    await way();
    judge.onStart();
    await waitFor(() => judge.hasQuoted(), 10_000);
    downMs.push(Date.now() - diedMs);
  }
  judge.onFaultsOver();
  const [ended, killed, traderKilled] = downMs;
  return { 'down ms: ended': ended, killed, 'trader killed': traderKilled };
}
