// In the own scope what somebody else has resting on the account is left alone: no cancel names it, and
// none names everything.

import type { Flight } from '../world/network.ts';
import type { OrderFacts } from './facts.ts';

const EVERYTHING = /\/orders(\?.*)?$/;
const ONE = /\/orders\/(0x[0-9a-f]+)$/i;

/** What is wrong with a request of a daemon that cancels its own orders only. */
export function trespass({ request }: Flight, facts: OrderFacts): string | undefined {
  const { method, target, body } = request;
  if (method === 'DELETE' && EVERYTHING.test(target)) return `${method} ${target} means everybody`;
  for (const hash of hashesOf(method, target, body)) {
    const fact = facts.find(hash);
    // What is just like a placement that may still arrive is taken for it: to leave one of ours would be worse.
    if (fact?.owner !== 'external' || facts.isLikeSent(fact)) continue;
    return `it cancels ${hash}, which somebody else sent`;
  }
  return undefined;
}

function hashesOf(method: string, target: string, body: string): readonly string[] {
  if (target.endsWith('/orders/batch-cancel')) {
    const parsed: { readonly orderHashes: readonly string[] } = JSON.parse(body);
    return parsed.orderHashes;
  }
  const [, hash] = (method === 'DELETE' && ONE.exec(target)) || [];
  return hash === undefined ? [] : [hash];
}
