// Another trader on the account: orders that were never sent from here keep coming, however often they are
// cancelled. Whoever cancelled on would be in a war of cancels: from here on only own orders are cancelled.

import type { OrderReport } from '../../domain/order.ts';
import { addMs } from '../../domain/time.ts';
import { externalOrders, setConflict } from '../account/meant.ts';
import type { AccountStores } from '../account/stores.ts';
import { cancelScopeOf } from '../risk/cancel-scope.ts';
import { ownLike } from '../risk/copies.ts';
import { ease, trip } from '../risk/trip.ts';
import type { EngineStores } from './engine-stores.ts';
import type { Session } from './session.ts';

/** Lists that show new ones count within this. */
const WITHIN_MS = 120_000;
const SIGNS_MIN = 12;
/** A copy of ours may also be a request that was delivered twice: many of them are no accident. */
const SIGN_LIKE_OURS = 1;
const SIGN_OTHER = 3;
/** Kept apart of those that were counted, the latest. */
const COUNTED_MAX = 1_000;
/** Who yields waits so long after the last order of the other one. */
const YIELD_MS = 300_000;

const YIELDS = { kind: 'condition', text: 'no order of others for five minutes' } as const;

/** A list shows an order that was not sent from here. */
export function onExternal(stores: EngineStores, report: OrderReport): void {
  const { controls, settings, ledger, nowMs, listAskedAtMs } = stores;
  const { conflict } = controls;
  const rule = settings?.account?.conflict;
  const isWanted = settings?.orders.externalOrders === 'adopt' || cancelScopeOf(stores) === 'own';
  if (rule === undefined || isWanted || stores.session.isStarting) return;
  if (ledger.isKnownHash(report.orderHash) || conflict.counted.has(report.orderHash)) return;
  conflict.counted.add(report.orderHash);
  for (const oldest of conflict.counted) {
    if (conflict.counted.size <= COUNTED_MAX) break;
    conflict.counted.delete(oldest);
  }
  // A person who places several by hand shows them in one list.
  const weight = ownLike(stores, report) ? SIGN_LIKE_OURS : SIGN_OTHER;
  const before = conflict.signs.filter(({ atMs }) => atMs > addMs(nowMs, -WITHIN_MS));
  const isOfList = before.some((sign) => sign.listAskedAtMs === listAskedAtMs);
  conflict.signs = isOfList ? before : [...before, { atMs: nowMs, listAskedAtMs, weight }];
  const signs = conflict.signs.reduce((sum, sign) => sum + sign.weight, 0);
  if (signs >= SIGNS_MIN) recognise(stores, stores.session, rule);
}

function recognise(
  stores: AccountStores,
  session: Session,
  rule: 'yield' | 'own-scope' | 'halt',
): void {
  const { controls, nowMs, outbox } = stores;
  const lists = controls.conflict.signs.length;
  const detail = `${lists} lists in ${WITHIN_MS / 1_000} s showed new orders that were never sent from here`;
  controls.conflict.signs = [];
  controls.conflict.seenAtMs = nowMs;
  setConflict(stores, true);
  outbox.report({ event: 'account.conflict', rule, detail });
  if (rule === 'halt') session.halt('account_conflict', detail);
  if (rule !== 'yield') return;
  trip(stores, {
    control: 'account_conflict',
    level: 'reduce-only',
    detail: () => detail,
    resumes: YIELDS,
  });
}

/** Once a second: who yields comes back when the other one is gone. */
export function watchConflict(stores: AccountStores): void {
  const { conflict, latches } = stores.controls;
  const hasYielded = latches.get('account_conflict', undefined) !== undefined;
  if (!conflict.isKnown || !hasYielded) return;
  if (externalOrders(stores) > 0) conflict.seenAtMs = stores.nowMs;
  if (stores.nowMs - (conflict.seenAtMs ?? 0) < YIELD_MS) return;
  ease(stores, 'account_conflict');
  setConflict(stores, false);
}
