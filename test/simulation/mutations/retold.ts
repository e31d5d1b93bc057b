// A venue that speaks of orders which have ended once more, and a daemon that takes it for reports of others.

import { OrderLedger } from '../../../src/core/orders/ledger.ts';
import type { OrderHash } from '../../../src/domain/ids.ts';
import { UserFrames } from '../../../src/paper/api/user-frames.ts';
import type { Account } from '../../../src/paper/exchange/account.ts';
import type { ExchangeOrder } from '../../../src/paper/exchange/exchange-order.ts';
import { LATE_REQUESTS } from './circumstances.ts';
import { type Circumstance, joined, type Mutation } from './mutation.ts';
import { all, replaced } from './tools.ts';

/** Ended orders that are spoken of again at most, the latest of all; more than a process remembers for two minutes. */
const RETOLD_MAX = 1_000;
/** So many of them come again with each order that ends, in turn. */
const RETOLD_AT_ONCE = 10;

/** Ended orders, by account; of accounts that nobody listens for there is nothing. */
type Told = Map<Account, ExchangeOrder[]>;

/** The last words about orders come again and again, in the process that sent them and in the next. */
const RETOLD: Circumstance = {
  about: 'with each order that ends the last words about ten others come again',
  patch: () => {
    const told = new WeakMap<UserFrames, Told>();
    return all(
      replaced(UserFrames.prototype, 'join', (original) => {
        return function (this: UserFrames, session, account) {
          original.call(this, session, account);
          const accounts: Told = told.get(this) ?? new Map();
          told.set(this, accounts.set(account, accounts.get(account) ?? []));
        };
      }),
      replaced(UserFrames.prototype, 'on', (original) => {
        return function (this: UserFrames, event) {
          original.call(this, event);
          if (event.kind !== 'orderUpdated' || event.cause !== 'state') return;
          const orders = told.get(this)?.get(event.order.terms.account);
          if (orders === undefined || event.order.end === undefined) return;
          for (const order of rotated(orders, event.order))
            original.call(this, { ...event, order });
        };
      }),
    );
  },
};

/** Takes those whose turn it is; they come again when all the others have had theirs. */
function rotated(orders: ExchangeOrder[], latest: ExchangeOrder): readonly ExchangeOrder[] {
  const turn = orders.splice(0, RETOLD_AT_ONCE);
  orders.push(...turn, latest);
  if (orders.length > RETOLD_MAX) orders.shift();
  return turn;
}

export const RETOLD_BUGS: readonly Mutation[] = [
  {
    name: 'ended-hash-lent',
    about: 'takes what is said again of an ended order for a placement like it without an answer',
    lookIn: ['killer', 'crashy', 'stormy'],
    circumstance: {
      ...joined(RETOLD, LATE_REQUESTS),
      about: `${RETOLD.about}; ${LATE_REQUESTS.about}`,
    },
    patch: () =>
      replaced(OrderLedger.prototype, 'isOwnHash', () => {
        return function (this: OrderLedger, orderHash: OrderHash) {
          return this.byHash(orderHash)?.isExternal === false;
        };
      }),
  },
];
