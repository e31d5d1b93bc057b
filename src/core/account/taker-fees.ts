// Fees of what took. No frame names one: what was sent to take is expected to pay by the rate that the
// settings state, when it matches by its own price and when it settles by that of the trade. A quote that met
// somebody as it arrived pays as well, and only cash says which one did: where just that much is missing.
// @spec What the service does

import type { Balances, SettledTrade } from '../../domain/message.ts';
import type { MicroShares } from '../../domain/shares.ts';
import { addMs, type UnixMs } from '../../domain/time.ts';
import type { CashProof } from '../inventory/account.ts';
import { cashFeeNano, type PendingFill } from '../inventory/pending.ts';
import type { MarketState } from '../market.ts';
import type { OwnOrder } from '../orders/own-order.ts';
import { costNano, tradeNano, usdcOf } from '../risk/nano.ts';
import type { World } from '../world.ts';
import { ROUNDING_NANO } from './unpaid-fees.ts';

/** Balances may show a settlement so long before its frame comes, its fee among it. */
const SHOWN_BEFORE_MS = 60_000;

/** Matched shares of an own order, at its own price, as they wait for their settlement. */
export function fillOf(
  world: World,
  { grid, choice }: MarketState,
  order: OwnOrder,
  quantity: MicroShares,
): PendingFill {
  const { nowMs } = world;
  const { tokenId, intentId, side, isTake, isOrphan, sentAtMs } = order;
  const cost = costNano(grid, order.price, quantity);
  return {
    ...{ tokenId, intentId, side, quantity, original: quantity, atMs: nowMs },
    cashNano: side === 'BUY' ? -cost : cost,
    takerFeeRate: isTake === true ? choice.takerFeeRate : undefined,
    // An orphan was there before we met it.
    sentAtMs: isOrphan ? undefined : sentAtMs,
    isFound: mayBeOver(world, order),
  };
}

/**
 * An order of an earlier life traded, as a start finds: nobody listened when it did, and unless cash says
 * that nothing has happened since, it may have settled, too.
 */
function mayBeOver({ restored, account }: World, order: OwnOrder): boolean {
  if (!restored.isFoundAtStart(order)) return false;
  return account.askedAtMs === undefined || !account.isExplained;
}

/** What settled before its match was told of was counted without its fee, or with that of another match. */
export function payLate(world: World, market: MarketState): void {
  const feeNano = world.inventory.takeFees();
  const { id } = market.market;
  if (feeNano === 0 || world.unpaidFees.takeShown(id, feeNano)) return;
  market.flows.cashNano -= feeNano;
  world.touched.flows.add(id);
  world.account.onFlow(-feeNano, world.nowMs, true);
}

/** Of a settlement all may have paid that none of our takes has paid for. */
export function noteUnpaid(
  world: World,
  market: MarketState | undefined,
  { trade, paidNano }: { readonly trade: SettledTrade; readonly paidNano: number },
): void {
  const rate = market?.choice.takerFeeRate;
  if (market === undefined || rate === undefined) return;
  const wholeNano = cashFeeNano(rate, Math.abs(tradeNano(trade)), trade.quantity);
  const feeNano = wholeNano - paidNano;
  if (feeNano <= ROUNDING_NANO) return;
  world.unpaidFees.onSettled({ marketId: market.market.id, feeNano, atMs: world.nowMs });
}

/** Takes over the cash of a read: what it lacks may be just the fees of what has settled lately. */
export function proveCash(world: World, balances: Balances, askedAtMs: UnixMs): CashProof {
  const { account } = world;
  const proof = account.onBalances(balances, askedAtMs);
  if (proof === 'agrees') return proof;
  // What was missing long before a settlement is no fee of it.
  const byMs = addMs(account.lastSurpriseShownAtMs ?? askedAtMs, SHOWN_BEFORE_MS);
  const found = world.unpaidFees.takeMissing(-account.surpriseNano, byMs);
  for (const { marketId, feeNano, atMs } of found) {
    if (!account.explain(-feeNano, addMs(atMs, -SHOWN_BEFORE_MS))) continue;
    const feeUsdc = usdcOf(feeNano).toFixed(6);
    world.outbox.report({ event: 'fee.found', marketId, feeUsdc });
    const flows = world.flows.get(marketId);
    if (flows === undefined) continue;
    flows.cashNano -= feeNano;
    world.touched.flows.add(marketId);
  }
  return account.isExplained ? 'agrees' : 'differs';
}
