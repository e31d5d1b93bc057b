// One record as the statement that keeps it. Each states how something stands, so that a record
// written again after a failure whose outcome was not known changes nothing.

import type { LedgerRecord } from '../../domain/record.ts';
import {
  type Cell,
  fillCells,
  flowsCells,
  orderCells,
  settlementCells,
  tokenCells,
} from './rows.ts';

export type Write = { readonly sql: string; readonly cells: readonly Cell[] };

const places = (count: number): string => Array.from({ length: count }, () => '?').join(',');

const SQL = {
  order: `INSERT OR REPLACE INTO orders VALUES (${places(21)})`,
  // The running total names the fill: told once more, it is the same row.
  fill: `INSERT OR IGNORE INTO fills VALUES (${places(11)})`,
  settlement: `INSERT OR IGNORE INTO settlements VALUES (${places(6)})`,
  token: `INSERT OR REPLACE INTO tokens VALUES (${places(7)})`,
  flows: `INSERT OR REPLACE INTO flows VALUES (${places(6)})`,
  settings: `INSERT OR REPLACE INTO settings VALUES (${places(3)})`,
  memory: `INSERT OR REPLACE INTO memories VALUES (${places(2)})`,
  fact: `INSERT OR REPLACE INTO facts VALUES (${places(2)})`,
  noFact: 'DELETE FROM facts WHERE name = ?',
} as const;

export function writeOf(record: LedgerRecord): Write {
  switch (record.kind) {
    case 'order':
      return { sql: SQL.order, cells: orderCells(record.order) };
    case 'fill':
      return { sql: SQL.fill, cells: fillCells(record.fill) };
    case 'settlement':
      return { sql: SQL.settlement, cells: settlementCells(record.settlement) };
    case 'token':
      return { sql: SQL.token, cells: tokenCells(record.token) };
    case 'flows':
      return { sql: SQL.flows, cells: flowsCells(record.flows) };
    case 'settings': {
      const { version, appliedAtMs, settings } = record.applied;
      return { sql: SQL.settings, cells: [appliedAtMs, version, JSON.stringify(settings)] };
    }
    case 'memory':
      return { sql: SQL.memory, cells: [record.key, JSON.stringify(record.memory)] };
    case 'cash':
      return factOf('cash_nano', String(record.cashNano));
    case 'sets':
      return factOf('sets', JSON.stringify(record.wishes));
    case 'halt':
      return optionalFact('halt', record.halt);
    case 'pause':
      return optionalFact('pause', record.pause);
    case 'latches':
      return factOf('latches', JSON.stringify(record.latches));
    case 'cleared':
      return factOf('cleared', JSON.stringify(record.cleared));
    case 'failures':
      return factOf('failures', JSON.stringify(record.failuresAtMs));
    case 'slowest':
      return factOf('slowest', JSON.stringify(record.slowest));
    case 'ahead':
      return factOf('ahead', JSON.stringify(record.ahead));
    case 'clock':
      return factOf('clock', JSON.stringify(record.clock));
    case 'locks':
      return factOf('locks', JSON.stringify(record.locks));
    case 'baselines':
      return factOf('baselines', JSON.stringify(record.baselines));
  }
}

function optionalFact(name: string, value: unknown): Write {
  return value === undefined
    ? { sql: SQL.noFact, cells: [name] }
    : factOf(name, JSON.stringify(value));
}

export function factOf(name: string, value: string): Write {
  return { sql: SQL.fact, cells: [name, value] };
}
