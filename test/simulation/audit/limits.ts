// The limits, held by the venue's own ledger at the moment an order is accepted.

import type { MarketId, TokenId } from '../../../src/domain/ids.ts';
import type { RiskLimits } from '../../../src/domain/input.ts';
import type { OutcomeIndex } from '../../../src/domain/market.ts';
import type { ListedEvent, ListedMarket } from '../../../src/paper/exchange/listed-market.ts';
import type { OrderFact, OrderFacts } from './facts.ts';

const MICRO = 1_000_000;
const NANO = 1_000_000_000;

/** What cannot be laid at the daemon's door: shares it could not know of, by token. */
export type Allowance = { ofToken(tokenId: TokenId): number };

type Sums = {
  readonly buying: [number, number];
  netUp: number;
  netDown: number;
  lossIfNo: number;
  lossIfYes: number;
};

/** What single orders, what rests and positions are held to; without bounds what is not set. */
export type Limits = Required<
  Pick<
    RiskLimits,
    | 'maxPositionShares'
    | 'maxNetShares'
    | 'maxOrderNotionalUsdc'
    | 'maxOrderShares'
    | 'maxOpenOrders'
    | 'maxMarketOpenOrders'
    | 'maxOpenNotionalUsdc'
  >
>;

/** A sum of prices is as near to what it should be. */
const EPSILON_USDC = 1e-6;

/** The limit that an accepted order breaks, `undefined` when it breaks none. */
export function brokenBy(
  fact: OrderFact,
  facts: OrderFacts,
  limits: Limits,
  allowance: Allowance,
): string | undefined {
  const { market } = fact.order.terms;
  return (
    brokenSize(fact, limits) ??
    brokenCount(fact, facts, limits) ??
    brokenPosition(fact, sumsOf(market, facts, fact.era), { facts, limits, allowance })
  );
}

function brokenSize({ order }: OrderFact, limits: Limits): string | undefined {
  const { grid, price, quantityMicro } = order.terms;
  const notional = (price * quantityMicro) / grid.ticksPerUnit / MICRO;
  if (notional > limits.maxOrderNotionalUsdc + 1e-9) return `an order of ${notional} USDC`;
  if (notional < 1) return `an order of ${notional} USDC, below the minimum`;
  const shares = quantityMicro / MICRO;
  if (shares <= limits.maxOrderShares) return undefined;
  return `an order of ${shares} shares, ${limits.maxOrderShares} allowed`;
}

/** How many orders there are with this one, in all and in its market, and what they are worth. */
function brokenCount(fact: OrderFact, facts: OrderFacts, limits: Limits): string | undefined {
  let [open, ofMarket, notional] = [0, 0, 0];
  for (const each of facts.live()) {
    if (!isOfEra(each, facts, fact.era)) continue;
    open += 1;
    if (each.order.terms.market === fact.order.terms.market) ofMarket += 1;
    notional += leastValueUsdc(each);
  }
  const { maxOpenOrders, maxMarketOpenOrders, maxOpenNotionalUsdc } = limits;
  if (open > maxOpenOrders) return `${open} open orders, ${maxOpenOrders} allowed`;
  if (ofMarket > maxMarketOpenOrders)
    return `${ofMarket} open orders of one market, ${maxMarketOpenOrders} allowed`;
  if (notional <= maxOpenNotionalUsdc + EPSILON_USDC) return undefined;
  return `open orders of ${notional} USDC, ${maxOpenNotionalUsdc} allowed`;
}

/** What rests of it at its price: of a sell at a tick less, since the venue may take it a tick better than it was sent. */
export function leastValueUsdc({ order }: OrderFact): number {
  const { grid, price, side } = order.terms;
  const ticks = side === 'SELL' ? price - 1 : price;
  return (ticks * order.restingMicro()) / grid.ticksPerUnit / MICRO;
}

export type Worst = {
  readonly era: number;
  readonly exclusive: ReadonlySet<string>;
  /** Left out, as if it had not come. */
  readonly without?: OrderFact | undefined;
  /** What a market's cash and shares came to, at least, when the era began. */
  readonly startNano: (marketId: MarketId) => number;
};

/**
 * What an event may lose at worst, own orders counted as filled where that hurts. Of the markets of
 * an exclusive event just one comes true; others are added up as if each went its own worst way.
 */
export function worstLossUsdc(
  { event, markets }: ListedEvent,
  facts: OrderFacts,
  at: Worst,
): number {
  const losses = markets.map((market) => lossesOf(market, facts, at));
  const each = losses.reduce((sum, loss) => sum + Math.max(loss.ifYes, loss.ifNo), 0);
  return (at.exclusive.has(event.slug) ? exclusiveLoss(losses) : each) / NANO;
}

type Losses = { readonly ifYes: number; readonly ifNo: number };

function exclusiveLoss(losses: readonly Losses[]): number {
  const allNo = losses.reduce((sum, loss) => sum + loss.ifNo, 0);
  return Math.max(...losses.map((loss) => allNo - loss.ifNo + loss.ifYes));
}

function lossesOf(market: ListedMarket, facts: OrderFacts, at: Worst): Losses {
  const { era, startNano, without } = at;
  const sums = sumsOf(market, facts, era, without);
  const { id } = market.market;
  const cashNano = facts.cashNano(id) - startNano(id);
  const payout = (index: OutcomeIndex) => facts.totalMicro(market.outcome(index).tokenId) * 1_000;
  return {
    ifYes: -cashNano - payout(1) + sums.lossIfYes,
    ifNo: -cashNano - payout(0) + sums.lossIfNo,
  };
}

function brokenPosition(
  fact: OrderFact,
  sums: Sums,
  at: { readonly facts: OrderFacts; readonly limits: Limits; readonly allowance: Allowance },
): string | undefined {
  const { facts, limits, allowance } = at;
  const { market, outcome, side } = fact.order.terms;
  const { yes, no } = market.market;
  const max = limits.maxPositionShares * MICRO;
  const excused = allowance.ofToken(yes.tokenId) + allowance.ofToken(no.tokenId);
  const worst = facts.totalMicro(outcome.tokenId) + sums.buying[outcome.outcomeIndex];
  if (side === 'BUY' && worst > max + excused) {
    return `${worst / MICRO} shares of one token, ${limits.maxPositionShares} allowed`;
  }
  const net = facts.totalMicro(yes.tokenId) - facts.totalMicro(no.tokenId);
  const worstNet = fact.order.axis.side === 'bid' ? net + sums.netUp : -net + sums.netDown;
  const maxNet = Math.min(limits.maxPositionShares, limits.maxNetShares);
  if (worstNet <= maxNet * MICRO + excused) return undefined;
  return `a net position of ${worstNet / MICRO}, ${maxNet} allowed`;
}

/** An order that a process of this era decided on: what came before, without a memory, cannot count. */
function isOfEra(fact: OrderFact, facts: OrderFacts, era: number): boolean {
  const isKnown = !facts.isJustBack(fact) && !facts.isTakenForDouble(fact);
  return fact.owner === 'intent' && fact.era === era && isKnown;
}

function sumsOf(market: ListedMarket, facts: OrderFacts, era: number, without?: OrderFact): Sums {
  const sums: Sums = { buying: [0, 0], netUp: 0, netDown: 0, lossIfNo: 0, lossIfYes: 0 };
  for (const fact of facts.live()) {
    const { order } = fact;
    if (fact === without || !isOfEra(fact, facts, era) || order.terms.market !== market) continue;
    const resting = order.restingMicro();
    const { tick, side } = order.axis;
    const costNano = tick * (1_000 / order.terms.grid.ticksPerUnit) * resting;
    if (order.terms.side === 'BUY') sums.buying[order.index] += resting;
    if (side === 'bid') {
      sums.netUp += resting;
      sums.lossIfNo += costNano;
    } else {
      sums.netDown += resting;
      sums.lossIfYes += resting * 1_000 - costNano;
    }
  }
  return sums;
}

/** An own order on the other side that an accepted one would trade with. */
export function crossedBy(fact: OrderFact, facts: OrderFacts): OrderFact | undefined {
  const { order } = fact;
  for (const each of facts.live()) {
    if (each === fact || !isOfEra(each, facts, fact.era)) continue;
    const other = each.order;
    if (other.terms.market !== order.terms.market || other.axis.side === order.axis.side) continue;
    const bid = order.axis.side === 'bid' ? order : other;
    const ask = order.axis.side === 'bid' ? other : order;
    if (bid.axis.tick >= ask.axis.tick) return each;
  }
  return undefined;
}
