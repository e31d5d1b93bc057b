// Other parameters beside those in force: simulated on the books and trades that a strategy sees, and never sent.

import { describe, expect, it } from 'vitest';
import { Shadows } from '../../../src/app/shadow.ts';
import type { CoreSettings } from '../../../src/domain/input.ts';
import { shares } from '../../../src/domain/shares.ts';
import { tickGrid, ticks } from '../../../src/domain/ticks.ts';
import { unixMs } from '../../../src/domain/time.ts';
import type { MarketView, StateView } from '../../../src/domain/view.ts';
import type {
  Filled,
  PublicTrade,
  Quote,
  QuoteContext,
  Strategy,
} from '../../../src/strategy/index.ts';
import { strategy as ladder } from '../../../strategies/ladder.ts';
import { NOW_MS, quoteContext, type Rung, type Scene } from '../../support/strategy-context.ts';

const PARAMS = { halfSpreadTicks: 2, levels: 1, levelSpacingTicks: 1, size: 50 };
const VIEW = {
  markets: [{ marketId: 'rain', eventId: 'weather', eventSlug: 'weather-today' } as MarketView],
} as unknown as StateView;

function configured(shadow?: Readonly<Record<string, unknown>>, event = 'weather-today') {
  const markets = [{ event, strategy: 'ladder', params: PARAMS, ...(shadow ? { shadow } : {}) }];
  const settings = { markets } as unknown as CoreSettings;
  return { kind: 'settings', atMs: unixMs(NOW_MS), settings } as const;
}

/** Shadows of one market that is shown, and the strategy as the core has it. */
function shadowed(shadow: Readonly<Record<string, unknown>>, strategy: unknown = ladder) {
  const shadows = new Shadows();
  shadows.onInput(configured(shadow));
  shadows.shown(VIEW);
  const beside = shadows.beside(new Map([['ladder', strategy as Strategy]])).get('ladder');
  if (beside === undefined || beside.scope === 'event') throw new Error('of one market');
  const quote = (scene: Scene, at: { afterMs?: number; trades?: readonly PublicTrade[] } = {}) =>
    beside.quote(contextOf(scene, at));
  const figures = () => shadows.shown(VIEW).markets[0]?.shadow;
  return { shadows, quote, figures };
}

function contextOf(
  scene: Scene,
  { afterMs = 0, trades = [] }: { afterMs?: number; trades?: readonly PublicTrade[] },
): QuoteContext<unknown> {
  return quoteContext({ ...scene, trades, nowMs: NOW_MS + afterMs }, PARAMS);
}

const BID = [
  [49, 10],
  [48, 30],
] as const satisfies readonly Rung[];
const ASK = [
  [51, 10],
  [52, 30],
] as const satisfies readonly Rung[];
/** Its middle is 50: half a spread of one tick bids 49 behind 10 shares, one of two bids 48 behind 30. */
const BOOK: Scene = { yes: { bids: BID, asks: ASK } };

function sold(price: number, size: number, atMs = NOW_MS + 100): PublicTrade {
  return {
    atMs: unixMs(atMs),
    price: ticks(tickGrid('0.01'), price),
    size: shares(size),
    taker: 'sells',
  };
}

function bought(price: number, size: number): PublicTrade {
  return { ...sold(price, size, NOW_MS + 400), taker: 'buys' };
}

describe('a shadow', () => {
  it('fills what a trade leaves behind the displayed size, under its own parameters alone', () => {
    const { quote, figures } = shadowed({ halfSpreadTicks: 1 });
    quote(BOOK);
    quote(BOOK, { afterMs: 300, trades: [sold(49, 25)] });
    expect(figures()?.params).toEqual({ halfSpreadTicks: 1 });
    expect(figures()?.live).toMatchObject({ fills: 0, netShares: '0.000000', pnlUsdc: '0.000000' });
    // 10 of the 25 went to those before it; 15 at a tick below the middle.
    expect(figures()?.shadow).toMatchObject({ fills: 1, netShares: '15.000000' });
    expect(Number(figures()?.shadow.spreadUsdc)).toBeCloseTo(0.15, 9);
    expect(Number(figures()?.shadow.pnlUsdc)).toBeCloseTo(0.15, 9);
  });

  it('fills both where a trade went beyond their prices, and counts no trade twice', () => {
    const { quote, figures } = shadowed({ halfSpreadTicks: 1 });
    quote(BOOK);
    const trades = [sold(47, 200)];
    quote(BOOK, { afterMs: 300, trades });
    quote(BOOK, { afterMs: 600, trades });
    expect(figures()?.live.filledShares).toBe('50.000000');
    expect(figures()?.shadow.filledShares).toBe('50.000000');
  });

  it('fills an order that others have come to ask through', () => {
    const { quote, figures } = shadowed({ halfSpreadTicks: 1 });
    quote(BOOK);
    quote({ yes: { bids: [[46, 10]], asks: [[49, 10]] } }, { afterMs: 300 });
    expect(figures()?.shadow).toMatchObject({ filledShares: '50.000000', netShares: '50.000000' });
    expect(figures()?.live.fills).toBe(0);
    // Bought at 49, worth the middle of 47.5.
    expect(Number(figures()?.shadow.pnlUsdc)).toBeCloseTo(-0.75, 9);
  });

  it('shows each set its own inventory, and leaves what the strategy answers as it is', () => {
    const seen: number[] = [];
    const filled: Filled[] = [];
    const spying = {
      ...ladder,
      quote: (context: QuoteContext<typeof PARAMS>) => {
        seen.push(context.inventory.net);
        filled.push(context.inventory.filled);
        return ladder.quote(context);
      },
    };
    const { quote } = shadowed({ halfSpreadTicks: 1 }, spying);
    const scene = { ...BOOK, yesShares: 7 };
    expect(quote(scene)).toEqual(ladder.quote(contextOf(scene, {}) as never));
    quote(scene, { afterMs: 300, trades: [sold(49, 25)] });
    expect(seen).toEqual([0, 0, 7, 0, 15, 7].map((each) => shares(each)));
    expect(filled.map(({ bought }) => bought)).toEqual(seen);
    quote(scene, { afterMs: 600, trades: [bought(51, 15)] });
    expect(filled.at(-2)).toEqual({ bought: shares(15), sold: shares(5) });
  });

  it('leaves the answer to the core where a strategy fills the same list at each call', () => {
    const quotes: Quote[] = [];
    const thrifty = {
      ...ladder,
      quote: (context: QuoteContext<typeof PARAMS>) => {
        quotes.splice(0, quotes.length, ...ladder.quote(context).quotes);
        return { quotes, reasons: [] };
      },
    };
    const { quote } = shadowed({ halfSpreadTicks: 1 }, thrifty);
    expect(quote(BOOK).quotes.map(({ price }) => price)).toEqual([48, 52]);
  });

  it('ends nothing where a strategy answers it by promises that fail', async () => {
    const unreported: unknown[] = [];
    const onUnreported = (cause: unknown) => void unreported.push(cause);
    process.on('unhandledRejection', onUnreported);
    const asking = { ...ladder, quote: () => Promise.reject(new Error('too late')) };
    const { quote, figures } = shadowed({ halfSpreadTicks: 1 }, asking);
    const answer: unknown = quote(BOOK);
    await expect(answer).rejects.toThrow('too late');
    await new Promise((resolve) => setTimeout(resolve, 10));
    process.off('unhandledRejection', onUnreported);
    expect(unreported).toEqual([]);
    expect(figures()?.fault).toBeDefined();
  });

  it('ends nothing where a strategy answers it by a list of promises that fail', async () => {
    const unreported: unknown[] = [];
    const onUnreported = (cause: unknown) => void unreported.push(cause);
    process.on('unhandledRejection', onUnreported);
    const quotes = () => [Promise.reject(new Error('too late'))];
    const asking = {
      ...ladder,
      quote: (context: QuoteContext<typeof PARAMS>) =>
        context.params.halfSpreadTicks === 1
          ? { quotes: quotes() as never, reasons: [] }
          : ladder.quote(context),
    };
    const { quote, figures } = shadowed({ halfSpreadTicks: 1 }, asking);
    expect(quote(BOOK).quotes).toHaveLength(2);
    await new Promise((resolve) => setTimeout(resolve, 10));
    process.off('unhandledRejection', onUnreported);
    expect(unreported).toEqual([]);
    expect(figures()?.fault).toBe('a quote has no price or no quantity');
  });

  it('is looked at four times a second at the most, and what it throws stays with it', () => {
    let asked = 0;
    const failing = {
      ...ladder,
      quote: (context: QuoteContext<typeof PARAMS>) => {
        asked += 1;
        if (context.params.halfSpreadTicks === 1) throw new Error('no such distance');
        return ladder.quote(context);
      },
    };
    const { quote, figures } = shadowed({ halfSpreadTicks: 1 }, failing);
    expect(quote(BOOK).quotes).toHaveLength(2);
    expect(figures()?.fault).toBe('no such distance');
    for (const afterMs of [50, 100, 200]) quote(BOOK, { afterMs });
    expect(asked).toBe(6);
  });

  it('begins anew with other parameters, goes on with the same, and ends with its key', () => {
    const { shadows, quote, figures } = shadowed({ halfSpreadTicks: 1 });
    quote(BOOK);
    quote(BOOK, { afterMs: 300, trades: [sold(49, 25)] });
    shadows.onInput(configured({ halfSpreadTicks: 1 }));
    shadows.shown(VIEW);
    quote(BOOK, { afterMs: 600 });
    expect(figures()?.shadow.fills).toBe(1);
    shadows.onInput(configured({ halfSpreadTicks: 3 }));
    shadows.shown(VIEW);
    quote(BOOK, { afterMs: 900 });
    expect(figures()).toMatchObject({ params: { halfSpreadTicks: 3 }, shadow: { fills: 0 } });
    shadows.onInput(configured());
    expect(figures()).toBeUndefined();
  });

  it('is nothing to a market that the configuration gives none', () => {
    const shadows = new Shadows();
    shadows.onInput(configured({ halfSpreadTicks: 1 }, 'another'));
    expect(shadows.shown(VIEW).markets[0]?.shadow).toBeUndefined();
  });
});
