// Markets of an earlier run, in the ledger: one that the venue lists no more, as after its end, keeps no later start from
// quoting the others. A name that no run ever had is a mistake, and ends the start.

import { z } from 'zod';
import type { MarketChoice } from '../domain/input.ts';
import { jsonOr } from '../domain/json.ts';
import type { Ledger } from '../journal/ledger/ledger.ts';
import { isNamed } from '../settings/selected.ts';
import type { Settings } from '../settings/settings.ts';
import type { Log } from '../telemetry/logs.ts';

const FACT = 'listed';
/** Names of thousands of markets. */
const LENGTH_MAX = 2_000_000;
const NAMES = z.array(z.string());

type Named = Pick<MarketChoice, 'event' | 'market'>;

export function listedBefore(ledger: Pick<Ledger, 'fact'>): (choice: Named) => boolean {
  const names = new Set(NAMES.safeParse(jsonOr(ledger.fact(FACT) ?? '', LENGTH_MAX)).data);
  return (choice) => names.has(nameOf(choice));
}

/** @throws {BotError} `journal.write` */
export function keepListed(ledger: Pick<Ledger, 'fact' | 'setFact'>, all: readonly Named[]): void {
  const text = JSON.stringify(all.map(nameOf));
  if (ledger.fact(FACT) !== text) ledger.setFact(FACT, text);
}

/** The same of what a run takes up while it goes on; a disk that does not take it keeps nobody from new settings. */
export function keepsTaken(
  ledger: Pick<Ledger, 'fact' | 'setFact'>,
  log: Pick<Log, 'warn'>,
): (settings: Pick<Settings, 'markets'>) => void {
  return ({ markets }) => {
    try {
      keepListed(ledger, markets.filter(isNamed));
    } catch (error) {
      log.warn('listed.unkept', { detail: String(error).slice(0, 200) });
    }
  };
}

function nameOf({ event, market }: Named): string {
  return JSON.stringify([event, market]);
}
