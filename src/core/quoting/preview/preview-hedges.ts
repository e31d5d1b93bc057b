// Outcomes of an event make up for one another as long as settings say that just one of them comes true.
// Under settings that say so no more, or that leave one of them out, what rests may be beyond a limit.

import type { CoreSettings, MarketChoice } from '../../../domain/input.ts';
import type { Foreseen } from '../../risk/beyond-limits.ts';
import type { RiskMarket } from '../../risk/market.ts';
import { RiskBook } from '../../risk/risk-book.ts';
import { risksOf } from '../../risk/sum-up.ts';
import type { QuotingStores } from '../stores.ts';

type ChoiceOf = (market: RiskMarket) => MarketChoice | undefined;

/** What markets would risk; `undefined` where all that makes up for something still would. */
export function lostHedges(
  stores: QuotingStores,
  next: CoreSettings,
  choiceOf: ChoiceOf,
): Foreseen | undefined {
  const markets = [...stores.markets.values()];
  const isJoined = (market: RiskMarket) => next.markets.some((choice) => joins(choice, market));
  const isStill = (market: RiskMarket) =>
    choiceOf(market)?.isExclusive === true && !isJoined(market);
  if (!markets.some((market) => market.choice.isExclusive === true && !isStill(market)))
    return undefined;
  const risk = new RiskBook(isStill);
  const { left } = stores.risk;
  risk.left.restore({ left: [...left.profits()], held: [...left.held()] }, () => false);
  risk.updateExposure(new Set(markets), (market) => risksOf(stores, market));
  const isQuoted = (market: RiskMarket) => choiceOf(market) !== undefined;
  for (const market of markets) if (!isQuoted(market)) risk.drop(market, stores.positions);
  return { risk, isQuoted };
}

/** Another market of its event is added, of which nobody says that just one comes true. */
function joins(choice: MarketChoice, { event, market }: RiskMarket): boolean {
  const isOfEvent = choice.event === event.slug || choice.event === event.id;
  if (!isOfEvent || choice.isExclusive === true) return false;
  const { market: id } = choice;
  return id === undefined || (id !== market.id && event.markets.some((each) => each.id === id));
}
