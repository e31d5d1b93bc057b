// Many markets, active trading and a machine without a free processor, for long: was anybody missing, and is the money right?

import { Decimal } from 'decimal.js';
import type { StateView } from '../../../src/domain/view.ts';
import { BusyLoops } from '../../process/rig/starve.ts';
import { Bot, USUAL_QUOTES } from './bots.ts';
import { Crowd } from './crowd.ts';
import { type BotMoney, PaperFloor } from './paper-floor.ts';
import { sleep, waitFor } from './run-row.ts';

export type SoakPlan = {
  readonly markets: number;
  readonly forMs: number;
  /** Programs beside it that take all they get, for each processor. */
  readonly loopsPerProcessor: number;
  readonly onMinute?: (minute: Minute) => void;
};

/** Shares of time in which both sides of a market had an order resting. */
export type Minute = { readonly mean: number; readonly least: number; readonly fills: number };

/** What the daemon says less what the venue has. */
export type Difference = {
  readonly cashUsdc: number;
  /** Of the token that is furthest off. */
  readonly shares: number;
  readonly profitUsdc: number;
};

export type Soaked = {
  readonly minutes: readonly Minute[];
  readonly firstQuoteMs: number;
  readonly deaths: number;
  /** Times at which its watchdog took quotes back for a trader that got no processor. */
  readonly pulls: number;
  readonly fills: number;
  /** Absent where the daemon said nothing at the end. */
  readonly difference: Difference | undefined;
  readonly profitUsdc: number;
  readonly log: string;
};

const LOOK_MS = 200;
const MINUTE_MS = 60_000;
const BEGIN_MS_MAX = 120_000;
/** Trades settle in a tenth of the stated time, and balances lag behind them. */
const REST_MS_MAX = 120_000;
const CENT = 0.01;
/** Sixty trades a minute in each market, of which no second is like the one before. */
const TRADING = { moveMs: 4_000, tradeMs: 1_000 };

/** Whatever happens, nothing of it is left. */
export async function soak(plan: SoakPlan): Promise<Soaked> {
  const floor = await PaperFloor.start({}, plan.markets);
  const crowd = new Crowd(floor, {
    halfSpreadTicks: 8,
    levels: 1,
    stepTicks: 1,
    tradeShares: [4, 30],
    ...TRADING,
  });
  const quotes = { ...USUAL_QUOTES, openOrdersMax: plan.markets * USUAL_QUOTES.levels * 4 };
  const bot = new Bot('bookend', floor, { quotes, isLight: false });
  const loops = new BusyLoops(plan.loopsPerProcessor);
  try {
    const startedAtMs = Date.now();
    bot.start();
    const isAnyQuoted = () => quoted(floor).some((isQuoted) => isQuoted);
    if (!(await waitFor(isAnyQuoted, BEGIN_MS_MAX))) throw new Error(`no quotes:\n${bot.log}`);
    const firstQuoteMs = Date.now() - startedAtMs;
    const minutes = await watched(floor, bot, plan);
    crowd.isTrading = false;
    loops.end();
    const difference = await atRest(floor, bot);
    return {
      ...{
        minutes,
        firstQuoteMs,
        difference,
        profitUsdc: profitOf(floor.money(), await bot.state()),
      },
      deaths: bot.events.get('guard.trader_died') ?? 0,
      pulls: bot.events.get('guard.starved') ?? 0,
      fills: floor.fills(),
      log: bot.log,
    };
  } finally {
    loops.end();
    crowd.stop();
    await bot.end();
    await floor.stop();
  }
}

async function watched(floor: PaperFloor, bot: Bot, plan: SoakPlan): Promise<readonly Minute[]> {
  const minutes: Minute[] = [];
  const endMs = Date.now() + plan.forMs;
  while (Date.now() < endMs) {
    const untilMs = Math.min(endMs, Date.now() + MINUTE_MS);
    const before = floor.fills();
    const counts = Array.from({ length: plan.markets }, () => 0);
    let looks = 0;
    for (; Date.now() < untilMs; await sleep(LOOK_MS)) {
      looks += 1;
      for (const [index, isQuoted] of quoted(floor).entries()) {
        counts[index] = (counts[index] ?? 0) + (isQuoted ? 1 : 0);
      }
    }
    const parts = counts.map((count) => count / Math.max(1, looks));
    const mean = parts.reduce((sum, part) => sum + part, 0) / parts.length;
    const minute = { mean, least: Math.min(...parts), fills: floor.fills() - before };
    minutes.push(minute);
    plan.onMinute?.(minute);
    if (bot.pid === 0) break;
  }
  return minutes;
}

function quoted(floor: PaperFloor): readonly boolean[] {
  return Array.from({ length: floor.marketCount }, (_, index) => {
    const sides = new Set(floor.bot(index).resting.map(({ axisSide }) => axisSide));
    return sides.size === 2;
  });
}

/** Nobody trades any more: as soon as all is equal, or as it is when there was time enough. */
async function atRest(floor: PaperFloor, bot: Bot): Promise<Difference | undefined> {
  const untilMs = Date.now() + REST_MS_MAX;
  let last: Difference | undefined;
  for (; Date.now() < untilMs; await sleep(1_000)) {
    const state = await bot.state();
    if (state === undefined) continue;
    last = differenceOf(floor.money(), state);
    if (isEqual(last)) return last;
  }
  return last;
}

export function isEqual({ cashUsdc, shares, profitUsdc }: Difference): boolean {
  return [cashUsdc, shares, profitUsdc].every((amount) => Math.abs(amount) < CENT);
}

function differenceOf(money: BotMoney, state: StateView): Difference {
  const views = new Map<string, StateView['markets'][number]>(
    state.markets.map((view) => [view.marketId, view]),
  );
  const shares = money.markets.flatMap(({ id, yes, no }) => {
    const view = views.get(id);
    return [Number(view?.positionYes) - yes, Number(view?.positionNo) - no];
  });
  const said = new Decimal(state.account.pnlUsdc ?? Number.NaN);
  return {
    cashUsdc: new Decimal(state.account.cashUsdc ?? Number.NaN).minus(money.cashUsdc).toNumber(),
    shares: shares.reduce((worst, each) => (Math.abs(each) <= Math.abs(worst) ? worst : each), 0),
    profitUsdc: said.minus(profitOf(money, state)).toNumber(),
  };
}

/** By the venue's cash and shares, at the middles that the daemon shows. */
function profitOf(money: BotMoney, state: StateView | undefined): number {
  const middles = new Map<string, Decimal>();
  for (const { marketId, bestBid, bestAsk } of state?.markets ?? []) {
    middles.set(marketId, new Decimal(bestBid ?? Number.NaN).plus(bestAsk ?? Number.NaN).div(2));
  }
  return money.markets
    .reduce((sum, { id, yes, no }) => {
      const middle = middles.get(id) ?? new Decimal(Number.NaN);
      return sum.plus(middle.times(yes)).plus(new Decimal(1).minus(middle).times(no));
    }, money.cashUsdc.minus(money.depositedUsdc))
    .toNumber();
}
