// One run: a world, a venue with stated conditions, and the core on virtual time.

import { Decimal } from 'decimal.js';
import { VirtualClock } from '../clock/virtual.ts';
import { createEngine } from '../core/engine.ts';
import { BotError } from '../domain/errors.ts';
import type { MarketId } from '../domain/ids.ts';
import type { CoreSettings } from '../domain/input.ts';
import type { Report } from '../domain/report.ts';
import type { StateView } from '../domain/view.ts';
import { seededRandom } from '../paper/crowd/random.ts';
import { nanoOf, usdcOf } from '../paper/exchange/amounts.ts';
import { Exchange } from '../paper/exchange/exchange.ts';
import { ExchangeDesk } from '../paper/exchange/exchange-desk.ts';
import { paperSettings } from '../paper/options.ts';
import type { Strategy } from '../strategy/index.ts';
import { type Conditions, conditionsText } from './conditions.ts';
import { Driver } from './driver.ts';
import { BacktestPort } from './port.ts';
import type { RunResult } from './result.ts';
import { type Described, meanOf, Watch } from './watch.ts';
import type { OnProgress, World } from './world.ts';

/** So long before the world begins the daemon starts, so that it quotes from the first moment on. */
const LEAD_MS = 5_000;
/** After the end: what was matched settles, and what it brought can be told. */
const SETTLE_MARGIN_MS = 40_000;
/** How often one looks why nothing is quoted, and how many different answers are counted. */
const IDLE_LOOK_MS = 10_000;
const IDLE_TEXTS_MAX = 1_000;
const ACCOUNT = 'maker';
const NOTHING_CHOSEN =
  'no market of this world is quoted: `markets` of the configuration names others';

export type RunOptions = {
  readonly world: World;
  readonly conditions: Conditions;
  readonly settings: CoreSettings;
  readonly strategies: ReadonlyMap<string, Strategy>;
  readonly onProgress?: OnProgress;
  /** Real time, for `tookMs`; a backtest reads no clock of its own. */
  readonly wallMs: () => number;
};

/** Runs it to the end; the same options give the same result, but for `tookMs`. */
export async function runBacktest(options: RunOptions): Promise<RunResult> {
  const { world, conditions, settings, strategies, wallMs } = options;
  const startedMs = wallMs();
  const clock = new VirtualClock({ startMs: world.startsAtMs - LEAD_MS });
  const exchange = exchangeOf(world, conditions, clock);
  const account = exchange.accounts.open(ACCOUNT, 'api');
  exchange.accounts.deposit(account, nanoOf(new Decimal(conditions.startingCashUsdc)));
  const random = seededRandom(`${conditions.seed}/latency`);
  const { latency } = conditions;
  const port = new BacktestPort({ exchange, account, time: clock, latency, random });
  const engine = createEngine({ strategies });
  const watch = new Watch({ exchange, account, time: clock });
  let halted: string | undefined;
  const onReport = (report: Report): void => {
    if (report.event === 'risk.halted') halted ??= `${report.limit}: ${report.detail}`;
  };
  const driver = new Driver({ engine, port, time: clock, onReport });
  world.open({ desk: new ExchangeDesk(exchange), clock });
  driver.start(settings);
  clock.advance(LEAD_MS);
  watch.start();
  const { onProgress = () => undefined } = options;
  const idle = new IdleReasons();
  const failure = await played(world, (progress) => {
    if (port.writes === 0) idle.look(progress.atMs, () => engine.view());
    return onProgress(progress);
  });
  const toMs = clock.nowMs();
  watch.end();
  const view = engine.view();
  world.close();
  clock.advance(conditions.settleMsMax + SETTLE_MARGIN_MS);
  driver.stop();
  exchange.stop();
  const markets = watch.results(describedIn(view), (id) => world.worthOf(id));
  return {
    world: world.name,
    conditions: conditionsText(conditions),
    strategies: [...new Set(markets.map(({ strategy }) => strategy))],
    parameters: parametersOf(settings),
    fromMs: world.startsAtMs,
    toMs,
    total: watch.total(markets),
    markets,
    writes: port.writes,
    account: {
      cashUsdc: usdcOf(account.cashNano).toFixed(),
      shares: Object.fromEntries(
        [...account.holdings].map(([token, { settledMicro }]) => [token, settledMicro / 1e6]),
      ),
    },
    ...world.counts(),
    inputs: driver.inputs,
    tookMs: wallMs() - startedMs,
    digest: driver.digest(),
    failure: failure ?? (markets.length === 0 ? NOTHING_CHOSEN : undefined),
    idle: port.writes === 0 ? (idle.most() ?? idleIn(view)) : undefined,
    halted,
  };
}

function parametersOf({ markets }: RunOptions['settings']): readonly string[] {
  const texts = markets.map(({ strategy, params }) => {
    const each = Object.entries(params).map(([name, value]) => `${name}=${String(value)}`);
    return `${strategy}: ${each.join(' ')}`;
  });
  return [...new Set(texts)];
}

/** Between the two lies every queue that orders of a synthetic crowd could make. */
const PLACE = { conservative: 'last', optimistic: 'first', real: 'arrival' } as const;

function exchangeOf(world: World, conditions: Conditions, clock: VirtualClock): Exchange {
  const { seed, queue, takerFeeRate, settlementFailureRate, partlyFilled } = conditions;
  const { rules, timing } = paperSettings({
    events: [],
    rules: {
      recordedQueue: queue === 'real' ? 'displayed' : queue,
      accountPlace: PLACE[queue],
      takerFeeRate,
      settlementFailureRate,
      partiallyFilledCancellable: partlyFilled === 'cancellable',
    },
    timing: {
      settleMsMin: conditions.settleMsMin,
      settleMsMax: conditions.settleMsMax,
      indexLagMsMin: conditions.positionLagMsMin,
      indexLagMsMax: conditions.positionLagMsMax,
    },
  });
  const exchange = new Exchange({ clock, timers: clock, seed, rules, timing });
  for (const event of world.events) exchange.list(event);
  return exchange;
}

/** A recording that cannot be read on ends its run early; any other error is a fault of ours. */
async function played(world: World, onProgress: OnProgress): Promise<string | undefined> {
  try {
    await world.play(onProgress);
    return undefined;
  } catch (cause) {
    if (!(cause instanceof BotError)) throw cause;
    return cause.message;
  }
}

/** Why nothing is quoted, as it is said most of the time: at its end every recording is paused. */
class IdleReasons {
  readonly #counts = new Map<string, number>();
  #lookedAtMs = Number.NEGATIVE_INFINITY;

  look(atMs: number, view: () => StateView): void {
    if (atMs - this.#lookedAtMs < IDLE_LOOK_MS) return;
    this.#lookedAtMs = atMs;
    const text = idleIn(view());
    const isRoom = this.#counts.size < IDLE_TEXTS_MAX;
    if (text === undefined || (!isRoom && !this.#counts.has(text))) return;
    this.#counts.set(text, (this.#counts.get(text) ?? 0) + 1);
  }

  most(): string | undefined {
    return [...this.#counts].toSorted(([, a], [, b]) => b - a)[0]?.[0];
  }
}

function idleIn({ markets, unlisted = [] }: StateView): string | undefined {
  const reasons = [
    ...markets.flatMap(({ title, bidReason, askReason }) => {
      const reason = bidReason ?? askReason;
      return reason ? [{ name: title, ...reason }] : [];
    }),
    ...unlisted.map(({ choice: name, ...reason }) => ({ name, ...reason })),
  ];
  const [first] = reasons;
  return first && `${first.name}: ${first.code} (${first.detail}); clears: ${first.clears}`;
}

/** What the core knew of each market at the end. */
function describedIn({ markets }: StateView): (marketId: MarketId) => Described | undefined {
  const views = new Map(markets.map((each) => [each.marketId, each]));
  return (marketId) => {
    const view = views.get(marketId);
    if (!view) return undefined;
    const { title, strategy, fair, uptime } = view;
    const ratios = [uptime.bid, uptime.ask].flatMap(({ sinceStart }) => sinceStart ?? []);
    return { title, strategy, fair: fair && Number(fair.price), uptimeRatio: meanOf(ratios) };
  };
}
