// Markets that the venue listed for an earlier run, in the ledger: one that it lists no more, as after its end, keeps
// no later start from quoting the others. A name that it never listed is a mistake, and ends the start.

import { z } from 'zod';
import type { MarketChoice } from '../domain/input.ts';
import { jsonOr } from '../domain/json.ts';
import type { Ledger } from '../journal/ledger/ledger.ts';

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

function nameOf({ event, market }: Named): string {
  return JSON.stringify([event, market]);
}
