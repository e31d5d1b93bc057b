// Strategies as the core is given them below a guard: each call leaves a mark, and what a trader before has died in is
// not asked for a while.

import type { SuspendedStrategy } from '../domain/supervision.ts';
import { addMs, type UnixMs } from '../domain/time.ts';
import type { Suspension } from '../guard/protocol.ts';
import type {
  EventStrategy,
  EventTargets,
  MarketStrategy,
  QuoteReason,
  Strategy,
  TargetQuotes,
} from '../strategy/index.ts';
import { atOnce } from './at-once.ts';
import type { StrategyMap } from './strategies.ts';
import type { Marks, Place } from './strategy-marks.ts';

type Held = SuspendedStrategy & { readonly untilMs: UnixMs };

/** What the guard has suspended, until its time is over. */
export class Suspensions {
  #held: readonly Held[];
  readonly #onAgain: (suspended: SuspendedStrategy) => void;

  /** @param onAgain - Notified of each that is asked again from now on. */
  constructor(
    told: readonly Suspension[],
    nowMs: UnixMs,
    onAgain: (suspended: SuspendedStrategy) => void = () => {},
  ) {
    this.#held = told.map((suspension) => heldOf(suspension, nowMs));
    this.#onAgain = onAgain;
  }

  get standing(): readonly SuspendedStrategy[] {
    return this.#held.map(({ untilMs: _, ...suspended }) => suspended);
  }

  of(strategy: string, place: string, nowMs: UnixMs): SuspendedStrategy | undefined {
    if (this.#held.length === 0) return undefined;
    for (const over of this.#held.filter(({ untilMs }) => nowMs >= untilMs)) {
      this.#held = this.#held.filter((each) => each !== over);
      this.#onAgain(over);
    }
    return this.#held.find(
      (each) => each.strategy === strategy && (each.place === undefined || each.place === place),
    );
  }
}

/** The same strategies by the same names, marked and held. */
export function watchedStrategies(
  strategies: StrategyMap,
  marks: Marks,
  suspensions: Suspensions,
): StrategyMap {
  const watched = [...strategies].map(([name, strategy]) => {
    const of = { name, places: new Map<string, Place>(), marks, suspensions };
    return [name, watchedOne(strategy, of)] as const;
  });
  return new Map(watched);
}

type Watching = {
  readonly name: string;
  readonly places: Map<string, Place>;
  readonly marks: Marks;
  readonly suspensions: Suspensions;
};

function watchedOne(strategy: Strategy, of: Watching): Strategy {
  return strategy.scope === 'event' ? watchedEvent(strategy, of) : watchedMarket(strategy, of);
}

function watchedMarket(strategy: MarketStrategy, of: Watching): MarketStrategy {
  const { name, summary, params, takes } = strategy;
  const { marks, suspensions } = of;
  return {
    ...{ name, summary, params, scope: 'market', ...(takes === undefined ? {} : { takes }) },
    quote: (context) => {
      const held = suspensions.of(of.name, context.marketId, context.nowMs);
      if (held !== undefined) return noTargets(held);
      marks.enter(placeOf(of, context.marketId));
      try {
        return atOnce(strategy.quote(context));
      } finally {
        marks.leave();
      }
    },
  };
}

function watchedEvent(strategy: EventStrategy, of: Watching): EventStrategy {
  const { name, summary, params, takes } = strategy;
  const { marks, suspensions } = of;
  return {
    ...{ name, summary, params, scope: 'event', ...(takes === undefined ? {} : { takes }) },
    quoteEvent: (context) => {
      const held = suspensions.of(of.name, context.eventId, context.nowMs);
      if (held !== undefined) return noEventTargets(held, context.markets);
      marks.enter(placeOf(of, context.eventId));
      try {
        return atOnce(strategy.quoteEvent(context));
      } finally {
        marks.leave();
      }
    },
  };
}

function placeOf({ name, places, marks }: Watching, place: string): Place {
  const known = places.get(place);
  if (known !== undefined) return known;
  const made = marks.place({ strategy: name, place });
  places.set(place, made);
  return made;
}

function noTargets(held: SuspendedStrategy): TargetQuotes {
  return { quotes: [], reasons: [reasonOf(held)] };
}

function noEventTargets(
  held: SuspendedStrategy,
  markets: Parameters<EventStrategy['quoteEvent']>[0]['markets'],
): EventTargets {
  const targetQuotes = noTargets(held);
  return { markets: markets.map(({ context }) => ({ marketId: context.marketId, targetQuotes })) };
}

function reasonOf({ strategy, times, detail, until }: SuspendedStrategy): QuoteReason {
  return {
    side: 'both',
    code: 'strategy_suspended',
    detail: `the trader died ${times === 1 ? 'once' : `${times} times`} in ${strategy}: ${detail}`,
    clears: `its next try at ${until}`,
  };
}

function heldOf({ forMs, ...suspension }: Suspension, nowMs: UnixMs): Held {
  const untilMs = addMs(nowMs, forMs);
  return { ...suspension, untilMs, until: new Date(untilMs).toISOString() };
}
