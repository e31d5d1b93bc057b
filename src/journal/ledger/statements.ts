// One record as the row that keeps it. Each states how something stands, so that a record
// written again after a failure whose outcome was not known changes nothing.

import type { LedgerRecord } from '../../domain/record.ts';
import { redacted } from '../../domain/redact.ts';
import {
  actionCells,
  type Cell,
  fillCells,
  flowsCells,
  orderCells,
  settlementCells,
  tokenCells,
} from './rows.ts';
import type { TableName, Write } from './tables.ts';

export function writeOf(record: LedgerRecord): Write {
  switch (record.kind) {
    case 'order':
      return { kind: 'replace', table: 'orders', cells: orderCells(record.order) };
    case 'fill':
      // The running total names the fill: told once more, it is the same row.
      return once('fills', fillCells(record.fill), record.fill.atMs);
    case 'settlement':
      return once('settlements', settlementCells(record.settlement), record.settlement.atMs);
    case 'token':
      return { kind: 'replace', table: 'tokens', cells: tokenCells(record.token) };
    case 'flows':
      return { kind: 'replace', table: 'flows', cells: flowsCells(record.flows) };
    case 'settings': {
      const { version, appliedAtMs, settings } = record.applied;
      const cells = [appliedAtMs, version, JSON.stringify(settings)];
      return { kind: 'replace', table: 'settings', cells };
    }
    case 'action':
      return { kind: 'once', table: 'actions', cells: actionCells(record.action) };
    case 'memory':
      return {
        kind: 'replace',
        table: 'memories',
        cells: [record.key, JSON.stringify(record.memory)],
      };
    case 'forgotten':
      return { kind: 'remove', table: 'memories', cells: [record.key] };
    case 'cash':
      return factOf('cash_nano', String(record.cashNano));
    case 'cashAdopted':
      return factOf('cash_adopted_nano', String(record.adoptedNano));
    case 'cashSteady':
      return factOf('cash_steady', JSON.stringify(record.steady));
    case 'sets':
      return factOf('sets', JSON.stringify(record.requests.map(shown)));
    case 'halt':
      return optionalFact('halt', record.halt && shown(record.halt));
    case 'pause':
      return optionalFact('pause', record.pause);
    case 'marketStops':
      return factOf('marketStops', JSON.stringify(record.stops));
    case 'latches':
      return factOf('latches', JSON.stringify(record.latches.map(shown)));
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

/** The words of a venue may repeat a secret. Names of markets and orders stay as they are. */
function shown<Told extends { readonly detail: string }>(told: Told): Told {
  return { ...told, detail: redacted(told.detail) };
}

function optionalFact(name: string, value: unknown): Write {
  return value === undefined ? noFact(name) : factOf(name, JSON.stringify(value));
}

export function noFact(name: string): Write {
  return { kind: 'remove', table: 'facts', cells: [name] };
}

export function factOf(name: string, value: string): Write {
  return { kind: 'replace', table: 'facts', cells: [name, value] };
}

function once(table: TableName, cells: readonly Cell[], atMs: number): Write {
  return { kind: 'once', table, cells, atMs };
}
