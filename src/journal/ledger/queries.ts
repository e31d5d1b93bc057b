// What is asked of the tables of a ledger, as SQL.

/** Orders that ended and may turn up again: theirs are known as ours. */
export const ENDED_HASHES = `SELECT order_hash FROM orders
  WHERE has_ended = 1 AND is_external = 0 AND order_hash IS NOT NULL
  ORDER BY state_since_ms DESC LIMIT 20000`;
/** As many as two reads of the history show. */
export const NEWEST_SETTLEMENTS = 'SELECT * FROM settlements ORDER BY at_ms DESC LIMIT 200';
/** As many as any breaker can have meant; those that rest are read whole. What is kept beside one never left. */
export const NEWEST_SENT = `SELECT sent_at_ms AS at_ms FROM orders
  WHERE has_ended = 1 AND is_external = 0 AND intent_id NOT LIKE '%-%-%' ORDER BY state_since_ms DESC LIMIT 10000`;
export const NEWEST_FILLS =
  'SELECT market_id, quantity_micro, at_ms FROM fills WHERE is_inferred = 0 ORDER BY at_ms DESC LIMIT 10000';
/**
 * Ended orders without a fill are of no more use to anybody; an hour serves a look back. A start reads all that there are, so
 * that of a busy hour as many are kept as the watchdog knows. Each second so many go, twice as many as the venue takes.
 */
export const ENDED_KEPT = { ms: 3_600_000, rowsMax: 30_000, pruned: 1_000 } as const;
/** The longest ended, so many at most. */
export const OLD_ORDERS = `DELETE FROM orders WHERE intent_id IN (SELECT intent_id FROM orders
  WHERE has_ended = 1 AND state_since_ms < ? ORDER BY state_since_ms LIMIT ?)`;
export const ANY_FLOWS = 'SELECT market_id FROM flows LIMIT 1';
export const FILLS_BETWEEN =
  'SELECT * FROM fills WHERE at_ms >= ? AND at_ms < ? ORDER BY at_ms DESC LIMIT ?';
export const ORDERS_BETWEEN =
  'SELECT * FROM orders WHERE sent_at_ms >= ? AND sent_at_ms < ? ORDER BY sent_at_ms DESC LIMIT ?';
export const NEWEST_REFUSALS = `SELECT market_id, refusal_code, state_since_ms AS at_ms FROM orders
  WHERE has_ended = 1 AND state = 'refused' AND refusal_code IS NOT NULL ORDER BY state_since_ms DESC LIMIT 10000`;
/** The operators' record, the latest of it. */
export const NEWEST_ACTIONS = 'SELECT * FROM actions ORDER BY number DESC LIMIT ?';

/**
 * Sets of settings with their times: a year of three changes a day. A start reads all of them, and filters of hundreds of
 * markets make a set of a megabyte with each event that opens or closes. The last is how many go at a time.
 */
export const SETTINGS_KEPT = { sets: 1_000, bytes: 4_000_000, pruned: 10 } as const;
/** The latest is always kept: it is in force. */
export const OLD_SETTINGS = `DELETE FROM settings WHERE (applied_at_ms, version) IN (
  SELECT applied_at_ms, version FROM (
    SELECT applied_at_ms, version, row_number() OVER latest AS place, sum(octet_length(effective)) OVER latest AS bytes
    FROM settings WINDOW latest AS (ORDER BY applied_at_ms DESC, version DESC)
  ) WHERE place > 1 AND (place > ? OR bytes > ?) ORDER BY applied_at_ms LIMIT ?)`;

/** A script that asks for something each minute fills it in two months; the latest are kept. */
export const ACTIONS_KEPT = 100_000;
export const OLD_ACTIONS =
  'DELETE FROM actions WHERE number <= (SELECT max(number) FROM actions) - ?';

/** Settlements that a new run must know, so that one told again counts once. */
export const TRADE_IDS_MAX = 20_000;
