// A venue that takes an order otherwise than it was sent, and says so in its answer: of fewer shares, or at
// a price that is better for whoever sent it. Rarely, and only of the daemon's.

import { ticks } from '../../../src/domain/ticks.ts';
import type { Random } from '../../../src/paper/crowd/random.ts';
import type { Account } from '../../../src/paper/exchange/account.ts';
import type { Exchange } from '../../../src/paper/exchange/exchange.ts';
import type { OrderFacts } from '../audit/facts.ts';
import type { Tally } from './tally.ts';

type Request = Parameters<Exchange['placeLimit']>[1];
type Asked = Pick<Request, 'price' | 'quantityMicro'>;

/** So rarely that a run of an hour has a few. */
const PART = 0.004;
const SHARE_MICRO = 1_000_000;
/** @spec Limits › Minimum order value */
const NOTIONAL_MIN = 1;

export type AlterationParts = {
  readonly exchange: Exchange;
  readonly account: Account;
  readonly facts: OrderFacts;
  readonly faults: Tally;
  readonly random: Random;
  /** What is compared at rest has been answered: one restated at the end waits for whatever may still arrive. */
  readonly isStill: () => boolean;
};

export function alterOrders(parts: AlterationParts): void {
  const { exchange, account, facts, faults, random } = parts;
  const place = exchange.placeLimit.bind(exchange);
  exchange.placeLimit = (owner, request) => {
    const isMeant = owner === account && facts.isPlacing && !parts.isStill();
    const taken = isMeant && random.chance(PART) ? restated(request, random) : undefined;
    if (taken === undefined) return place(owner, request);
    faults.add('orderRestated');
    return facts.takenOtherwise(request, () => place(owner, { ...request, ...taken }));
  };
}

function restated(request: Request, random: Random): Asked | undefined {
  const { token, side, price, quantityMicro } = request;
  const { grid } = token.market;
  if (random.chance(0.4)) {
    const better = price + (side === 'BUY' ? -1 : 1);
    const isLegal = better > 0 && better < grid.ticksPerUnit;
    return isLegal
      ? worth(grid.ticksPerUnit, { price: ticks(grid, better), quantityMicro })
      : undefined;
  }
  const part = random.whole(50, 95) / 100;
  const fewer = Math.floor((quantityMicro * part) / SHARE_MICRO) * SHARE_MICRO;
  return worth(grid.ticksPerUnit, { price, quantityMicro: fewer });
}

/** What is worth too little would be refused. */
function worth(ticksPerUnit: number, asked: Asked) {
  const notional = (asked.price / ticksPerUnit) * (asked.quantityMicro / SHARE_MICRO);
  return notional >= NOTIONAL_MIN ? asked : undefined;
}
