// Cash, positions, holds and profit at rest: `cash_differs`, `position_differs`, `holds_differ`,
// `profit_differs`.

import { Decimal } from 'decimal.js';
import type { MarketId } from '../../../src/domain/ids.ts';
import type { MarketView } from '../../../src/domain/view.ts';
import type { ListedMarket } from '../../../src/paper/exchange/listed-market.ts';
import type { TakerFees } from '../world/controls.ts';
import type { FeeSums } from './fees.ts';
import type { RestParts } from './rest-parts.ts';
import type { Fault } from './room.ts';

const EPSILON = new Decimal('0.000001');
/** A market that may be quoted is asked every second; what one was told longer ago is of then. */
const TOLD_MS = 2_000;

export function cashFaults({ account }: RestParts, text: string | undefined): readonly Fault[] {
  const ours = new Decimal(text ?? Number.NaN);
  if (ours.minus(account.cash).abs().lte(EPSILON)) return [];
  const detail = `the daemon has ${text ?? 'no number'}, the venue ${account.cash.toFixed()}`;
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
  const { account, toldOf } = parts;
  const told = toldOf(market.market.id);
  if (told === undefined || at.atMs - told.nowMs > TOLD_MS) return [];
  const free = Decimal.max(0, account.available().plus(heldElsewhere(parts, at.known)));
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

/** Cash held in markets that the daemon does not quote: orders there are told of, and are none of its sums. */
function heldElsewhere({ facts }: RestParts, known: ReadonlySet<MarketId>): Decimal {
  let held = new Decimal(0);
  for (const { order } of facts.live()) {
    if (!known.has(order.terms.market.market.id)) held = held.plus(order.cashHeld);
  }
  return held;
}

/** No fee takes less than a millionth of a USDC: two rates are rounded apart by no more. */
const FEE_STEP_NANO = 1_000;

/** What takes pay more or less than the operator states, to the rounding of each. */
function misstatedNano({ takenNano, takes }: FeeSums, fees: TakerFees): number {
  const rate = Math.abs(fees.statedRate - fees.chargedRate);
  return rate === 0 ? 0 : rate * takenNano + takes * FEE_STEP_NANO;
}

/**
 * Profit is what the venue's own trades cost with their fees, and what they left at the middle the daemon
 * shows; less is right where a better price was told to nobody, more by the fees of which nobody is told, and
 * either by what the operator has wrong of a fee.
 */
export function profitFaults(
  { facts, fees }: RestParts,
  view: MarketView,
  market: ListedMarket,
): readonly Fault[] {
  const { bestBid, bestAsk, pnlUsdc } = view;
  if (bestBid === undefined || bestAsk === undefined || pnlUsdc === undefined) return [];
  const middle = new Decimal(bestBid).plus(bestAsk).div(2);
  const worth = (index: 0 | 1, price: Decimal) =>
    price.times(facts.totalMicro(market.outcome(index).tokenId)).div(1e6);
  const cash = new Decimal(facts.cashNano(market.market.id)).div(1e9);
  const paid = facts.fees.of(market.market.id);
  const traded = cash.plus(worth(1, middle)).plus(worth(0, new Decimal(1).minus(middle)));
  const truth = traded.minus((paid.takesNano + paid.othersNano) / 1e9);
  const untold = facts.untold.nanoOf(market.market.id);
  const misstated = misstatedNano(paid, fees);
  // At a better price the fee is another one, by no more than its part of what that gained.
  const otherFee = untold * fees.statedRate + misstated;
  // By a wrong rate the fee that nobody told of is just that of another settlement, which may be of any market.
  const misplaced = fees.statedRate === fees.chargedRate ? 0 : facts.fees.untoldNano();
  const less = new Decimal(untold + otherFee + misplaced).div(1e9).plus(EPSILON);
  const more = new Decimal(paid.othersNano + otherFee).div(1e9).plus(EPSILON);
  const missing = truth.minus(pnlUsdc);
  if (missing.gte(more.neg()) && missing.lte(less)) return [];
  const detail = `${view.title}: the daemon earned ${pnlUsdc}, the venue says ${truth.toFixed(6)}`;
  return [{ rule: 'profit_differs', detail }];
}
