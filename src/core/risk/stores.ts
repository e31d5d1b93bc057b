// What limits and controls remember.

import type { FairStores } from '../fair/stores.ts';
import type { Clock } from '../kernel/stores.ts';
import type { PositionStores } from '../positions/stores.ts';
import type { Controls, Lowered } from './controls.ts';
import type { RiskMarket } from './market.ts';
import type { CapitalBook, RiskBook } from './risk-book.ts';

export interface RiskStores<Market extends RiskMarket = RiskMarket>
  extends PositionStores<Market>,
    FairStores<Market> {
  readonly clock: Clock;
  readonly risk: RiskBook;
  readonly controls: Controls;
  readonly capital: CapitalBook;
  /** What rests may be beyond limits that were lowered. */
  lowered: Lowered | undefined;
}
