// What every part of the exchange works with: time, dice, rules, and where events go.

import type { Clock } from '../../domain/time.ts';
import type { Books } from './books.ts';
import type { ExchangeEvent } from './events.ts';
import type { HashSource } from './identity.ts';
import type { OpenOrders } from './open-orders.ts';
import type { Dice } from './random.ts';
import type { ExchangeRules, ExchangeTiming } from './rules.ts';
import type { TimerSet } from './timer-set.ts';

export type ExchangeContext = {
  readonly clock: Clock;
  readonly timers: TimerSet;
  readonly dice: Dice;
  readonly hashes: HashSource;
  readonly rules: ExchangeRules;
  readonly timing: ExchangeTiming;
  readonly books: Books;
  readonly open: OpenOrders;
  readonly emit: (event: ExchangeEvent) => void;
};
