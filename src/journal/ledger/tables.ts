// The tables that a ledger keeps rows in, by what makes a row of them one.

import type { Cell } from './rows.ts';

/** The key of each table: its first columns. */
export const KEY_COLUMNS = {
  orders: ['intent_id'],
  fills: ['intent_id', 'executed_after_micro'],
  settlements: ['trade_id'],
  tokens: ['token_id'],
  flows: ['market_id'],
  memories: ['key'],
  facts: ['name'],
  settings: ['applied_at_ms', 'version'],
  actions: ['number'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

export type TableName = keyof typeof KEY_COLUMNS;

export const TABLES: readonly TableName[] = [
  'orders',
  'fills',
  'settlements',
  'tokens',
  'flows',
  'memories',
  'facts',
  'settings',
  'actions',
];

/**
 * One row, and what becomes of it. `replace`: it stands for the row of its key · `once`: a row that is there
 * stays · `remove`: the cells are its key.
 */
export type Write = {
  readonly kind: 'replace' | 'once' | 'remove';
  readonly table: TableName;
  readonly cells: readonly Cell[];
  /** Of a row that is kept by its day. */
  readonly atMs?: number;
};
