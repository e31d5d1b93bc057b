// The body of `POST /control/sets`: what an operator wants done with complete sets.

import { type MarketId, marketId } from '../domain/ids.ts';
import type { SetsOrder } from '../domain/sets.ts';
import { type MicroShares, parseShares } from '../domain/shares.ts';

const ACTIONS: readonly SetsOrder['action'][] = ['split', 'merge', 'redeem'];
const ID_LENGTH_MAX = 80;

/** The order in a body, or what is wrong with the body. */
export function readSetsOrder(body: unknown, by: string): SetsOrder | string {
  const { id, action, market, amount } = fieldsOf(body);
  if (typeof id !== 'string' || id === '' || id.length > ID_LENGTH_MAX) {
    return `id: a text of 1 to ${ID_LENGTH_MAX} characters expected`;
  }
  const known = ACTIONS.find((each) => each === action);
  if (known === undefined) return 'action: split, merge or redeem expected';
  const of = attempt(() => marketId(String(market ?? '')));
  if (of === undefined) return 'market: a market id expected';
  if (known === 'redeem') return { id, by, action: known, marketId: of, amount: undefined };
  const sets = amountOf(amount);
  if (sets === undefined) return 'amount: a number of sets above 0 with up to 6 decimals expected';
  return { id, by, action: known, marketId: of, amount: sets };
}

type Fields = {
  readonly id?: unknown;
  readonly action?: unknown;
  readonly market?: unknown;
  readonly amount?: unknown;
};

function fieldsOf(body: unknown): Fields {
  return typeof body === 'object' && body !== null ? body : {};
}

function amountOf(amount: unknown): MicroShares | undefined {
  if (typeof amount !== 'string' && typeof amount !== 'number') return undefined;
  const sets = attempt(() => parseShares(amount));
  return sets !== undefined && sets > 0 ? sets : undefined;
}

function attempt<Value extends MarketId | MicroShares>(parse: () => Value): Value | undefined {
  try {
    return parse();
  } catch {
    return undefined;
  }
}
