// What a ledger gives back to a run that goes on from it.

import { isOfRequest } from '../../domain/ids.ts';
import type { PersistedState, StoredOrder, StoredRecent } from '../../domain/record.ts';
import type { Stops } from './kept-stops.ts';
import {
  ANY_FLOWS,
  ENDED_HASHES,
  NEWEST_FILLS,
  NEWEST_REFUSALS,
  NEWEST_SENT,
  NEWEST_SETTLEMENTS,
  TRADE_IDS_MAX,
} from './queries.ts';
import {
  type Cell,
  readFlows,
  readHalt,
  readHash,
  readOrder,
  readRecentFill,
  readSets,
  readSettlement,
  readTime,
  readToken,
} from './rows.ts';
import {
  numberOf,
  readAhead,
  readBaselines,
  readCleared,
  readClock,
  readFailures,
  readLatches,
  readLocks,
  readMarketStops,
  readPause,
  readRefusal,
  readSlowest,
  readSteady,
} from './rows-risk.ts';
import { STOPS_NUMBER, stopsNumberOf } from './stops.ts';

/** Asks the ledger. */
export type Query = (sql: string, cells?: readonly Cell[]) => readonly unknown[];
type Own = Pick<PersistedState, 'orders' | 'endedHashes' | 'clock'>;

export function readPersisted(query: Query): PersistedState {
  const own = readOwn(query);
  const fact = (name: string) => readFact(query, name);
  const { hasFlows: _, ...stops } = readStops(query);
  return {
    ...own,
    recent: readRecent(query, own.orders),
    tokens: query('SELECT * FROM tokens').map(readToken),
    flows: query('SELECT * FROM flows').map(readFlows),
    tradeIds: readTradeIds(query),
    settlements: query(NEWEST_SETTLEMENTS).map(readSettlement).toReversed(),
    cashNano: numberOf(fact('cash_nano')),
    adoptedNano: numberOf(fact('cash_adopted_nano')),
    cashSteady: readSteady(fact('cash_steady')),
    memories: readMemories(query),
    sets: readSets(fact('sets') ?? '[]'),
    ...stops,
    slowest: readSlowest(fact('slowest')),
    ahead: readAhead(fact('ahead')),
    locks: readLocks(fact('locks')),
    stopsNumber: stopsNumberOf(fact(STOPS_NUMBER)),
  };
}

export function readOwn(query: Query): Own {
  return {
    orders: query('SELECT * FROM orders WHERE has_ended = 0').map(readOrder),
    endedHashes: query(ENDED_HASHES).map(readHash).toReversed(),
    clock: readClock(readFact(query, 'clock')),
  };
}

/** What holds a run back, read at once however many markets there were; and whether there was any. */
export function readStops(query: Query): Stops & { readonly hasFlows: boolean } {
  const fact = (name: string) => readFact(query, name);
  return {
    halt: readHalt(fact('halt')),
    pause: readPause(fact('pause')),
    latches: readLatches(fact('latches') ?? '[]'),
    marketStops: readMarketStops(fact('marketStops')),
    baselines: readBaselines(fact('baselines')),
    hasFlows: query(ANY_FLOWS).length > 0,
  };
}

/** A short text that is kept beside the records. */
export function readFact(query: Query, name: string): string | undefined {
  return textOf(query('SELECT value AS text FROM facts WHERE name = ?', [name])[0]);
}

function readRecent(query: Query, orders: readonly StoredOrder[]): StoredRecent {
  const sent = orders
    .filter(({ isExternal, intentId }) => !isExternal && isOfRequest(intentId))
    .map(({ sentAtMs }) => sentAtMs);
  return {
    ordersAtMs: [...sent, ...query(NEWEST_SENT).map(readTime)],
    fills: query(NEWEST_FILLS).map(readRecentFill),
    refusals: query(NEWEST_REFUSALS).map(readRefusal),
    failuresAtMs: readFailures(readFact(query, 'failures')),
    cleared: readCleared(readFact(query, 'cleared')),
  };
}

function readTradeIds(query: Query): readonly string[] {
  const sql = 'SELECT trade_id AS text FROM settlements ORDER BY at_ms DESC LIMIT ?';
  return query(sql, [TRADE_IDS_MAX])
    .map((row) => textOf(row) ?? '')
    .reverse();
}

function readMemories(query: Query): Readonly<Record<string, unknown>> {
  const rows = query('SELECT key, memory AS text FROM memories');
  return Object.fromEntries(
    rows.map((row) => [fieldOf(row, 'key') ?? '', JSON.parse(textOf(row) ?? 'null')]),
  );
}

function textOf(row: unknown): string | undefined {
  return fieldOf(row, 'text');
}

function fieldOf(row: unknown, name: string): string | undefined {
  if (typeof row !== 'object' || row === null) return undefined;
  const value: unknown = Reflect.get(row, name);
  return typeof value === 'string' ? value : undefined;
}
