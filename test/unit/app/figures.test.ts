// Figures of a running daemon: one run is played, and what the daemon counts of itself must be what a backtest
// measures from the exchange's side. Two computations that share only their definitions agree, or one is wrong.

import { Decimal } from 'decimal.js';
import { beforeAll, describe, expect, it } from 'vitest';
import { DayBook } from '../../../src/app/day-book.ts';
import { LiveFigures } from '../../../src/app/figures.ts';
import { Driver } from '../../../src/backtest/driver.ts';
import { BacktestPort } from '../../../src/backtest/port.ts';
import type { MarketResult } from '../../../src/backtest/result.ts';
import { Watch } from '../../../src/backtest/watch.ts';
import { VirtualClock } from '../../../src/clock/virtual.ts';
import { createEngine, type Engine } from '../../../src/core/engine.ts';
import type { Command } from '../../../src/domain/command.ts';
import type { FiguresView } from '../../../src/domain/figures.ts';
import type { MarketView, PickMarkets, StateView } from '../../../src/domain/view.ts';
import { seededRandom } from '../../../src/paper/crowd/random.ts';
import { nanoOf } from '../../../src/paper/exchange/amounts.ts';
import { Exchange } from '../../../src/paper/exchange/exchange.ts';
import { ExchangeDesk } from '../../../src/paper/exchange/exchange-desk.ts';
import { paperSettings } from '../../../src/paper/options.ts';
import type { Strategy } from '../../../src/strategy/index.ts';
import { strategy as ladder } from '../../../strategies/ladder.ts';
import { LADDER, SETTINGS, synthetic } from '../backtest/support.ts';

const LEAD_MS = 5_000;
const LATENCY = { kind: 'constant', feedMs: 5, entryMs: 5, responseMs: 5 } as const;

type Played = {
  readonly view: StateView;
  readonly market: MarketView & { readonly figures: FiguresView };
  readonly measured: MarketResult;
  readonly writes: number;
};

/** The core as the loop of a daemon drives it: records and turns go to the day book, behind the step. */
function watched(engine: Engine, day: () => DayBook): Engine {
  const told = (commands: readonly Command[]): readonly Command[] => {
    for (const command of commands) if (command.kind === 'record') day().onRecord(command.record);
    day().onTurn();
    return commands;
  };
  return {
    ...engine,
    step: (input) => told(engine.step(input)),
    tend: () => told(engine.tend()),
  };
}

/** A ladder for 18 minutes, measured by both. */
async function play(): Promise<Played> {
  const world = synthetic('calm', 0.3);
  const clock = new VirtualClock({ startMs: world.startsAtMs - LEAD_MS });
  const { rules, timing } = paperSettings({ events: [] });
  const exchange = new Exchange({ clock, timers: clock, seed: 1, rules, timing });
  for (const event of world.events) exchange.list(event);
  const account = exchange.accounts.open('maker', 'api');
  exchange.accounts.deposit(account, nanoOf(new Decimal(2_000)));
  const random = seededRandom('1/latency');
  const port = new BacktestPort({ exchange, account, time: clock, latency: LATENCY, random });
  const strategies = new Map([['ladder', ladder as unknown as Strategy]]);
  const core = createEngine({ strategies });
  const figures = new LiveFigures({ clock, earnedIn: (id, value) => day.soFar(id, value) });
  port.send = figures.counting(port.send.bind(port));
  const view = (pick?: PickMarkets): StateView => figures.shown((each) => core.view(each), pick);
  const day: DayBook = new DayBook({
    ...{ days: { write() {} }, clock, timers: clock, version: 'test', view },
    takerFeeRateOf: () => undefined,
  });
  const engine = watched(core, () => day);
  const driver = new Driver({
    ...{ engine, port, time: clock, onReport() {} },
  });
  const watch = new Watch({ exchange, account, time: clock });
  world.open({ desk: new ExchangeDesk(exchange), clock });
  const markets = world.events.map(({ slug: event }) => ({
    ...{ event, market: undefined, strategy: 'ladder', params: { ...LADDER } },
  }));
  driver.start({ ...SETTINGS, markets });
  clock.advance(LEAD_MS);
  figures.start(clock, view);
  watch.start();
  await world.play(() => {});
  watch.end();
  const ended = view();
  figures.stop();
  world.close();
  clock.advance(60_000);
  driver.stop();
  exchange.stop();
  const [market] = ended.markets;
  const [measured] = watch.results(
    () => ({
      ...{ title: '', strategy: '', fair: Number(market?.fair?.price), uptimeRatio: undefined },
    }),
    () => undefined,
  );
  if (market?.figures === undefined || measured === undefined) throw new Error('one market');
  return {
    view: ended,
    market: { ...market, figures: market.figures },
    measured,
    writes: port.writes,
  };
}

describe('one run, counted by the daemon and measured at its exchange', () => {
  let played: Played;
  beforeAll(async () => {
    played = await play();
  }, 300_000);

  const gap = (live: string | number | undefined, measured: number | undefined): number =>
    Math.abs(Number(live) - (measured ?? Number.NaN));

  it('traded enough to tell', () => {
    expect(played.measured.fills).toBeGreaterThan(10);
    expect(played.measured.inventoryMaxShares).toBeGreaterThan(10);
  });

  it('made and took the same shares, but for those that traded before they were seen to rest', () => {
    const { figures } = played.market;
    const [made, took, unsure] = [
      figures.makerShares,
      figures.takerShares,
      figures.unsureShares,
    ].map(Number);
    const { makerShares, takerShares } = played.measured;
    expect((made ?? 0) + (took ?? 0) + (unsure ?? 0)).toBeCloseTo(makerShares + takerShares, 6);
    expect(makerShares - (made ?? 0)).toBeGreaterThanOrEqual(0);
    expect(takerShares - (took ?? 0)).toBeGreaterThanOrEqual(0);
    expect(unsure).toBeLessThan(0.5 * makerShares);
  });

  it('held the same inventory, at most and by its root mean square', () => {
    const { figures } = played.market;
    const { inventoryRmsShares: rms, inventoryMaxShares: max } = played.measured;
    expect(Number(figures.inventoryMaxShares)).toBeCloseTo(max, 6);
    expect(gap(figures.inventoryRmsShares, rms)).toBeLessThan(0.02 * rms);
  });

  it('was as long at the touch', () => {
    expect(gap(played.market.figures.touchRatio, played.measured.touchRatio)).toBeLessThan(0.02);
  });

  it('earned the same at the middle and at the own fair value, and fell as far below its highest', () => {
    const { figures } = played.market;
    const { pnlAtMiddleUsdc, pnlAtFairUsdc, drawdownUsdc } = played.measured;
    expect(gap(figures.pnlAtMiddleUsdc, pnlAtMiddleUsdc)).toBeLessThan(0.01);
    expect(gap(figures.pnlAtFairUsdc, pnlAtFairUsdc)).toBeLessThan(0.01);
    expect(gap(figures.drawdownUsdc, drawdownUsdc)).toBeLessThan(0.1 * drawdownUsdc);
    expect(figures.pnlAtSettlementUsdc).toBeUndefined();
  });

  it('earned it in the same parts, which add up to the cent; the middle of a fill is that of its report', () => {
    const { parts, pnlAtMiddleUsdc } = played.market.figures;
    const { makerShares, takerShares, parts: measured } = played.measured;
    const { spread, adverse, inventory, fees } = measured;
    // The daemon hears of a move a little later than it happens: a tenth of a tick for each share.
    const within = 0.001 * (makerShares + takerShares);
    expect(
      gap(Number(parts?.spreadUsdc) + Number(parts?.to1sUsdc), spread + adverse[0]),
    ).toBeLessThan(within);
    expect(gap(parts?.to10sUsdc, adverse[1])).toBeLessThan(within);
    expect(gap(parts?.to60sUsdc, adverse[2])).toBeLessThan(within);
    expect(gap(parts?.laterUsdc, inventory)).toBeLessThan(within);
    expect(gap(parts?.feesUsdc, fees)).toBe(0);
    const sum = Object.values(parts ?? {}).reduce((total, part) => total + Number(part), 0);
    expect(sum).toBeCloseTo(Number(pnlAtMiddleUsdc), 5);
    expect(gap(parts?.otherUsdc, 0)).toBeLessThan(0.01);
  });

  it('was filled behind the same shares of others', () => {
    const ends = ['none', 'up to 50', 'up to 200', 'up to 1000', 'over 1000'];
    const mean = (rows: readonly { readonly ahead: string; readonly fills: number }[]): number => {
      const known = rows.filter(({ ahead }) => ends.includes(ahead));
      const fills = known.reduce((sum, row) => sum + row.fills, 0);
      return known.reduce((sum, row) => sum + row.fills * ends.indexOf(row.ahead), 0) / fills;
    };
    const { queue } = played.market.figures;
    expect(queue.reduce((sum, { fills }) => sum + fills, 0)).toBe(played.measured.fills);
    // A row is off where somebody came or went while the order was in flight.
    expect(gap(mean(queue), mean(played.measured.queue))).toBeLessThan(0.5);
  });

  it('took as many order writes, and is the same in all as in its one market', () => {
    const { view, market, writes } = played;
    expect(view.writes.sent).toBe(writes);
    expect(view.figures).toEqual(market.figures);
  });
});
