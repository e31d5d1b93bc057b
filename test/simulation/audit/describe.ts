// An order in one line, for whoever reads of a violation.

import type { OrderFact } from './facts.ts';

export function describe({
  order,
  owner,
  process,
  intentId,
  sentAtMs,
  acceptedAtMs,
}: OrderFact): string {
  const { side, outcome, market, price, grid, quantityMicro, orderHash } = order.terms;
  const what = `${side} ${quantityMicro / 1e6} ${market.market.title} ${outcome.name}`;
  const when = `sent ${sentAtMs}, accepted ${acceptedAtMs}`;
  const who = `${owner} ${intentId ?? ''} of process ${process}`;
  return `${what} at ${price}/${grid.ticksPerUnit} (${who}, ${when}, ${orderHash.slice(0, 12)})`;
}
