// Every control and every limit has what an operator needs of it: a key in the settings, a code that the
// RUNBOOK explains, a number, and a test in which a strategy does its best to get past it. The compiler
// demands a row of each name; the row is held against what it names.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { LimitName } from '../../../../src/core/risk/limits.ts';
import { CONTROLS, type ControlName, RISK_CONTROL_DEFAULTS } from '../../../../src/domain/risk.ts';
import { describeKeys } from '../../../../src/settings/describe.ts';
import { EngineDriver, MARKET } from '../../../support/engine-driver.ts';
import { scraped } from '../../../support/scraped.ts';
import { bid, controlled, wishing } from '../../../support/wanted.ts';
import { stateView } from '../../telemetry/views.ts';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
const textOf = (path: string) => readFileSync(join(ROOT, path), 'utf8');

type Row = {
  /** What sets it; empty where the venue alone decides. */
  readonly keys: readonly string[];
  /** Whether its value stands beside its limit, as `bookend_control_<unit>`. */
  readonly isMeasured: boolean;
  /** The test in which it holds: file below test/unit/core, and sentence. */
  readonly bypass: readonly [file: string, sentence: string];
};

const BREAKERS = 'risk/breakers.test.ts';
const CONDITIONS = 'risk/conditions.test.ts';
const LOSSES = 'risk/losses.test.ts';
const LEVELS = 'risk/levels.test.ts';
const LIMITS = 'risk/limits.test.ts';
const ORDER = [LIMITS, '$limit stops a target quote of 50 at 0.48'] as const;
const LIVE = [LIMITS, '$limits hold for orders of one write together'] as const;
const FAIR = [LIMITS, 'against the fair value: $what makes $orders'] as const;

const OF_CONTROL: Readonly<Record<ControlName, Row>> = {
  max_loss_usdc: {
    keys: ['maxLossUsdc'],
    isMeasured: true,
    bypass: ['engine.test.ts', 'halt and latch when the session has lost too much'],
  },
  account_refused: {
    keys: [],
    isMeasured: false,
    bypass: ['risk/account-refused.test.ts', 'goes on selling what it holds, and nothing else'],
  },
  account_conflict: {
    keys: ['account.conflict'],
    isMeasured: false,
    bypass: [
      'risk/account-conflict.test.ts',
      'halts placing, has own orders cancelled and its own left alone',
    ],
  },
  session_loss: {
    keys: ['loss.sessionUsdc', 'loss.sessionAction'],
    isMeasured: true,
    bypass: [LOSSES, 'does what is configured, and holds until an operator resumes'],
  },
  day_loss: {
    keys: ['loss.dayUsdc', 'loss.dayAction', 'loss.dayStartsAtHour'],
    isMeasured: true,
    bypass: [LOSSES, 'that had tripped holds in the next run'],
  },
  drawdown: {
    keys: ['loss.drawdownUsdc', 'loss.drawdownAction'],
    isMeasured: true,
    bypass: [LOSSES, 'knows its peak in the next run, and takes no missing price for a gain'],
  },
  unmarked_position: {
    keys: ['loss.unmarkedMs', 'loss.unmarkedAction'],
    isMeasured: true,
    bypass: [LOSSES, 'stops adding there after a while, is said, and ends when the price is back'],
  },
  order_rate: {
    keys: ['orderRate.orders', 'orderRate.intervalMs', 'orderRate.action'],
    isMeasured: true,
    bypass: [BREAKERS, 'is stopped at the send point, and goes on after it has cooled off'],
  },
  fill_burst: {
    keys: ['fillBurst.marketFills', 'fillBurst.accountShares', 'fillBurst.action'],
    isMeasured: true,
    bypass: [BREAKERS, 'of the account stops adding everywhere until it has cooled off'],
  },
  repeated_refusals: {
    keys: ['refusals.side', 'refusals.market', 'refusals.account', 'refusals.action'],
    isMeasured: true,
    bypass: [BREAKERS, 'rests the side, beyond the pause that each refusal brings'],
  },
  settlement_failures: {
    keys: ['settlements.failures', 'settlements.intervalMs', 'settlements.action'],
    isMeasured: true,
    bypass: [BREAKERS, 'stop adding once there are too many of them'],
  },
  blind_account: {
    keys: ['blind.forMs'],
    isMeasured: true,
    bypass: [CONDITIONS, 'is swept when orders may rest, also those whose hash was never learned'],
  },
  cash_divergence: {
    keys: ['divergence.cashUsdc', 'divergence.forMs', 'divergence.action'],
    isMeasured: true,
    bypass: [CONDITIONS, 'about cash, for long enough, stops what adds until it does'],
  },
  position_uncertain: {
    keys: ['maxUncertainShares'],
    isMeasured: true,
    bypass: [CONDITIONS, 'is not where it still is, and no key switches that off'],
  },
  order_divergence: {
    keys: ['divergence.forMs', 'divergence.action'],
    isMeasured: true,
    bypass: [CONDITIONS, 'about an order that no cancel removes'],
  },
  clock_offset: {
    keys: ['clock.offsetMsMax', 'clock.action'],
    isMeasured: true,
    bypass: [CONDITIONS, 'too far off stops what adds until it is put right'],
  },
  clock_drift: {
    keys: ['clock.driftMsMax', 'clock.action', 'clock.coolOffMs'],
    isMeasured: true,
    bypass: [CONDITIONS, 'that moves stops them for a while, wherever it stands'],
  },
};

const OF_LIMIT: Readonly<Record<LimitName, Row>> = {
  max_order_notional_usdc: { keys: ['maxOrderNotionalUsdc'], isMeasured: false, bypass: ORDER },
  max_order_shares: { keys: ['maxOrderShares'], isMeasured: false, bypass: ORDER },
  max_position_shares: { keys: ['maxPositionShares'], isMeasured: true, bypass: ORDER },
  max_net_shares: { keys: ['maxNetShares'], isMeasured: true, bypass: ORDER },
  max_loss_usdc: { keys: ['maxLossUsdc'], isMeasured: true, bypass: ORDER },
  max_event_loss_usdc: { keys: ['maxEventLossUsdc'], isMeasured: true, bypass: ORDER },
  max_open_orders: { keys: ['maxOpenOrders'], isMeasured: true, bypass: LIVE },
  max_market_open_orders: { keys: ['maxMarketOpenOrders'], isMeasured: true, bypass: LIVE },
  max_open_notional_usdc: { keys: ['maxOpenNotionalUsdc'], isMeasured: true, bypass: LIVE },
  cash: {
    keys: [],
    isMeasured: false,
    bypass: ['strategy-seam.test.ts', 'go not at all when one leg breaks a limit'],
  },
  capital_allocation: {
    keys: ['capital.policy'],
    isMeasured: false,
    bypass: ['quoting/preview.test.ts', 'lets a market of no weight bind nothing, and says why'],
  },
  collar_fair: { keys: ['collar.fairThrough', 'collar.fairAway'], isMeasured: false, bypass: FAIR },
  collar_trades: {
    keys: ['collar.tradesThrough', 'collar.tradesAway', 'collar.tradesMs'],
    isMeasured: false,
    bypass: [LIMITS, 'against the last trades stops what is beyond their range'],
  },
  collar_blind: {
    keys: ['collar.blind'],
    isMeasured: false,
    bypass: [LIMITS, 'holds back what nothing can be held against, unless the settings allow it'],
  },
  stop_adding: {
    keys: ['loss.warnAction'],
    isMeasured: false,
    bypass: [LEVELS, 'sends what leads towards zero, and no further than the worst case allows'],
  },
  reduce_only: {
    keys: ['loss.dayAction'],
    isMeasured: false,
    bypass: [LEVELS, 'sends no more than the position itself, whatever is wanted'],
  },
};

const KEYS = new Set(describeKeys(new Map()).map(({ path }) => path));
const RUNBOOK = textOf('ops/RUNBOOK.md');
const rowsOf = (of: object): readonly (readonly [string, Row])[] => Object.entries(of);
const EVERY = [...rowsOf(OF_CONTROL), ...rowsOf(OF_LIMIT)];

/** Names that the core shows with value and limit, when everything is switched on. */
function measured(): ReadonlySet<string> {
  const usual = controlled();
  const { loss } = usual.risk;
  if (loss === undefined) throw new Error('controls have their losses');
  const driver = new EngineDriver([wishing(() => [bid(48, 50)])]);
  driver.start(
    controlled({
      loss: { ...loss, sessionUsdc: 10, dayUsdc: 10, drawdownUsdc: 10, unmarkedMs: 1_000 },
      clock: { ...RISK_CONTROL_DEFAULTS.clock, offsetMsMax: 3_000, driftMsMax: 5_000 },
      maxNetShares: 400,
      maxMarketOpenOrders: 50,
      maxOpenNotionalUsdc: 1_000,
      maxEventLossUsdc: 500,
    }),
  );
  return new Set(driver.engine.view().risk?.controls.map(({ control }) => control));
}

describe('a control or limit', () => {
  it.each(EVERY)('%s is set by keys that exist', (_, { keys }) => {
    const paths = keys.map((key) => (/^(?:capital|account)\./.test(key) ? key : `risk.${key}`));
    expect(paths.filter((path) => !KEYS.has(path))).toEqual([]);
  });

  it('has no key only where the venue decides', () => {
    const free = EVERY.filter(([, { keys }]) => keys.length === 0).map(([name]) => name);
    expect(free).toEqual(['account_refused', 'cash']);
  });

  it.each(EVERY)('%s is explained to operators by its code', (name) => {
    expect(RUNBOOK).toContain(`\`${name}\``);
  });

  it.each(EVERY)('%s is held against a strategy that does its best', (name, { bypass }) => {
    const [file, sentence] = bypass;
    const text = textOf(`test/unit/core/${file}`);
    expect(text).toMatch(/\bplaced\(|\.placements\(\)|'cancelAll'/);
    const at = text.indexOf(sentence);
    expect([name, file, at >= 0]).toEqual([name, file, true]);
  });

  it('stands where it stands as a number, if it is one', () => {
    const shown = measured();
    const wanted = EVERY.filter(([, { isMeasured }]) => isMeasured).map(([name]) => name);
    expect(wanted.filter((name) => !shown.has(name))).toEqual([]);
    const unwanted = EVERY.filter(([, { isMeasured }]) => !isMeasured).map(([name]) => name);
    expect(unwanted.filter((name) => shown.has(name))).toEqual([]);
  });
});

describe('what is counted', () => {
  it.each(CONTROLS)('of the control %s is each time that it trips', async (control) => {
    const metrics = scraped({ view: stateView, version: '1' });
    const detail = 'x';
    const isHalt = control === 'max_loss_usdc';
    metrics.onReport(
      isHalt
        ? { event: 'risk.halted', limit: control, detail }
        : {
            ...({ event: 'control.tripped', raisedTo: 'cancel', marketId: undefined } as const),
            ...{ control, detail, clears: 'y' },
          },
    );
    const series = `bookend_control_trips_total{control="${control}"} 1`;
    expect(await metrics.text()).toContain(series);
  });

  it.each(rowsOf(OF_LIMIT))('of the limit %s is each order that it held back', async (limit) => {
    const metrics = scraped({ view: stateView, version: '1' });
    metrics.onReport({ event: 'risk.refused', limit, marketId: MARKET, detail: 'x' });
    expect(await metrics.text()).toMatch(new RegExp(`^bookend_\\w+\\{limit="${limit}"\\} 1$`, 'm'));
  });
});
