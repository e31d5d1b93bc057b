// What a venue may do that nobody has met yet: quantities with fewer decimals, markets without an order book, another
// trader on the account, a clock of its own, and a start into a pause.

import type { DoubleFloor } from './rig/double-floor.ts';
import { defineRow, type Extra, sleep, waitFor } from './rig/run-row.ts';
import { backMs, type DoubleScene, opened, type Pace } from './row-parts.ts';

type Rule = 'yield' | 'own-scope' | 'halt';

export const STRANGE_ROWS = [
  'lots',
  'no-order-book',
  'another-own-scope',
  'another-yield',
  'another-halt',
  'clock-off',
  'clock-stepped',
  'start-429',
  'start-maintenance',
] as const;

/** Farther than a signature may be from the venue's clock. */
const OFF_MS = 45_000;
/** What `ladder` asks for then has more decimals than the venue takes. */
const ODD_SHARES = 20.123_457;
const START_MS = 4_000;
/** The other one rests a new order this often: a list each five seconds shows some. */
const ANOTHER_MS = 2_000;
const ANOTHER_ORDERS = 20;
const STEPPED_MS = 15_000;
const BACK_MS_MAX = 75_000;

export function strangeRows(pace: Pace) {
  return {
    lots: defineRow({
      name: 'lots',
      title: 'quantities of two decimals at most, 20.123457 shares wanted',
      seconds: pace.calmSec,
      quotes: { size: ODD_SHARES },
      open: opened({}, { quantityDecimalsMax: 2 }),
    }),
    'no-order-book': defineRow({
      name: 'no-order-book',
      title: `enableOrderBook: false for ${pace.pauseMs / 1_000} s`,
      seconds: 0,
      open: opened(),
      act: async (scene: DoubleScene) => await noBook(scene, pace),
    }),
    'another-own-scope': another('own-scope'),
    'another-yield': another('yield'),
    'another-halt': another('halt'),
    'clock-off': defineRow({
      name: 'clock-off',
      title: `the clock is ${OFF_MS / 1_000} s off from the start`,
      seconds: pace.calmSec,
      open: opened({}, { clockOffsetMs: OFF_MS }),
    }),
    'clock-stepped': defineRow({
      name: 'clock-stepped',
      title: `the clock steps by ${OFF_MS / 1_000} s, and back`,
      seconds: 0,
      open: opened(),
      act: clockStepped,
    }),
    'start-429': atStart('start-429', 'rate_limited'),
    'start-maintenance': atStart('start-maintenance', 'maintenance'),
  };
}

/** No order is taken meanwhile; both learn of the end by themselves. */
async function noBook(scene: DoubleScene, pace: Pace): Promise<Extra> {
  const { switches } = scene.floor.venue;
  await sleep(pace.beforeFaultMs);
  scene.judge.isVenueDown = true;
  switches.hasNoBook = true;
  await sleep(pace.pauseMs);
  switches.hasNoBook = false;
  scene.judge.isVenueDown = false;
  return { 'back ms': await backMs(scene, BACK_MS_MAX) };
}

function another(rule: Rule) {
  const isPresent = rule === 'own-scope';
  return defineRow({
    name: `another-${rule}`,
    title: `another trader on the account, account.conflict: ${rule}`,
    seconds: 0,
    conflict: rule,
    open: opened(),
    act: async ({ floor, judge }: DoubleScene) => {
      // Who yields or halts is not to be present.
      judge.isVenueDown = !isPresent;
      let lostMidway = 0;
      for (let count = 0; count < ANOTHER_ORDERS; count += 1) {
        floor.placeByAnother();
        await sleep(ANOTHER_MS);
        if (count === ANOTHER_ORDERS / 2) lostMidway = floor.lostByAnother();
      }
      judge.onFaultsOver();
      const lost = floor.lostByAnother();
      return {
        'orders of the other one cancelled': lost,
        'of these in the second half': lost - lostMidway,
        'own open at the end': floor.openCount() - (ANOTHER_ORDERS - lost),
      };
    },
  });
}

async function clockStepped({ floor, judge }: DoubleScene): Promise<Extra> {
  const { switches } = floor.venue;
  await sleep(STEPPED_MS / 5);
  switches.clockOffsetMs = OFF_MS;
  await sleep(STEPPED_MS);
  switches.clockOffsetMs = 0;
  await sleep(STEPPED_MS);
  judge.onFaultsOver();
  return {};
}

/** Everything is refused while it starts. */
function atStart(name: string, refusal: 'rate_limited' | 'maintenance') {
  const ended = new WeakMap<DoubleFloor, number>();
  return defineRow({
    name,
    title: `${START_MS / 1_000} s of ${refusal} at the start`,
    seconds: 0,
    open: async () => {
      const floor = await opened({}, { refusesAll: refusal })();
      setTimeout(() => {
        floor.venue.switches.refusesAll = undefined;
        ended.set(floor, Date.now());
      }, START_MS);
      return floor;
    },
    act: async ({ floor, judge }: DoubleScene) => {
      await waitFor(() => judge.hasQuoted(), BACK_MS_MAX);
      return { 'quoted after its end, ms': Date.now() - (ended.get(floor) ?? Number.NaN) };
    },
  });
}
