// What filters had chosen, in the ledger: a run that follows keeps the markets that are quoted, and knows events that
// have closed with shares of ours in them.

import { z } from 'zod';
import { jsonOr } from '../domain/json.ts';
import type { Ledger } from '../journal/ledger/ledger.ts';
import type { Log } from '../telemetry/logs.ts';
import type { SelectedBefore, SelectionOptions } from './selection.ts';

const FACT = 'selected';
/** A thousand markets and 500 events that are kept take a tenth of it. */
const LENGTH_MAX = 2_000_000;

const selectedBefore = z.record(
  z.string(),
  z
    .array(
      z.object({
        id: z.string(),
        slug: z.string(),
        marketCount: z.int().nonnegative(),
        isKept: z.literal(true).exactOptional(),
      }),
    )
    .readonly(),
);

export type KeptSelection = Required<Pick<SelectionOptions, 'before' | 'onChange'>>;

type Kept = Pick<Ledger, 'fact' | 'setFact'>;

/** What the run before had chosen, and where each change is kept before it is told. */
export function keptSelection(
  ledger: Kept,
  log: Pick<Log, 'warn'>,
  onChange: () => void,
): KeptSelection {
  return {
    before: selectedIn(ledger, log),
    onChange: (chosen) => {
      keepSelected(ledger, chosen, log);
      onChange();
    },
  };
}

/** Nothing where it cannot be read: the listing is read at every start anyway. */
function selectedIn(ledger: Kept, log: Pick<Log, 'warn'>): SelectedBefore {
  try {
    return selectedBefore.parse(jsonOr(ledger.fact(FACT) ?? '{}', LENGTH_MAX));
  } catch (error) {
    log.warn('selection.forgotten', { detail: String(error).slice(0, 200) });
    return {};
  }
}

/** A disk that takes nothing is the business of the journal; quotes do not wait for this. */
function keepSelected(ledger: Kept, chosen: SelectedBefore, log: Pick<Log, 'warn'>): void {
  try {
    ledger.setFact(FACT, JSON.stringify(chosen));
  } catch (error) {
    log.warn('selection.unkept', { detail: String(error).slice(0, 200) });
  }
}
