// One scoring rule for all outcomes of an event of which exactly one comes true: prices that add up to
// one, inventory of each outcome in the price of all others, and a loss bounded by outcome.

import { MICRO_PER_SHARE } from '../src/domain/shares.ts';
import {
  clamped,
  defineEventStrategy,
  type EventContext,
  type EventMarket,
  type EventTargets,
  exclusiveLogOdds,
  informedLogitStep,
  type Json,
  lmsrTradeCostUsd,
  logit,
  memoryFault,
  noQuotes,
  numberParam,
  type Quote,
  type QuoteReason,
  rememberedNumbers,
  riskScaleShares,
  sigmoid,
  type TargetQuotes,
} from '../src/strategy/index.ts';
import { fairOf } from './shared/fair.ts';
import { levelsParam, sizeParam } from './shared/params.ts';
import { type Layer, quoted } from './shared/quoting.ts';

export type EventBookParams = {
  readonly lossBudget: number;
  readonly edge: number;
  readonly levels: number;
  readonly size: number;
};

/**
 * For so long the last price of an outcome whose books cannot be had still counts in those of all others;
 * the trades that go on in it move theirs meanwhile, and it does not.
 */
const UNSEEN_MS_MAX = 60_000;
/** Who is all but out has asks at 0.02 and no bid: so little of the range says what nobody has seen a middle of. */
const LEFT_MAX = 0.05;
/** Nobody trades an outcome that is decided: what the others leave of one is its price, whoever won. */
const DECIDED = new Set(['market_closed', 'market_resolved']);
/** What keeps our quotes away and says nothing of the books: they are as those of an outcome that is quoted. */
const OURS = new Set(['operator_paused', 'operator_killed', 'reconciling']);

/** How much of the budget must be free again before a level that was left out comes back. */
const ROOM_PART = 0.03;

type Context = EventContext<EventBookParams>;

/** The event as the rule sees it, one number for each market in the order of the catalogue. */
type Joint = {
  readonly probabilities: readonly number[];
  /** Net shares of YES. */
  readonly held: readonly number[];
  /** What the rule has sold, which its prices follow from: `b ln p_k - q_k`. */
  readonly sold: readonly number[];
  readonly riskScale: number;
};

/**
 * The fair log-odds of all outcomes, shifted by one constant so that they add up to one, are the prices
 * of a scoring rule with liquidity `b = L/ln n` that has sold nothing; net positions `q` move it. Level
 * i of an outcome lies at the average price of its own `size` shares after those of the levels before,
 * an edge away. A level that could take the loss of an outcome beyond `L` is left out.
 */
export const strategy = defineEventStrategy<EventBookParams>({
  name: 'event-book',
  scope: 'event',
  summary: 'Joint prices over the outcomes of an event, with a bounded loss by outcome.',
  params: {
    lossBudget: numberParam({
      doc: 'What the event may lose at worst, whichever outcome comes true; it sets b = L/ln n.',
      unit: 'USDC',
      default: 100,
      min: 1,
      max: 1_000_000,
    }),
    edge: numberParam({
      doc: 'Kept between every quote and its price under the rule.',
      unit: 'USDC per share',
      default: 0.001,
      min: 0,
      max: 0.5,
    }),
    levels: levelsParam,
    size: sizeParam,
  },
  quoteEvent(context) {
    const lack = lackOf(context);
    if (lack !== undefined) return everywhere(context, noQuotes(lack));
    const joint = jointOf(context);
    const targets = context.markets.map((market, index) => targetsOf(market, joint, index));
    return bounded(context, joint, targets);
  },
});

function everywhere({ markets }: Context, targetQuotes: TargetQuotes): EventTargets {
  return { markets: markets.map(({ context }) => ({ marketId: context.marketId, targetQuotes })) };
}

function lackOf({ markets, isExclusive }: Context): QuoteReason | undefined {
  if (!isExclusive || markets.length < 2) {
    return {
      side: 'both',
      code: 'event_not_exclusive',
      detail: 'it is not stated that exactly one of the markets quoted here comes true',
      clears: 'the operator states it, and all markets of the event are quoted',
    };
  }
  const silent = markets.find((each) => !isDecided(each) && isSilent(each));
  if (silent !== undefined)
    return incomplete(`no price has been observed for ${silent.context.marketId}`);
  const unseen = markets.find(isUnseen);
  if (unseen === undefined) return undefined;
  const { context, blocked } = unseen;
  const seconds = Math.floor((context.fair?.ageMs ?? 0) / 1_000);
  return incomplete(`${context.marketId} (${blocked}) has shown no price for ${seconds} s`);
}

function incomplete(detail: string): QuoteReason {
  const clears = 'every market of the event shows a price';
  return { side: 'both', code: 'event_incomplete', detail, clears };
}

function isSilent(market: EventMarket<EventBookParams>): boolean {
  const { low, high } = leftOf(market);
  return market.context.fair === undefined && high - low > LEFT_MAX;
}

function isUnseen(market: EventMarket<EventBookParams>): boolean {
  if (hasBooks(market) || isDecided(market)) return false;
  return (market.context.fair?.ageMs ?? 0) > UNSEEN_MS_MAX;
}

function hasBooks({ blocked }: EventMarket<EventBookParams>): boolean {
  return blocked === undefined || OURS.has(blocked);
}

function isDecided({ blocked }: EventMarket<EventBookParams>): boolean {
  return blocked !== undefined && DECIDED.has(blocked);
}

function jointOf({ markets, params }: Context): Joint {
  const probabilities = exclusiveLogOdds(statedOf(markets)).map(sigmoid);
  const held = markets.map(({ context }) => context.inventory.net / MICRO_PER_SHARE);
  const riskScale = riskScaleShares(params.lossBudget, markets.length);
  const sold = probabilities.map((p, index) => riskScale * Math.log(p) - (held[index] ?? 0));
  return { probabilities, held, sold, riskScale };
}

/** Fair log-odds; outcomes that are decided, or that nobody has anything on, share what the books of the others leave of one. */
function statedOf(markets: Context['markets']): readonly number[] {
  const isLeft = (each: EventMarket<EventBookParams>) => isDecided(each) || isBare(each);
  const shown = markets.filter((each) => !isLeft(each)).map(lastOf);
  const known = shown.reduce((sum, logOdds) => sum + sigmoid(logOdds), 0);
  const left = Math.max(0, 1 - known) / Math.max(1, markets.length - shown.length);
  return markets.map((each) => (isLeft(each) ? logit(left) : lastOf(each)));
}

function isBare(market: EventMarket<EventBookParams>): boolean {
  const { book, fair } = market.context;
  const isEmpty = book.bestBid() === undefined && book.bestAsk() === undefined;
  return hasBooks(market) && isEmpty && (fair?.ageMs ?? 0) > UNSEEN_MS_MAX;
}

/** A book of one side has no middle, and its last one counts on: but not beyond the price of the side that is left. */
function lastOf(market: EventMarket<EventBookParams>): number {
  const { fair } = market.context;
  const { low, high } = leftOf(market);
  if (fair === undefined) return logit((low + high) / 2);
  return clamped(fair.logOdds, logit(low), logit(high));
}

/** What a book of one side leaves of the range. */
function leftOf(market: EventMarket<EventBookParams>): {
  readonly low: number;
  readonly high: number;
} {
  const { book, grid } = market.context;
  const [bid, ask] = [book.bestBid(), book.bestAsk()];
  if (!hasBooks(market) || (bid === undefined) === (ask === undefined)) return { low: 0, high: 1 };
  const n = grid.ticksPerUnit;
  return { low: (bid ?? 0) / n, high: (ask ?? n) / n };
}

function targetsOf(
  { context, blocked }: EventMarket<EventBookParams>,
  joint: Joint,
  index: number,
) {
  if (blocked !== undefined) return noQuotes(blockedBy(blocked));
  // The prices of the others may be a little old, its own may not.
  const found = fairOf(context);
  if (found.kind === 'absent') return noQuotes(found.reason);
  const { levels, size } = context.params;
  const fairPrice = joint.probabilities[index] ?? found.fair.price;
  const edge = edgeOf(context, fairPrice);
  const layer = (side: 'bid' | 'ask', level: number): Layer => {
    const average = averagePrice(joint, index, { side, level, size });
    return { price: side === 'bid' ? average - edge : average + edge, shares: size };
  };
  const all = Array.from({ length: levels }, (_, level) => level);
  return quoted(context, fairPrice, {
    bids: all.map((level) => layer('bid', level)),
    asks: all.map((level) => layer('ask', level)),
  });
}

function blockedBy(code: string): QuoteReason {
  const detail = 'the market cannot be quoted now';
  return { side: 'both', code, detail, clears: 'what blocks the market passes' };
}

function edgeOf(context: EventMarket<EventBookParams>['context'], fairPrice: number): number {
  const mu = context.toxicity.informedShare;
  const { edge } = context.params;
  if (mu === undefined) return edge;
  return Math.max(edge, fairPrice * (1 - fairPrice) * informedLogitStep(mu));
}

/** What a share of a level costs under the rule: a bid buys back what the rule sold, an ask sells. */
function averagePrice(
  { sold, riskScale }: Joint,
  outcome: number,
  at: { readonly side: 'bid' | 'ask'; readonly level: number; readonly size: number },
): number {
  const sign = at.side === 'bid' ? -1 : 1;
  const before = sold.map((q, index) => (index === outcome ? q + sign * at.level * at.size : q));
  const cost = lmsrTradeCostUsd(before, { outcome, shares: sign * at.size }, riskScale);
  return cost / (sign * at.size);
}

/**
 * Leaves out what could take the loss of an outcome beyond the budget, the far levels first. What was left
 * out comes back when there is room to spare: losses follow every price, and levels would come and go.
 */
function bounded(
  { markets, params, memory }: Context,
  joint: Joint,
  targets: readonly TargetQuotes[],
): EventTargets {
  const kept = targets.map((): Quote[] => []);
  const wasOver = rememberedLevels(memory, markets.length);
  const over = markets.map(() => 0);
  let losses = lossesOf(joint);
  for (let level = 0; level < params.levels; level += 1) {
    const offered = targets.flatMap(({ quotes }, index) =>
      levelOf(quotes, level).map((quote) => ({ index, quote })),
    );
    const after = offered.reduce((sofar, each) => withLoss(sofar, each, markets), losses);
    const isOver = after.map((loss, outcome) => {
      const part = hasLevel(wasOver[outcome] ?? 0, level) ? 1 - ROOM_PART : 1;
      const isBeyond = loss > params.lossBudget * part;
      if (isBeyond) over[outcome] = (over[outcome] ?? 0) + 2 ** level;
      return isBeyond;
    });
    const fitting = offered.filter(({ index, quote }) =>
      isOver.every((over, outcome) => !over || !hurts(quote, index, outcome)),
    );
    for (const { index, quote } of fitting) kept[index]?.push(quote);
    losses = fitting.reduce((sofar, each) => withLoss(sofar, each, markets), losses);
  }
  return {
    markets: markets.map(({ context }, index) => ({
      marketId: context.marketId,
      targetQuotes: explained(kept[index] ?? [], targets[index]),
    })),
    memory: memoryOf(over),
  };
}

/**
 * The levels that were left out, by outcome: one number for each, of which level i is the i-th bit. An event
 * of hundreds of markets with tens of levels over the budget may still have too many of them, and quotes
 * without a memory then: it shall never lose its quotes for one.
 */
function memoryOf(over: readonly number[]): Json {
  const memory = { overBits: over.every((bits) => bits === 0) ? [] : over };
  return memoryFault(memory) === undefined ? memory : { overBits: [] };
}

/** As `memoryOf` put them; nothing where the event had other markets, or where all fitted. */
function rememberedLevels(memory: Json | undefined, outcomes: number): readonly number[] {
  const over = rememberedNumbers(memory, 'overBits');
  return over.length === outcomes ? over : [];
}

function hasLevel(bits: number, level: number): boolean {
  return Math.floor(bits / 2 ** level) % 2 === 1;
}

function levelOf(quotes: readonly Quote[], level: number): readonly Quote[] {
  return (['bid', 'ask'] as const).flatMap(
    (side) => quotes.filter((quote) => quote.side === side)[level] ?? [],
  );
}

/** What each outcome would take from the value of the holdings at the joint prices. */
function lossesOf({ probabilities, held }: Joint): readonly number[] {
  const value = held.reduce((total, q, index) => total + q * (probabilities[index] ?? 0), 0);
  return held.map((q) => value - q);
}

/** A bid for an outcome loses in all others, an ask in its own. */
function hurts({ side }: Quote, index: number, outcome: number): boolean {
  return side === 'bid' ? outcome !== index : outcome === index;
}

/** The loss if the quote is filled, as though no gain of another made up for it. */
function withLoss(
  losses: readonly number[],
  { index, quote }: { readonly index: number; readonly quote: Quote },
  markets: Context['markets'],
): readonly number[] {
  const ticksPerUnit = markets[index]?.context.grid.ticksPerUnit ?? 1;
  const price = quote.price / ticksPerUnit;
  const shares = quote.quantity / MICRO_PER_SHARE;
  const cost = shares * (quote.side === 'bid' ? price : 1 - price);
  return losses.map((loss, outcome) => (hurts(quote, index, outcome) ? loss + cost : loss));
}

function explained(quotes: readonly Quote[], wanted: TargetQuotes | undefined): TargetQuotes {
  const lacking = (['bid', 'ask'] as const).filter(
    (side) =>
      quotes.every((quote) => quote.side !== side) &&
      (wanted?.quotes.some((quote) => quote.side === side) ?? false),
  );
  const reasons = lacking.map((side) => ({
    side,
    code: 'event_loss_limit',
    detail: 'filled, it could take the loss of an outcome beyond the budget of the event',
    clears: 'positions shrink or the budget rises',
  }));
  return { quotes, reasons: [...(wanted?.reasons ?? []), ...reasons] };
}
