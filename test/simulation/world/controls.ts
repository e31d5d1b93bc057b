// What of the daemon is switched on in one run, as the seed draws it: automatic controls, dates of
// orders, whose orders it cancels, complete sets that take care of themselves.

import { type CoreSettings, GTD_DEFAULTS, type RiskLimits } from '../../../src/domain/input.ts';
import { RISK_CONTROL_DEFAULTS, type RiskControls } from '../../../src/domain/risk.ts';
import { RECYCLER_DEFAULTS, type RecyclerSettings } from '../../../src/domain/sets.ts';
import type { Random } from '../../../src/paper/crowd/random.ts';

export type MoreLimits = Pick<
  RiskLimits,
  | 'maxNetShares'
  | 'maxOrderShares'
  | 'maxMarketOpenOrders'
  | 'maxOpenNotionalUsdc'
  | 'maxEventLossUsdc'
>;

/** r of `r p (1 - p)` a share: by the operator's word, and as the venue has it. */
export type TakerFees = { readonly statedRate: number; readonly chargedRate: number };

export const NO_FEES: TakerFees = { statedRate: 0, chargedRate: 0 };

export type Controls = {
  readonly risk: RiskControls | undefined;
  /** Limits beside those that every run has. */
  readonly limits: MoreLimits | undefined;
  readonly gtd: NonNullable<CoreSettings['orders']['gtd']> | undefined;
  readonly scope: 'account' | 'own';
  readonly sets: RecyclerSettings | undefined;
  /** The history of settled trades is read beside the frames. */
  readonly history: boolean;
  /** The first market is quoted by a strategy that also takes. */
  readonly takes: true | undefined;
  /** Its books are late by so much for as long as the run lasts; all else that it hears is in time. */
  readonly lateMs: number | undefined;
  /** Whoever takes pays a fee. */
  readonly fees: TakerFees | undefined;
  /** The draw on one line, for people. */
  readonly text: string;
};

/** Everything as the settings of the simulation have it. */
export const PLAIN: Controls = {
  risk: undefined,
  limits: undefined,
  gtd: undefined,
  scope: 'account',
  sets: undefined,
  history: true,
  takes: undefined,
  lateMs: undefined,
  fees: undefined,
  text: 'plain',
};

/** What is there whatever the seed draws. */
export type Wanted = Partial<Omit<Controls, 'text'>>;

/** Every choice is drawn, so that one that is given leaves the others where they were. */
export function drawControls(random: Random, wanted: Wanted = {}): Controls {
  const takes = drawTakes(random.split('takes'));
  const drawn = {
    risk: drawRisk(random.split('risk')),
    limits: drawLimits(random.split('limits')),
    gtd: drawGtd(random.split('gtd')),
    scope: random.split('scope').chance(0.3) ? ('own' as const) : ('account' as const),
    sets: drawSets(random.split('sets')),
    history: !random.split('history').chance(0.15),
    takes,
    lateMs: drawLate(random.split('late')),
    fees: drawFees(random.split('fees'), takes !== undefined),
  };
  const { controls, name } = drawn.risk;
  const risk = 'risk' in wanted ? wanted.risk : controls;
  const chosen = { ...drawn, ...wanted, risk };
  const words = [
    'risk' in wanted ? (risk === undefined ? 'none' : 'given') : name,
    ...(chosen.limits === undefined ? [] : ['limits']),
    ...(chosen.gtd === undefined ? [] : [`gtd:${chosen.gtd.renewal}`]),
    ...(chosen.scope === 'own' ? ['own'] : []),
    ...(chosen.sets === undefined ? [] : ['sets']),
    ...(chosen.history ? [] : ['frames']),
    ...(chosen.takes === undefined ? [] : ['takes']),
    ...(chosen.lateMs === undefined ? [] : [`late:${chosen.lateMs}`]),
    ...(chosen.fees === undefined ? [] : [wordOf(chosen.fees)]),
  ];
  return { ...chosen, text: words.join(' ') };
}

function wordOf({ statedRate, chargedRate }: TakerFees): string {
  return statedRate === chargedRate ? 'fees' : 'fees:misstated';
}

/** Settings with what is switched on in them. */
export function withControls(settings: CoreSettings, controls: Controls): CoreSettings {
  const { risk, limits, gtd, scope, sets, history, takes, fees } = controls;
  return {
    ...settings,
    timing: history ? settings.timing : { ...settings.timing, tradesMs: 0 },
    risk: { ...settings.risk, ...limits, ...risk },
    orders: {
      ...settings.orders,
      scope,
      ...(gtd === undefined ? {} : { timeInForce: 'GTD' as const, gtd }),
    },
    markets: settings.markets.map((market, index) => ({
      ...market,
      ...(sets !== undefined && { sets }),
      ...(fees && { takerFeeRate: fees.statedRate }),
      ...(index === 0 &&
        takes && { strategy: 'taking-ladder', takerFeeRate: fees?.statedRate ?? 0 }),
    })),
  };
}

type DrawnRisk = { readonly name: string; readonly controls: RiskControls | undefined };

/** Without any, as a desk has them by default, or so tight that they trip. */
function drawRisk(random: Random): DrawnRisk {
  if (random.chance(0.2)) return { name: 'none', controls: undefined };
  if (random.chance(0.3)) return { name: 'usual', controls: RISK_CONTROL_DEFAULTS };
  return { name: 'tight', controls: tightRisk(random) };
}

function tightRisk(random: Random): RiskControls {
  const usual = RISK_CONTROL_DEFAULTS;
  const hard = (): 'cancel' | 'reduce-only' => pick(random, ['cancel', 'reduce-only'] as const);
  return {
    ...usual,
    collar: {
      ...usual.collar,
      fairThrough: pick(random, [0.02, 0.05]),
      fairAway: pick(random, [0, 0.1, 0.15]),
      tradesThrough: pick(random, [0.05, 0.1]),
      tradesAway: pick(random, [0, 0.3]),
      blind: pick(random, ['hold', 'allow'] as const),
    },
    loss: {
      ...usual.loss,
      sessionUsdc: pick(random, [0, 20, 60]),
      sessionAction: pick(random, ['reduce-only', 'killed'] as const),
      dayUsdc: pick(random, [0, 12, 40]),
      dayAction: hard(),
      // A run begins at noon: some of them live to see another day.
      dayStartsAtHour: pick(random, [0, 12, 13]),
      drawdownUsdc: pick(random, [10, 30]),
      drawdownAction: pick(random, ['stop-adding', 'reduce-only', 'killed'] as const),
      warnAction: pick(random, ['widen', 'stop-adding'] as const),
      unmarkedMs: 30_000,
    },
    orderRate: {
      orders: pick(random, [30, 90]),
      intervalMs: 10_000,
      action: hard(),
      coolOffMs: 15_000,
    },
    fillBurst: {
      ...usual.fillBurst,
      marketFills: pick(random, [6, 15]),
      marketShares: pick(random, [120, 400]),
      accountFills: 20,
      action: hard(),
      coolOffMs: 20_000,
    },
    refusals: { ...usual.refusals, side: 3, market: 4, account: 8, coolOffMs: 20_000 },
    settlements: { ...usual.settlements, failures: 3, coolOffMs: 60_000 },
    blind: { forMs: pick(random, [2_000, 5_000]) },
    divergence: { cashUsdc: 1, forMs: 60_000, action: hard() },
    clock: {
      offsetMsMax: pick(random, [8_000, 20_000]),
      driftMsMax: pick(random, [2_000, 5_000]),
      action: hard(),
      coolOffMs: 15_000,
    },
  };
}

/** Few seeds, and some limits of all: less is quoted under them. */
const LIMITED = 0.25;

/** Each so often among them, and one of these: they bind, and no market is left without an order that they allow. */
const LIMIT_CHOICES = [
  ['maxNetShares', 0.6, [70, 120]],
  // The only one under which one market of two is left to what reduces.
  ['maxOrderShares', 0.2, [35]],
  ['maxMarketOpenOrders', 0.6, [3, 5]],
  ['maxOpenNotionalUsdc', 0.6, [60, 100]],
  ['maxEventLossUsdc', 0.6, [40, 80]],
] as const satisfies readonly (readonly [keyof MoreLimits, number, readonly number[]])[];

function drawLimits(random: Random): MoreLimits | undefined {
  if (!random.chance(LIMITED)) return undefined;
  const drawn = LIMIT_CHOICES.filter(([name, part]) => random.split(name).chance(part));
  return Object.fromEntries(drawn.map(([name, , values]) => [name, pick(random, values)]));
}

/** Limits as an operator might set them anew while trading, those that are set only. */
export function retunedLimits(base: RiskLimits, random: Random): MoreLimits {
  const set = LIMIT_CHOICES.flatMap(([name]) => {
    const value = base[name];
    const by = pick(random.split(name), [0.6, 1, 1, 1.5]);
    // Fewer shares than now leave no market an order.
    const isFixed = value === undefined || name === 'maxOrderShares';
    return isFixed ? [] : [[name, Math.ceil(value * by)] as const];
  });
  return Object.fromEntries(set);
}

/** Controls as an operator might set them anew while trading, what is switched on only. */
export function retunedRisk(base: RiskLimits, random: Random): Partial<RiskLimits> {
  const { collar, loss, divergence, clock } = base;
  const scaled = (value: number, by: readonly number[]): number => value * pick(random, by);
  return {
    ...(collar && {
      collar: {
        ...collar,
        fairThrough: scaled(collar.fairThrough, [0.5, 1, 2]),
        fairAway: scaled(collar.fairAway, [1, 2]),
        tradesThrough: scaled(collar.tradesThrough, [1, 2]),
      },
    }),
    ...(loss && {
      loss: {
        ...loss,
        sessionUsdc: scaled(loss.sessionUsdc, [0.5, 1, 2]),
        drawdownUsdc: scaled(loss.drawdownUsdc, [0.5, 1, 2]),
        warnPart: pick(random, [0.5, 0.7]),
        warnAction: pick(random, ['widen', 'stop-adding', 'reduce-only'] as const),
      },
    }),
    ...(divergence && {
      divergence: { ...divergence, cashUsdc: scaled(divergence.cashUsdc, [0, 1, 1, 3]) },
    }),
    ...(clock && {
      clock: { ...clock, offsetMsMax: scaled(clock.offsetMsMax, [0, 0.7, 1, 1, 2]) },
    }),
  };
}

/** Few seeds: what one takes brings its first market nearer to its limits. */
const TAKING = 0.15;

function drawTakes(random: Random): Controls['takes'] {
  return random.chance(TAKING) ? true : undefined;
}

/** A quote that meets somebody as it arrives pays, too: few seeds, and most of those that take on purpose. */
const PAYING = { quoting: 0.15, taking: 0.7 };
/** An operator may have it wrong. */
const MISSTATED = 0.2;

function drawFees(random: Random, isTaking: boolean): Controls['fees'] {
  if (!random.chance(isTaking ? PAYING.taking : PAYING.quoting)) return undefined;
  const statedRate = pick(random, [0.02, 0.07]);
  const isRight = !random.chance(MISSTATED);
  return { statedRate, chargedRate: statedRate * (isRight ? 1 : pick(random, [0, 0.5, 1.5])) };
}

/** Some seeds of a profile that has them, and no later than books may be that nobody doubts. */
const LATE = 0.4;
const LATE_MS_MIN = 300;
const LATE_MS_MAX = 3_000;

function drawLate(random: Random): number | undefined {
  return random.chance(LATE) ? random.whole(LATE_MS_MIN, LATE_MS_MAX) : undefined;
}

function drawGtd(random: Random): Controls['gtd'] {
  if (!random.chance(0.4)) return undefined;
  return {
    ...GTD_DEFAULTS,
    lifetimeMs: pick(random, [90_000, 150_000]),
    renewMs: pick(random, [20_000, 40_000]),
    renewal: pick(random, ['overlap', 'replace'] as const),
  };
}

function drawSets(random: Random): RecyclerSettings | undefined {
  if (!random.chance(0.4)) return undefined;
  return {
    ...RECYCLER_DEFAULTS,
    mode: 'on',
    workingMin: pick(random, [0, 30, 60]),
    workingMax: pick(random, [60, 90]),
    changeMin: 10,
    pauseMs: pick(random, [20_000, 60_000]),
  };
}

function pick<Value>(random: Random, values: readonly Value[]): Value {
  const value = values[random.whole(0, values.length - 1)];
  if (value === undefined) throw new RangeError('there is something to pick from');
  return value;
}
