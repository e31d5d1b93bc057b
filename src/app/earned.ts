// What the daemon's account on an embedded exchange earned, as the exchange counts it.

import type { Figures, MarketResult } from '../backtest/result.ts';
import { Watch } from '../backtest/watch.ts';
import type { PaperVenue } from '../paper/server.ts';
import { MAKER } from './embedded-venue.ts';

export type Earned = { readonly total: Figures; readonly markets: readonly MarketResult[] };

/** Begins to count. */
export function watchOf({ exchange }: PaperVenue): Watch {
  const { clock, timers } = exchange.context;
  const time = {
    nowMs: () => clock.nowMs(),
    after: (delayMs: number, task: () => void) => timers.after(delayMs, task),
  };
  const account = exchange.accounts.named(MAKER);
  // No chart is made of it, and it may go on for weeks.
  const watch = new Watch({ exchange, account, time, pointsMax: 0 });
  watch.start();
  return watch;
}

/** At the outcome where the exchange knows it, else at the middle: what its crowd guesses is not shown. */
export function earnedBy(watch: Watch, { exchange }: PaperVenue): Earned {
  watch.end();
  const markets = watch.results(
    (id) => {
      const { title } = exchange.catalogue.market(id).market;
      return { title, strategy: '', fair: undefined, uptimeRatio: undefined };
    },
    (id) => {
      const { winner } = exchange.catalogue.market(id);
      return winner === undefined ? undefined : { mark: 'settlement', value: winner };
    },
  );
  return { total: watch.total(markets), markets };
}
