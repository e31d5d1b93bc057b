// One contender through one row.

import { Bot, type BotOptions, type Contender, type Quotes, USUAL_QUOTES } from './bots.ts';
import { ACTIVE, Crowd, type CrowdPlan } from './crowd.ts';
import type { Floor } from './floor.ts';
import { Judge, type Verdict } from './judge.ts';

/** What a row's faults can reach. */
export type Scene = {
  readonly floor: Floor;
  readonly judge: Judge;
  readonly crowd: Crowd;
  readonly bot: Bot;
  readonly quotes: Quotes;
};

export type RowPlan<F extends Floor> = {
  /** As `--rows` takes it. */
  readonly name: string;
  readonly title: string;
  readonly quotes?: Partial<Quotes>;
  readonly conflict?: BotOptions['conflict'];
  readonly crowd?: Partial<CrowdPlan>;
  /** Least time after the first quote in which something happens. */
  readonly seconds: number;
  readonly open: () => Promise<F>;
  /** Runs from the first quote on. @returns What else there is to say, with its measure. */
  readonly act?: (scene: Scene & { readonly floor: F }) => Promise<Extra>;
};

export type RunOptions = {
  /** How long it goes on after the first quote; its own time when absent. */
  readonly seconds?: number | undefined;
  /** Without a second trader in reserve, which costs a program start of processor time. */
  readonly isLight?: boolean;
};

/** A row to run, whatever venue it is played on. */
export type Row = {
  readonly name: string;
  readonly title: string;
  readonly run: (contender: Contender, options?: RunOptions) => Promise<Outcome>;
};

/** Measures of one row alone: `undefined` is what never came. */
export type Extra = Readonly<Record<string, number | undefined>>;
export type Outcome = {
  readonly verdict: Verdict;
  /** Part of the first start in which its processes were ready to run and the machine had no processor for them. */
  readonly waitedMs: number;
  readonly extra: Extra;
  readonly log: string;
};

/** However busy the machine is. */
const BEGIN_MS_MAX = 60_000;
/** What follows the faults is looked at for so long at least. */
const TAIL_MS = 5_000;
const LIGHT_TAIL_MS = 3_000;

export function defineRow<F extends Floor>(plan: RowPlan<F>): Row {
  const { name, title } = plan;
  return {
    name,
    title,
    run: async (contender, options = {}) => await runRow(plan, contender, options),
  };
}

async function runRow<F extends Floor>(
  row: RowPlan<F>,
  contender: Contender,
  { seconds = row.seconds, isLight = false }: RunOptions,
): Promise<Outcome> {
  const floor = await row.open();
  const quotes = { ...USUAL_QUOTES, ...row.quotes };
  const crowd = new Crowd(floor, { ...ACTIVE, ...row.crowd });
  const bot = new Bot(contender, floor, { quotes, isLight, conflict: row.conflict });
  const judge = new Judge(floor, quotes, {
    waitedMs: () => bot.waitedMs(),
    isInPlace: (market, { axisSide, ticks }) => {
      const sign = axisSide === 'bid' ? -1 : 1;
      const away = sign * (ticks - crowd.middle(market));
      const farthest = quotes.halfSpreadTicks + (quotes.levels - 1) * quotes.levelSpacingTicks;
      return (
        away >= quotes.halfSpreadTicks - crowd.slackTicks && away <= farthest + crowd.slackTicks
      );
    },
  });
  try {
    bot.start();
    judge.onStart();
    await waitFor(() => judge.hasBegun(), BEGIN_MS_MAX);
    const waitedMs = bot.waitedMs();
    const untilMs = Date.now() + seconds * 1_000;
    const extra = (await row.act?.({ floor, judge, crowd, bot, quotes })) ?? {};
    const tailMs = isLight ? LIGHT_TAIL_MS : TAIL_MS;
    await sleep(Math.max(row.act === undefined ? 0 : tailMs, untilMs - Date.now()));
    return { verdict: judge.stop(), waitedMs, extra, log: bot.log };
  } finally {
    judge.stop();
    crowd.stop();
    await bot.end();
    await floor.stop();
  }
}

/** @returns Whether it became so in time. */
export async function waitFor(isSo: () => boolean, withinMs: number): Promise<boolean> {
  const untilMs = Date.now() + withinMs;
  while (!isSo()) {
    if (Date.now() > untilMs) return false;
    await sleep(5);
  }
  return true;
}

export async function sleep(durationMs: number): Promise<void> {
  await new Promise((done) => setTimeout(done, durationMs));
}
