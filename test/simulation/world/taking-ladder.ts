// A ladder that also takes now and then: a little of what rests best on the other side, each way in turn.

import { shares } from '../../../src/domain/shares.ts';
import { type Ticks, ticksWithin } from '../../../src/domain/ticks.ts';
import {
  defineStrategy,
  type QuoteContext,
  rememberedNumber,
  type Take,
  type TargetQuotes,
} from '../../../src/strategy/index.ts';
import { type LadderParams, strategy as ladder } from '../../../strategies/ladder.ts';

/** So rarely that what it quotes is most of what trades. */
const EVERY_MS = 20_000;
/** Own orders in the way are waited for so long. */
const CLEARING_MS = 10_000;
const SHARES = 15;
const TAKEN = shares(SHARES);

const WAYS = [
  { leg: 'yes', side: 'BUY' },
  { leg: 'no', side: 'SELL' },
  { leg: 'no', side: 'BUY' },
  { leg: 'yes', side: 'SELL' },
] as const;

export const strategy = defineStrategy<LadderParams>({
  ...ladder,
  name: 'taking-ladder',
  summary: 'Quotes as the ladder does, and takes what rests best now and then.',
  takes: true,
  quote(context) {
    const targetQuotes = ladder.quote(context);
    const { memory, nowMs } = context;
    const count = rememberedNumber(memory, 'count', 0);
    const sinceMs = nowMs - rememberedNumber(memory, 'atMs', 0);
    // Another clock, or no memory: it begins anew.
    if (sinceMs < 0 || sinceMs > EVERY_MS + 2 * CLEARING_MS)
      return { ...targetQuotes, memory: { atMs: nowMs, count } };
    if (targetQuotes.quotes.length === 0 || sinceMs < EVERY_MS) return targetQuotes;
    const take = takeOf(context, count);
    if (take !== undefined && sinceMs < EVERY_MS + CLEARING_MS && isInTheWay(context, take))
      return cleared(targetQuotes, take);
    return {
      ...targetQuotes,
      ...(take && { takes: [take] }),
      memory: { atMs: nowMs, count: (count + 1) % WAYS.length },
    };
  },
});

/** What rests of ours at this price, or better, would be taken by ourselves. */
function isInTheWay({ ownQuotes, grid }: QuoteContext<LadderParams>, take: Take): boolean {
  const price = take.leg === 'yes' ? take.price : grid.ticksPerUnit - take.price;
  const isBid = isBidOf(take);
  return ownQuotes.some((own) =>
    isBid ? own.side === 'ask' && own.price <= price : own.side === 'bid' && own.price >= price,
  );
}

/** The side that would be met is left for as long as it takes to be gone. */
function cleared({ quotes, reasons }: TargetQuotes, take: Take): TargetQuotes {
  const met = isBidOf(take) ? 'ask' : 'bid';
  const reason = {
    side: met,
    code: 'own_orders_first',
    detail: 'an own order rests in the way of what is taken now and then',
    clears: 'it is cancelled',
  } as const;
  return { quotes: quotes.filter(({ side }) => side !== met), reasons: [...reasons, reason] };
}

/** It meets asks by the price of YES. */
function isBidOf({ leg, side }: Pick<Take, 'leg' | 'side'>): boolean {
  return (leg === 'yes') === (side === 'BUY');
}

/** Of shares that it has, and at a price that the venue takes an order of as few for. */
function takeOf(context: QuoteContext<LadderParams>, count: number): Take | undefined {
  const way = WAYS[count % WAYS.length];
  if (way === undefined) return undefined;
  const { leg, side } = way;
  const price = bestOf(context, way);
  if (price === undefined) return undefined;
  const { settled, held } = context.inventory;
  const isMissing = side === 'SELL' && settled[leg] - held[leg] < TAKEN;
  const isWorth = price * SHARES >= context.grid.ticksPerUnit;
  return isMissing || !isWorth ? undefined : { leg, side, price, quantity: TAKEN };
}

/** What an order of this way meets first, by the price of its own token. */
function bestOf(
  { tokenBooks, grid }: QuoteContext<LadderParams>,
  { leg, side }: (typeof WAYS)[number],
): Ticks | undefined {
  const book = tokenBooks[leg];
  const onAxis = isBidOf({ leg, side }) ? book.bestAsk() : book.bestBid();
  if (onAxis === undefined) return undefined;
  return leg === 'yes' ? onAxis : ticksWithin(grid, grid.ticksPerUnit - onAxis);
}
