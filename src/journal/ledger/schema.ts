// The tables of the ledger. A change of shape is a new step at the end of the list, never an edit.

/** Each step brings the tables from one version to the next; `user_version` counts them. */
export const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE orders (
    intent_id TEXT PRIMARY KEY,
    order_hash TEXT,
    market_id TEXT NOT NULL,
    token_id TEXT NOT NULL,
    leg TEXT NOT NULL,
    side TEXT NOT NULL,
    price_ticks INTEGER NOT NULL,
    ticks_per_unit INTEGER NOT NULL,
    quantity_micro INTEGER NOT NULL,
    sent_at_ms INTEGER NOT NULL,
    is_orphan INTEGER NOT NULL,
    state TEXT NOT NULL,
    state_since_ms INTEGER NOT NULL,
    executed_micro INTEGER NOT NULL,
    confirmed_at_ms INTEGER,
    has_ended INTEGER NOT NULL
  ) WITHOUT ROWID;
  CREATE INDEX orders_by_end ON orders (has_ended, state_since_ms);
  CREATE TABLE fills (
    intent_id TEXT NOT NULL,
    executed_after_micro INTEGER NOT NULL,
    market_id TEXT NOT NULL,
    token_id TEXT NOT NULL,
    side TEXT NOT NULL,
    price_ticks INTEGER NOT NULL,
    ticks_per_unit INTEGER NOT NULL,
    quantity_micro INTEGER NOT NULL,
    cash_nano REAL NOT NULL,
    at_ms INTEGER NOT NULL,
    PRIMARY KEY (intent_id, executed_after_micro)
  ) WITHOUT ROWID;
  CREATE TABLE settlements (
    trade_id TEXT PRIMARY KEY,
    token_id TEXT,
    side TEXT NOT NULL,
    quantity_micro INTEGER NOT NULL,
    cash_nano REAL NOT NULL,
    at_ms INTEGER NOT NULL
  ) WITHOUT ROWID;
  CREATE INDEX settlements_by_time ON settlements (at_ms);
  CREATE TABLE tokens (
    token_id TEXT PRIMARY KEY,
    settled_micro INTEGER NOT NULL,
    pending TEXT NOT NULL,
    changed_at_ms INTEGER
  ) WITHOUT ROWID;
  CREATE TABLE flows (
    market_id TEXT PRIMARY KEY,
    cash_nano REAL NOT NULL,
    fills INTEGER NOT NULL,
    start_yes_micro INTEGER,
    start_no_micro INTEGER,
    start_value_nano REAL
  ) WITHOUT ROWID;
  CREATE TABLE memories (key TEXT PRIMARY KEY, memory TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
  `,
  `
  ALTER TABLE orders ADD COLUMN expires_at_ms INTEGER;
  UPDATE orders SET state = 'sending' WHERE state = 'submitting';
  UPDATE orders SET state = 'unknown' WHERE state = 'uncertain';
  UPDATE orders SET state = 'resting' WHERE state = 'open';
  UPDATE orders SET state = 'matched' WHERE state = 'settling';
  `,
  `
  ALTER TABLE orders ADD COLUMN settings_version TEXT;
  CREATE TABLE settings (
    applied_at_ms INTEGER NOT NULL,
    version TEXT NOT NULL,
    effective TEXT NOT NULL,
    PRIMARY KEY (applied_at_ms, version)
  ) WITHOUT ROWID;
  `,
  `
  ALTER TABLE orders ADD COLUMN failed_micro INTEGER NOT NULL DEFAULT 0;
  `,
  `
  ALTER TABLE tokens ADD COLUMN is_doubted INTEGER NOT NULL DEFAULT 0;
  `,
  // Only ended orders are looked for by time. A live one, which is written between a decision and its
  // request, then touches the table alone.
  `
  DROP INDEX orders_by_end;
  CREATE INDEX orders_by_end ON orders (state_since_ms) WHERE has_ended = 1;
  `,
  `
  ALTER TABLE flows ADD COLUMN is_unproven INTEGER NOT NULL DEFAULT 0;
  `,
  `
  ALTER TABLE tokens ADD COLUMN shown_at_ms INTEGER;
  `,
  // Earlier versions took numbers over and did not say when: as late as now, for all that is known.
  `
  UPDATE tokens SET shown_at_ms = CAST(strftime('%s', 'now') AS INTEGER) * 1000
  WHERE shown_at_ms IS NULL;
  `,
  // The newest fills are read at each start, and the oldest looked for once a minute, among a year of them.
  `
  CREATE INDEX fills_by_time ON fills (at_ms);
  `,
  `
  ALTER TABLE orders ADD COLUMN refusal_code TEXT;
  `,
  `
  ALTER TABLE flows ADD COLUMN adopted_yes_micro INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE flows ADD COLUMN adopted_no_micro INTEGER NOT NULL DEFAULT 0;
  `,
  `
  ALTER TABLE orders ADD COLUMN is_take INTEGER NOT NULL DEFAULT 0;
  `,
  // Earlier versions kept no order as unproven: of those that ended in a run of theirs nobody knows any more.
  `
  ALTER TABLE orders ADD COLUMN is_unproven INTEGER NOT NULL DEFAULT 0;
  CREATE INDEX orders_unproven ON orders (state_since_ms) WHERE is_unproven = 1;
  `,
  // A position is an interval: what may have traded without a report is an item of its token.
  `
  ALTER TABLE tokens ADD COLUMN uncertain TEXT NOT NULL DEFAULT '[]';
  ALTER TABLE tokens ADD COLUMN unreported TEXT NOT NULL DEFAULT '[]';
  ALTER TABLE tokens ADD COLUMN shown TEXT NOT NULL DEFAULT '[]';
  UPDATE tokens SET uncertain = coalesce((
    SELECT json_group_array(json_object(
      'cause', 'previous_run',
      'intentId', intent_id,
      'side', side,
      'quantity', quantity_micro - executed_micro,
      'cashNano', (CASE side WHEN 'BUY' THEN -1 ELSE 1 END)
        * price_ticks * (1000 / ticks_per_unit) * (quantity_micro - executed_micro),
      'sinceMs', state_since_ms))
    FROM orders
    WHERE is_unproven = 1 AND executed_micro < quantity_micro AND orders.token_id = tokens.token_id
  ), '[]');
  ALTER TABLE tokens DROP COLUMN is_doubted;
  ALTER TABLE tokens DROP COLUMN shown_at_ms;
  DROP INDEX orders_unproven;
  ALTER TABLE orders DROP COLUMN is_unproven;
  ALTER TABLE flows DROP COLUMN is_unproven;
  ALTER TABLE flows DROP COLUMN adopted_yes_micro;
  ALTER TABLE flows DROP COLUMN adopted_no_micro;
  ALTER TABLE fills ADD COLUMN is_inferred INTEGER NOT NULL DEFAULT 0;
  DELETE FROM facts WHERE name = 'cash_unexplained';
  `,
  // A start knows what a lagging index may show; of earlier runs nothing of it was kept.
  `
  ALTER TABLE tokens ADD COLUMN past TEXT NOT NULL DEFAULT '[]';
  `,
  // What operators did, each a link of a chain of its own.
  `
  CREATE TABLE actions (
    number INTEGER PRIMARY KEY,
    at_ms INTEGER NOT NULL,
    by TEXT NOT NULL,
    action TEXT NOT NULL,
    target TEXT NOT NULL,
    result TEXT NOT NULL,
    detail TEXT NOT NULL,
    link TEXT NOT NULL
  ) WITHOUT ROWID;
  `,
  // Columns and states by the words of the glossary.
  `
  ALTER TABLE orders RENAME COLUMN is_orphan TO is_external;
  UPDATE orders SET state = 'cancelUnresolved' WHERE state = 'cancelUnproven';
  UPDATE facts SET value = replace(value, '"state":"proven"', '"state":"confirmed"') WHERE name = 'sets';
  `,
  // Settlements that no frame reported, only the history, say nothing of the order in which frames came.
  `
  ALTER TABLE settlements ADD COLUMN is_recovered INTEGER NOT NULL DEFAULT 0;
  `,
];
