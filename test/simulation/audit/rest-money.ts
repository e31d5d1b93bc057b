// Cash, positions, locks and profit at rest: `cash_differs`, `position_differs`, `holds_differ`, `profit_inexact`,
// `profit_outside`.

import { Decimal } from 'decimal.js';
import type { MarketId } from '../../../src/domain/ids.ts';
import type { MarketView, StateView } from '../../../src/domain/view.ts';
import { usdcOf } from '../../../src/paper/exchange/amounts.ts';
import type { ListedMarket } from '../../../src/paper/exchange/listed-market.ts';
import type { RestParts } from './rest-parts.ts';
import type { Fault } from './room.ts';

const ZERO = new Decimal(0);
const EPSILON = new Decimal('0.000001');
/** A market that may be quoted is asked every second; what one was told longer ago is of then. */
const TOLD_MS = 2_000;

export function cashFaults({ account }: RestParts, text: string | undefined): readonly Fault[] {
  const ours = new Decimal(text ?? Number.NaN);
  if (ours.minus(usdcOf(account.cashNano)).abs().lte(EPSILON)) return [];
  const detail = `the daemon has ${text ?? 'no number'}, the venue ${usdcOf(account.cashNano).toFixed()}`;
  return [{ rule: 'cash_differs', detail }];
}

export function positionFaults(
  parts: RestParts,
  view: MarketView,
  market: ListedMarket,
): readonly Fault[] {
  const faults: Fault[] = [];
  for (const [index, text] of [
    [1, view.positionYes],
    [0, view.positionNo],
  ] as const) {
    const { name, tokenId } = market.outcome(index);
    const truth = new Decimal(parts.facts.totalMicro(tokenId)).div(1e6);
    if (truth.minus(text).abs().lte(EPSILON)) continue;
    const detail = `${view.title} ${name}: the daemon has ${text}, the venue ${truth.toFixed()}`;
    faults.push({ rule: 'position_differs', detail });
  }
  return faults;
}

/**
 * What strategies are told to be free is what the venue lets go: cash that no buy holds, and shares that
 * no sell does, whoever sent them: in the own scope too somebody else's orders hold what they hold.
 */
export function holdFaults(
  parts: RestParts,
  market: ListedMarket,
  at: { readonly atMs: number; readonly known: ReadonlySet<MarketId> },
): readonly Fault[] {
  const { account, reportedOf } = parts;
  const told = reportedOf(market.market.id);
  if (told === undefined || at.atMs - told.nowMs > TOLD_MS) return [];
  const free = Decimal.max(0, usdcOf(account.availableNano()).plus(heldElsewhere(parts, at.known)));
  const holds = [{ what: 'USDC free', ours: told.capital.freeUsdc, venues: free }];
  for (const [index, leg] of [
    [1, 'yes'],
    [0, 'no'],
  ] as const) {
    const heldMicro = account.holdings.get(market.outcome(index).tokenId)?.heldMicro ?? 0;
    const venues = new Decimal(heldMicro).div(1e6);
    holds.push({ what: `${leg} held`, ours: told.inventory.held[leg] / 1e6, venues });
  }
  return holds
    .filter(({ ours, venues }) => venues.minus(ours).abs().gt(EPSILON))
    .map(({ what, ours, venues }) => ({
      rule: 'holds_differ',
      detail: `${market.market.title}: ${ours} ${what} by the daemon, ${venues.toFixed()} by the venue`,
    }));
}

/** Cash held in markets that the daemon does not quote: orders there are reported, and are none of its sums. */
function heldElsewhere({ facts }: RestParts, known: ReadonlySet<MarketId>): Decimal {
  let held = new Decimal(0);
  for (const { order } of facts.live()) {
    if (!known.has(order.terms.market.market.id)) held = held.plus(usdcOf(order.cashHeldNano));
  }
  return held;
}

/** Two markets may be rounded apart by half a millionth each. */
const ROUNDING = new Decimal('0.000002');

/** Profit of one market: what the daemon says, and what the venue's own trades cost and left. */
type Profit = { readonly title: string; readonly said: Decimal; readonly truth: Decimal };

/**
 * Where no frame was lost, doubled or late the profit of each market is right to the micro-dollar; elsewhere that of
 * all of them is as far from the truth as the daemon says that it may be. Nothing is compared that nobody can know:
 * where a journal was lost, the operator states a wrong fee, or in the own scope somebody else traded.
 */
export function profitFaults(parts: RestParts, { markets, account }: StateView): readonly Fault[] {
  if (!parts.isProfitKnown) return [];
  const profits = markets.map((view) => profitOf(parts, view));
  if (parts.isHarmless) return profits.flatMap((each) => (each ? inexact(parts, each) : []));
  const { pnlUncertaintyUsdc } = account;
  const known = profits.filter((each) => each !== undefined);
  if (pnlUncertaintyUsdc === undefined || known.length < profits.length) return [];
  const missing = known.reduce((sum, { said, truth }) => sum.plus(truth).minus(said), ZERO);
  const allowed = ROUNDING.plus(pnlUncertaintyUsdc);
  if (missing.gte(allowed.plus(feesOfNobody(parts)).neg()) && missing.lte(allowed)) return [];
  const detail = `profit is ${missing.toFixed(6)} USDC more than the daemon says, ${pnlUncertaintyUsdc} admitted`;
  return [{ rule: 'profit_outside', detail }];
}

function inexact(parts: RestParts, { title, said, truth }: Profit): readonly Fault[] {
  const missing = truth.minus(said);
  if (missing.lte(EPSILON) && missing.gte(EPSILON.plus(feesOfNobody(parts)).neg())) return [];
  const detail = `${title}: the daemon earned ${said.toFixed()}, the venue says ${truth.toFixed(6)}`;
  return [{ rule: 'profit_inexact', detail }];
}

/** Of bid and ask that are farther apart, or crossed, no middle is told, and a price between them that stood is good. */
const MIDDLE_OF_MAX = 0.1;

/** Shares are worth the price that the daemon shows; `undefined` where it shows none, or nothing trades. */
function profitOf(parts: RestParts, view: MarketView): Profit | undefined {
  const { facts, exchange } = parts;
  const { bestBid, bestAsk, pnlUsdc, title } = view;
  const market = exchange.catalogue.market(view.marketId);
  const isPriced = bestBid !== undefined && bestAsk !== undefined && market.trading === 'open';
  if (!isPriced || pnlUsdc === undefined || parts.isRecycling(view.marketId)) return undefined;
  const middle = priceOf({ bid: new Decimal(bestBid), ask: new Decimal(bestAsk) }, view.mark);
  const worth = (index: 0 | 1, price: Decimal) =>
    price.times(facts.totalMicro(market.outcome(index).tokenId)).div(1e6);
  const { takesNano, othersNano } = facts.fees.of(market.market.id);
  const cash = new Decimal(facts.cashNano(market.market.id) - takesNano - othersNano).div(1e9);
  const truth = cash.plus(worth(1, middle)).plus(worth(0, new Decimal(1).minus(middle)));
  return { title, said: new Decimal(pnlUsdc), truth };
}

function priceOf({ bid, ask }: { bid: Decimal; ask: Decimal }, mark: string | undefined): Decimal {
  const isBetween =
    mark !== undefined && Decimal.min(bid, ask).lte(mark) && Decimal.max(bid, ask).gte(mark);
  const hasNone = bid.gt(ask) || ask.minus(bid).gt(MIDDLE_OF_MAX);
  return hasNone && isBetween ? new Decimal(mark) : bid.plus(ask).div(2);
}

/** A quote that met somebody as it arrived pays a fee that nobody reports. */
function feesOfNobody({ facts, exchange }: RestParts): Decimal {
  const markets = exchange.catalogue.events().flatMap((listed) => listed.markets);
  const nano = markets.reduce((sum, { market }) => sum + facts.fees.of(market.id).othersNano, 0);
  return new Decimal(nano).div(1e9);
}
