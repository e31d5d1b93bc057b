// Other parameters beside those in force: what they would have quoted on the books and trades that are really
// seen, and what it would have come to. Nothing of it reaches the core: a strategy answers as it did alone.

import { isDeepStrictEqual } from 'node:util';
import type { Input, MarketChoice } from '../domain/input.ts';
import type { UnixMs } from '../domain/time.ts';
import type { MarketView, ShadowView, StateView } from '../domain/view.ts';
import type { MarketStrategy, QuoteContext, Strategy } from '../strategy/index.ts';
import { atOnce } from './at-once.ts';
import { SimulatedQuotes } from './simulated-quotes.ts';
import type { StrategyMap } from './strategies.ts';

/** Both are asked at this pace at the most, which stands for their latency, too. */
const PACE_MS = 250;
/** Markets simulated; as many as the settings allow. */
const MARKETS_MAX = 1_000;
/** Of what a strategy throws. */
const FAULT_LENGTH_MAX = 200;

type Simulated = {
  readonly params: Readonly<Record<string, unknown>>;
  readonly sinceMs: UnixMs;
  lookedAtMs: number;
  readonly live: SimulatedQuotes;
  readonly shadow: SimulatedQuotes;
  fault?: string | undefined;
};

type Params = MarketChoice['shadow'];
type Context = QuoteContext<unknown>;

export class Shadows {
  #choices: readonly MarketChoice[] = [];
  /** Of markets that have been shown: a strategy is told no slug, by which the configuration names them. */
  readonly #wanted = new Map<string, Params>();
  readonly #simulated = new Map<string, Simulated>();

  /** What is configured, as the core is told it. */
  onInput(input: Input): void {
    if (input.kind !== 'settings') return;
    this.#choices = input.settings.markets.filter(
      ({ shadow }) => Object.keys(shadow ?? {}).length > 0,
    );
    this.#wanted.clear();
    if (this.#choices.length === 0) this.#simulated.clear();
  }

  /** The same strategies, each followed by its shadow where there is one. */
  beside(strategies: StrategyMap): StrategyMap {
    return new Map([...strategies].map(([name, strategy]) => [name, this.#beside(strategy)]));
  }

  /** With what the shadows came to; from then on the markets shown have theirs. */
  shown(view: StateView): StateView {
    if (this.#choices.length === 0) return view;
    const markets = view.markets.map((market) => {
      this.#want(market);
      const simulated = this.#simulated.get(market.marketId);
      return simulated === undefined ? market : { ...market, shadow: viewOf(simulated) };
    });
    return { ...view, markets };
  }

  #want({ marketId, eventId, eventSlug }: MarketView): void {
    const choice = this.#choices.findLast(
      ({ event, market }) =>
        (event === eventSlug || event === eventId) && (market === undefined || market === marketId),
    );
    this.#wanted.set(marketId, choice?.shadow);
    if (choice === undefined) this.#simulated.delete(marketId);
  }

  #beside(strategy: Strategy): Strategy {
    if (strategy.scope === 'event') return strategy;
    const asked = { ...strategy, quote: (of: Context) => atOnce(strategy.quote(of)) };
    const quote = (context: Context) => {
      const params = this.#wanted.get(context.marketId);
      // Before the answer that counts: whatever a strategy keeps from call to call, that one is its last.
      if (params !== undefined) this.#look(asked, context, params);
      return strategy.quote(context);
    };
    return { ...strategy, quote };
  }

  #look(strategy: MarketStrategy, context: Context, params: NonNullable<Params>): void {
    const simulated = this.#of(context, params);
    if (context.nowMs - simulated.lookedAtMs < PACE_MS) return;
    simulated.lookedAtMs = context.nowMs;
    try {
      simulated.live.look(strategy, context, {});
      simulated.shadow.look(strategy, context, params);
      simulated.fault = undefined;
    } catch (cause) {
      simulated.fault = String(cause instanceof Error ? cause.message : cause).slice(
        0,
        FAULT_LENGTH_MAX,
      );
    }
  }

  /** Anew where other parameters are to be tried: figures of two sets would say nothing. */
  #of({ marketId, nowMs }: Context, params: NonNullable<Params>): Simulated {
    const known = this.#simulated.get(marketId);
    if (known !== undefined && isDeepStrictEqual(known.params, params)) return known;
    const both = { live: new SimulatedQuotes(), shadow: new SimulatedQuotes() };
    const made: Simulated = {
      params,
      sinceMs: nowMs,
      lookedAtMs: Number.NEGATIVE_INFINITY,
      ...both,
    };
    this.#simulated.delete(marketId);
    this.#simulated.set(marketId, made);
    const oldest = this.#simulated.keys().next().value;
    if (this.#simulated.size > MARKETS_MAX && oldest !== undefined) this.#simulated.delete(oldest);
    return made;
  }
}

function viewOf({ params, sinceMs, live, shadow, fault }: Simulated): ShadowView {
  return {
    ...{ params, sinceMs, live: live.view(), shadow: shadow.view() },
    ...(fault === undefined ? {} : { fault }),
  };
}
