// Orders meant to take, for strategies whose purpose includes it. All legs go together or none does,
// one round at a time per market, with the fee counted and every limit held.

import { subtractShares, withDecimals } from '../../domain/shares.ts';
import { meetsMinNotional } from '../../domain/usdc.ts';
import type { Take } from '../../strategy/index.ts';
import { takerFeeNano } from '../kernel/nano.ts';
import type { KernelStores } from '../kernel/stores.ts';
import { isExposed, toAxis } from '../orders/own-order.ts';
import type { OrderStores } from '../orders/stores.ts';
import { type Approved, RiskPass } from '../risk/risk-pass.ts';
import type { RiskStores } from '../risk/stores.ts';
import { isOutdated } from './candidates.ts';
import type { MarketState, Placement } from './market.ts';
import { crossesOwn, place } from './place.ts';
import type { SendingStores } from './stores.ts';

/** A refused or unfinished round is not tried again sooner: the book must have had time to change. */
const ROUND_PAUSE_MS = 1_000;

/** Sends the takes that markets target quotes and that may go now. */
export function sendTakes(stores: SendingStores): void {
  for (const market of stores.workQueue.taking) {
    const { takes } = market.desk;
    // A target quote is for this moment; the next decision wants again if it still holds.
    market.desk.takes = [];
    stores.workQueue.taking.delete(market);
    if (takes.length === 0 || isOutdated(market, stores)) continue;
    if (stores.nowMs < market.desk.takesPauseUntilMs || !stores.budget.mayWrite(stores.nowMs))
      continue;
    if (isUnderWay(stores, market)) continue;
    const round = admitted(stores, market, takes);
    if (typeof round === 'string') refuse(stores, market, round);
    else place(stores, round, 'take');
    market.desk.takesPauseUntilMs = stores.nowMs + ROUND_PAUSE_MS;
  }
}

/** The last round may still trade; what of it matched is in what we hold. */
function isUnderWay(stores: OrderStores, market: MarketState): boolean {
  for (const order of stores.ledger.ofMarket(market.market.id)) {
    if (order.isTake === true && isExposed(order)) return true;
  }
  return false;
}

/** The round, or which gate stopped it. */
function admitted(
  stores: RiskStores,
  market: MarketState,
  takes: readonly Take[],
): readonly Placement[] | string {
  const rate = market.choice.takerFeeRate;
  if (rate === undefined) return 'taker_fee_unknown';
  const risk = new RiskPass(stores);
  const round: Placement[] = [];
  for (const wanted of takes) {
    const take = { ...wanted, quantity: withDecimals(wanted.quantity, market.quantityDecimals) };
    const approved = approve(stores, market, { take, rate, risk });
    if (typeof approved === 'string') return approved;
    round.push({ approved });
  }
  return round;
}

function approve(
  stores: OrderStores,
  market: MarketState,
  of: { readonly take: Take; readonly rate: number; readonly risk: RiskPass },
): Approved<MarketState> | string {
  const { take, rate, risk } = of;
  const { leg, side, price, quantity } = take;
  if (!meetsMinNotional(market.grid, price, quantity)) return 'below_min_notional';
  const { axisSide, axisPrice } = toAxis(market.grid, take);
  if (crossesOwn(stores, market, { side: axisSide, price: axisPrice }))
    return 'own_order_in_the_way';
  if (side === 'SELL' && risk.free(market)[leg] < quantity) return 'insufficient_shares';
  const routed = { leg, side, price, quantity };
  const verdict = risk.admit(market, routed, { side: axisSide, price: axisPrice, isTake: true });
  if (typeof verdict === 'string') return verdict;
  if (side === 'SELL') {
    const free = risk.free(market);
    free[leg] = subtractShares(free[leg], quantity);
  }
  const fee = takerFeeNano(rate, { grid: market.grid, price, quantity });
  return risk.reserve(fee) ? verdict : 'cash';
}

function refuse(stores: KernelStores, market: MarketState, limit: string): void {
  const detail = 'a round of takes was not sent';
  stores.outbox.report({ event: 'risk.refused', marketId: market.market.id, limit, detail });
}
