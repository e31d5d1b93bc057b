// A previous run may have had a clock that was ahead, and was put back since. Whatever it did is over
// by now: a time that has not come yet would keep its waits open until it does, an hour or a day.

import type {
  PersistedState,
  StoredOrder,
  StoredRecent,
  StoredSteady,
  StoredToken,
} from '../../domain/record.ts';
import type { StoredLatch } from '../../domain/risk.ts';
import type { UnixMs } from '../../domain/time.ts';
import { addMs } from '../../domain/time.ts';

/** The same run with nothing in it that happens later than now; waits then begin anew, and none ends early. */
export function setBack(persisted: PersistedState, nowMs: UnixMs): PersistedState {
  return {
    ...persisted,
    tokens: persisted.tokens.map((token) => tokenUntil(token, nowMs)),
    settlements: (persisted.settlements ?? []).map((trade) => ({
      ...trade,
      atMs: until(trade.atMs, nowMs),
    })),
    orders: ordersUntil(persisted.orders, nowMs),
    sets: (persisted.sets ?? []).map((request) => ({
      ...request,
      sentAtMs: until(request.sentAtMs, nowMs),
    })),
    marketStops: (persisted.marketStops ?? []).map((stop) => ({
      ...stop,
      sinceMs: until(stop.sinceMs, nowMs),
    })),
    latches: (persisted.latches ?? []).map((latch) => latchUntil(latch, nowMs)),
    recent: persisted.recent && recentUntil(persisted.recent, nowMs),
    cashSteady: steadyUntil(persisted.cashSteady, nowMs),
    ahead: persisted.ahead && { ...persisted.ahead, atMs: until(persisted.ahead.atMs, nowMs) },
  };
}

/** By a clock that was ahead nobody knows what was sent later: it begins anew. */
function steadyUntil(steady: StoredSteady | undefined, nowMs: UnixMs): StoredSteady | undefined {
  return steady !== undefined && steady.sinceMs > nowMs ? undefined : steady;
}

function tokenUntil(token: StoredToken, nowMs: UnixMs): StoredToken {
  const pending = token.pending.map((fill) => ({ ...fill, atMs: until(fill.atMs, nowMs) }));
  const { changedAtMs, uncertain, unreported, shown, past } = token;
  const early = (all: StoredToken['shown']) =>
    all.map((each) => ({ ...each, atMs: until(each.atMs, nowMs) }));
  return {
    ...token,
    pending,
    changedAtMs: changedAtMs && until(changedAtMs, nowMs),
    uncertain: uncertain.map((item) => ({ ...item, sinceMs: until(item.sinceMs, nowMs) })),
    unreported: early(unreported),
    shown: early(shown),
    past: past?.map((each) => ({ ...each, untilMs: until(each.untilMs, nowMs) })),
  };
}

/** The same orders, none of them sent later than now. */
export function ordersUntil(orders: readonly StoredOrder[], nowMs: UnixMs): readonly StoredOrder[] {
  return orders.map((order) => orderUntil(order, nowMs));
}

function orderUntil(order: StoredOrder, nowMs: UnixMs): StoredOrder {
  const { sentAtMs, stateSinceMs, confirmedAtMs } = order;
  return {
    ...order,
    sentAtMs: until(sentAtMs, nowMs),
    stateSinceMs: until(stateSinceMs, nowMs),
    confirmedAtMs: confirmedAtMs && until(confirmedAtMs, nowMs),
  };
}

/** What ends by itself ends as long after now as it was to last. */
function latchUntil(latch: StoredLatch, nowMs: UnixMs): StoredLatch {
  const { sinceMs, resumes } = latch;
  if (sinceMs <= nowMs) return latch;
  if (resumes.kind !== 'time') return { ...latch, sinceMs: nowMs };
  const lastsMs = resumes.atMs - sinceMs;
  return { ...latch, sinceMs: nowMs, resumes: { ...resumes, atMs: addMs(nowMs, lastsMs) } };
}

/** What happened one after the other did not happen at once: the distances stay. */
function recentUntil(recent: StoredRecent, nowMs: UnixMs): StoredRecent {
  const { ordersAtMs, fills, refusals, failuresAtMs, cleared } = recent;
  const dated = [...fills, ...(refusals ?? [])];
  const times = [...ordersAtMs, ...(failuresAtMs ?? []), ...dated.map(({ atMs }) => atMs)];
  const latestMs = times.reduce((latest, atMs) => Math.max(latest, atMs), Number(nowMs));
  const back = (atMs: UnixMs) => addMs(atMs, nowMs - latestMs);
  const setBackAll = <Happened extends { readonly atMs: UnixMs }>(all?: readonly Happened[]) =>
    all?.map((one) => ({ ...one, atMs: back(one.atMs) }));
  return {
    ordersAtMs: ordersAtMs.map(back),
    fills: setBackAll(fills) ?? [],
    refusals: setBackAll(refusals),
    failuresAtMs: failuresAtMs?.map(back),
    // What would clear something that is still to come clears nothing.
    cleared: setBackAll(cleared)?.filter(({ atMs }) => atMs <= nowMs),
  };
}

function until(atMs: UnixMs, nowMs: UnixMs): UnixMs {
  return atMs > nowMs ? nowMs : atMs;
}
