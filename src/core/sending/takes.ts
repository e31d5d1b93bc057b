// Orders meant to take, for strategies whose purpose includes it. All legs go together or none does,
// one round at a time per market, with the fee counted and every limit held.

import { subtractShares, withDecimals } from '../../domain/shares.ts';
import { meetsMinNotional } from '../../domain/usdc.ts';
import type { Take } from '../../strategy/index.ts';
import { takerFeeNano } from '../kernel/nano.ts';
import type { MarketState } from '../market.ts';
import { isExposed, toAxis } from '../orders/own-order.ts';
import type { RoutedOrder } from '../orders/routing.ts';
import { RiskPass } from '../risk/risk-pass.ts';
import type { World } from '../world.ts';
import { crossesOwn, type Placement, place } from './place.ts';

/** A refused or unfinished round is not tried again sooner: the book must have had time to change. */
const ROUND_PAUSE_MS = 1_000;

/** Sends the takes that markets target quotes and that may go now. */
export function sendTakes(world: World): void {
  for (const market of world.workQueue.taking) {
    const { takes } = market.desk;
    // A target quote is for this moment; the next decision wants again if it still holds.
    market.desk.takes = [];
    world.workQueue.taking.delete(market);
    if (takes.length === 0) continue;
    if (world.nowMs < market.desk.takesPauseUntilMs || !world.budget.mayWrite(world.nowMs))
      continue;
    if (isUnderWay(world, market)) continue;
    const round = admitted(world, market, takes);
    if (typeof round === 'string') refuse(world, market, round);
    else place(world, round, 'take');
    market.desk.takesPauseUntilMs = world.nowMs + ROUND_PAUSE_MS;
  }
}

/** The last round may still trade; what of it matched is in what we hold. */
function isUnderWay(world: World, market: MarketState): boolean {
  for (const order of world.ledger.ofMarket(market.market.id)) {
    if (order.isTake === true && isExposed(order)) return true;
  }
  return false;
}

/** The round, or which gate stopped it. */
function admitted(
  world: World,
  market: MarketState,
  takes: readonly Take[],
): readonly Placement[] | string {
  const rate = market.choice.takerFeeRate;
  if (rate === undefined) return 'taker_fee_unknown';
  const risk = new RiskPass(world);
  const round: Placement[] = [];
  for (const wanted of takes) {
    const take = { ...wanted, quantity: withDecimals(wanted.quantity, market.quantityDecimals) };
    const broken = brokenBy(world, market, { take, rate, risk });
    if (broken !== undefined) return broken;
    round.push({ market, routed: routedOf(take) });
  }
  return round;
}

function brokenBy(
  world: World,
  market: MarketState,
  of: { readonly take: Take; readonly rate: number; readonly risk: RiskPass },
): string | undefined {
  const { take, rate, risk } = of;
  const { leg, side, price, quantity } = take;
  if (!meetsMinNotional(market.grid, price, quantity)) return 'below_min_notional';
  const { axisSide, axisPrice } = toAxis(market.grid, take);
  if (crossesOwn(world, market, { side: axisSide, price: axisPrice }))
    return 'own_order_in_the_way';
  if (side === 'SELL' && risk.free(market)[leg] < quantity) return 'insufficient_shares';
  const broken = risk.admit(market, routedOf(take), {
    side: axisSide,
    price: axisPrice,
    isTake: true,
  });
  if (broken !== undefined) return broken;
  if (side === 'SELL') {
    const free = risk.free(market);
    free[leg] = subtractShares(free[leg], quantity);
  }
  const fee = takerFeeNano(rate, { grid: market.grid, price, quantity });
  return risk.reserve(fee) ? undefined : 'cash';
}

function routedOf({ leg, side, price, quantity }: Take): RoutedOrder {
  return { leg, side, price, quantity };
}

function refuse(world: World, market: MarketState, limit: string): void {
  const detail = 'a round of takes was not sent';
  world.outbox.report({ event: 'risk.refused', marketId: market.market.id, limit, detail });
}
