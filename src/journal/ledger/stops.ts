// What keeps quotes away over a restart, as the ledger keeps it: facts by name. Where no disk takes them,
// somebody else carries them to the next run in the very words that the ledger would have had.

import type { LedgerRecord } from '../../domain/record.ts';
import { readHalt } from './rows.ts';
import { readLatches, readMarketStops, readPause } from './rows-risk.ts';

/** By the names of their facts. */
export const STOP_NAMES = ['halt', 'pause', 'latches', 'marketStops'] as const;

export type StopRecord = Extract<LedgerRecord, { kind: (typeof STOP_NAMES)[number] }>;

/** Beside the facts of stops: the number of the last write that was tried with any of them. */
export const STOPS_NUMBER = 'stops_number';

/** By the name of its fact; `null` where it was lifted. */
export type StopFacts = Readonly<Record<string, string | null>>;

export function isStop(record: LedgerRecord): record is StopRecord {
  return STOP_NAMES.some((name) => name === record.kind);
}

export function stopFactsOf(records: readonly StopRecord[]): StopFacts {
  return Object.fromEntries(records.map((record) => [record.kind, textOf(record)]));
}

/** Whether it keeps quotes away, and does not say that something was lifted. */
export function isStanding(record: StopRecord): boolean {
  if (record.kind === 'latches') return record.latches.length > 0;
  if (record.kind === 'marketStops') return record.stops.length > 0;
  return (record.kind === 'halt' ? record.halt : record.pause) !== undefined;
}

/** @throws When a fact is not one that {@link stopFactsOf} writes. */
export function stopRecordsOf(facts: StopFacts): readonly StopRecord[] {
  return Object.entries(facts)
    .filter(([name]) => name !== STOPS_NUMBER)
    .map(([name, text]) => stopRecordOf(name, text ?? undefined));
}

/** `undefined` where none is told. */
export function stopsNumberOf(text: string | null | undefined): number | undefined {
  const number = Number(text ?? Number.NaN);
  return Number.isSafeInteger(number) ? number : undefined;
}

function stopRecordOf(name: string, text: string | undefined): StopRecord {
  switch (name) {
    case 'halt':
      return { kind: 'halt', halt: readHalt(text) };
    case 'pause':
      return { kind: 'pause', pause: readPause(text) };
    case 'latches':
      return { kind: 'latches', latches: readLatches(text ?? '[]') };
    case 'marketStops':
      return { kind: 'marketStops', stops: readMarketStops(text) };
    default:
      throw new Error(`${name} is no stop`);
  }
}

function textOf(record: StopRecord): string | null {
  if (record.kind === 'latches') return JSON.stringify(record.latches);
  if (record.kind === 'marketStops') return JSON.stringify(record.stops);
  const value = record.kind === 'halt' ? record.halt : record.pause;
  return value === undefined ? null : JSON.stringify(value);
}
