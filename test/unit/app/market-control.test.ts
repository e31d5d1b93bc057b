// Which markets an operator's word means, and what is said of it, on a core that obeys or does not.

import { describe, expect, it } from 'vitest';
import { askOfMarket } from '../../../src/app/market-control.ts';
import type { Recorded } from '../../../src/app/operator-record.ts';
import { eventId, type MarketId, marketId } from '../../../src/domain/ids.ts';
import type { Timers } from '../../../src/domain/time.ts';
import { unixMs } from '../../../src/domain/time.ts';
import type { StateView, StoppedMarketView } from '../../../src/domain/view.ts';
import { marketView, stateView } from '../telemetry/views.ts';

const AT_ONCE: Timers = {
  after: (_, task) => {
    const handle = setImmediate(task);
    return () => clearImmediate(handle);
  },
};

/** Two markets of one event and one of another; `obeys` says what the core does with an order. */
function deskOf(obeys: 'at once' | 'never' | 'unconfirmed' = 'at once') {
  const orders: string[] = [];
  let stops: StoppedMarketView[] = [];
  const market = (id: string, slug: string) => ({
    ...marketView(slug),
    ...{ marketId: marketId(id), eventSlug: slug, eventId: eventId(`e-${slug}`) },
  });
  const markets = [market('m-1', 'rain'), market('m-2', 'rain'), market('m-3', 'sun')];
  const view = (pick?: (all: readonly MarketId[]) => readonly MarketId[]): StateView => ({
    ...stateView(),
    markets: pick === undefined ? markets : [],
    stoppedMarkets: stops,
    risk: {
      level: 'normal',
      controls: [],
      latches: stops.map(({ marketId: scope, sinceMs }) => ({
        ...{ owner: 'operator', scope, level: 'cancel', detail: '', sinceMs, clears: '' },
      })),
    },
  });
  const post = ({ order }: { readonly order: { kind: string; marketId: MarketId } }): void => {
    orders.push(`${order.kind} ${order.marketId}`);
    if (obeys === 'never') return;
    const left = stops.filter((each) => each.marketId !== order.marketId);
    if (order.kind === 'resumeMarket') stops = left;
    else {
      const stop = Reflect.get(order, 'stop') === 'kill' ? 'kill' : 'pause';
      const isConfirmed = obeys === 'at once';
      const sinceMs = unixMs(orders.length);
      stops = [...left, { marketId: order.marketId, stop, by: 'me', sinceMs, isConfirmed }];
    }
  };
  const recorded: Recorded[] = [];
  const record = { add: (each: Recorded) => void recorded.push(each) };
  const desk = { view, loop: { post: post as never }, record, timers: AT_ONCE };
  return { desk, orders, recorded };
}

const pause = (market: string) => ({ order: 'pause', market, by: 'me' }) as const;

describe('a stop by name', () => {
  it('is of one market where the name is its id', async () => {
    const { desk, orders } = deskOf();
    expect(await askOfMarket(pause('m-2'), desk)).toMatchObject({ markets: ['m-2'] });
    expect(orders).toEqual(['stopMarket m-2']);
  });

  it.each(['rain', 'e-rain'])('is of all markets of the event %s', async (name) => {
    const { desk } = deskOf();
    expect(await askOfMarket(pause(name), desk)).toMatchObject({ markets: ['m-1', 'm-2'] });
  });

  it('is refused and on record where nothing of that name is quoted, and nothing is stopped', async () => {
    const { desk, orders, recorded } = deskOf();
    await expect(askOfMarket(pause('rainn'), desk)).rejects.toThrow(
      'no market or event rainn is quoted here',
    );
    await expect(askOfMarket(pause('rainn'), desk)).rejects.toMatchObject({ kind: 'not_quoted' });
    expect(orders).toEqual([]);
    const detail = 'no market or event rainn is quoted here';
    const record = { by: 'me', action: 'pause', target: 'rainn', result: 'refused', detail };
    expect(recorded).toEqual([record, record]);
  });

  it('waits for the markets of a daemon that has just begun, and knows none yet', async () => {
    const { desk, orders } = deskOf();
    let looks = 0;
    const view: typeof desk.view = (pick) => {
      looks += 1;
      return looks < 5 ? { ...desk.view(pick), markets: [] } : desk.view(pick);
    };
    expect(await askOfMarket(pause('m-2'), { ...desk, view })).toMatchObject({ markets: ['m-2'] });
    expect(orders).toEqual(['stopMarket m-2']);
  });

  it('waits, told to a start, for a market whose event was not read with the others', async () => {
    const { desk, orders } = deskOf();
    let looks = 0;
    const view: typeof desk.view = (pick) => {
      looks += 1;
      const all = desk.view(pick);
      return looks < 5 ? { ...all, markets: all.markets.slice(0, 1) } : all;
    };
    const early = { ...desk, view, isEarly: true };
    expect(await askOfMarket(pause('m-3'), early)).toMatchObject({ markets: ['m-3'] });
    expect(orders).toEqual(['stopMarket m-3']);
  });

  it('is refused where the core does not take it up', async () => {
    const { desk } = deskOf('never');
    await expect(askOfMarket(pause('m-1'), desk)).rejects.toThrow('has not taken it up');
  });

  it('says of a kill whether it is confirmed, also of the second one', async () => {
    const kill = { ...pause('m-1'), order: 'kill' } as const;
    const sure = deskOf().desk;
    expect(await askOfMarket(kill, sure)).toMatchObject({ isConfirmed: true });
    expect(await askOfMarket(kill, sure)).toMatchObject({ isConfirmed: true });
    expect(await askOfMarket(kill, deskOf('unconfirmed').desk)).toMatchObject({
      isConfirmed: false,
    });
  });
});

describe('a resume by name', () => {
  const resume = { ...pause('rain'), order: 'resume' } as const;

  it('is of those that are stopped', async () => {
    const { desk, orders } = deskOf();
    await askOfMarket(pause('m-1'), desk);
    expect(await askOfMarket(resume, desk)).toMatchObject({ markets: ['m-1'] });
    expect(orders).toContain('resumeMarket m-1');
  });

  it('is refused where nothing is stopped', async () => {
    const { desk } = deskOf();
    await expect(askOfMarket(resume, desk)).rejects.toThrow('nothing holds it alone');
  });
});
