// Strategies as the core has them below a guard: marked when they are asked, and not asked while they are suspended.

import { describe, expect, it } from 'vitest';
import type { Marks } from '../../../src/app/strategy-marks.ts';
import { Suspensions, watchedStrategies } from '../../../src/app/watched-strategies.ts';
import { eventId, marketId } from '../../../src/domain/ids.ts';
import { unixMs } from '../../../src/domain/time.ts';
import type { Suspension } from '../../../src/guard/protocol.ts';
import type {
  EventContext,
  EventStrategy,
  EventTargets,
  MarketStrategy,
  QuoteContext,
  Strategy,
} from '../../../src/strategy/index.ts';

const BEGAN = unixMs(1_000_000);
const TARGETS = { quotes: [], reasons: [] };

/** Marks as a list of what was entered and left. */
class Said implements Marks {
  readonly all: string[] = [];
  readonly #names: string[] = [];

  place({ strategy, place }: { strategy: string; place: string }) {
    return { index: this.#names.push(`${strategy} ${place}`), isNew: true };
  }

  enter({ index }: { index: number }): void {
    this.all.push(`in ${this.#names[index - 1]}`);
  }

  leave(): void {
    this.all.push('out');
  }
}

function market(quote: MarketStrategy['quote'] = () => TARGETS): MarketStrategy {
  return { name: 'join', summary: '', params: {}, takes: true, quote } as MarketStrategy;
}

const asked = (place: string, afterMs = 0) =>
  ({ marketId: marketId(place), nowMs: BEGAN + afterMs }) as QuoteContext<unknown>;

function watched(strategy: Strategy, told: readonly Suspension[] = []) {
  const marks = new Said();
  const again: string[] = [];
  const suspensions = new Suspensions(told, BEGAN, ({ place }) => again.push(String(place)));
  const map = watchedStrategies(new Map([['./join.js', strategy]]), marks, suspensions);
  return { marks, again, suspensions, strategy: map.get('./join.js') };
}

function quoting(strategy: Strategy | undefined): MarketStrategy['quote'] {
  if (strategy === undefined || strategy.scope === 'event') throw new Error('of markets');
  return (context) => strategy.quote(context);
}

/** What nobody has caught of what `run` leaves behind. */
async function unreportedOf(run: () => void): Promise<readonly unknown[]> {
  const unreported: unknown[] = [];
  const onUnreported = (cause: unknown) => void unreported.push(cause);
  process.on('unhandledRejection', onUnreported);
  run();
  await new Promise((resolve) => setTimeout(resolve, 10));
  process.off('unhandledRejection', onUnreported);
  return unreported;
}

const SUSPENDED = { strategy: './join.js', place: 'm1', forMs: 60_000, times: 2, detail: 'exit 7' };

describe('a strategy below a guard', () => {
  it('is what it was, and is marked from its begin to its end, by the name it is configured with', () => {
    const { marks, strategy } = watched(market());
    expect(strategy).toMatchObject({ name: 'join', takes: true });
    expect(quoting(strategy)(asked('m1'))).toBe(TARGETS);
    expect(marks.all).toEqual(['in ./join.js m1', 'out']);
  });

  it('is left where it throws', () => {
    const { marks, strategy } = watched(
      market(() => {
        throw new Error('broken');
      }),
    );
    expect(() => quoting(strategy)(asked('m1'))).toThrow('broken');
    expect(marks.all).toEqual(['in ./join.js m1', 'out']);
  });

  const late = () => Promise.reject(new Error('too late'));
  it.each<[string, () => unknown]>([
    ['by a promise', late],
    ['by promises of quotes', () => ({ quotes: [1, 2].map(late), reasons: [] })],
    ['by promises of takes', () => ({ ...TARGETS, takes: [late()] })],
    ['by a promise of reasons', () => ({ quotes: [], reasons: late() })],
    ['by a price to come', () => ({ quotes: [{ side: 'bid', price: late() }], reasons: [] })],
    ['with a memory to come', () => ({ ...TARGETS, memory: { fair: { of: late() } } })],
  ])('ends nothing where it answers %s, and that fails', async (_, answer) => {
    const unreported = await unreportedOf(() => {
      const answered = answer();
      const { strategy } = watched(market(() => answered as never));
      expect(quoting(strategy)(asked('m1'))).toBe(answered);
    });
    expect(unreported).toEqual([]);
  });

  it('of an event ends nothing by the quotes of one market that come later, and fail', async () => {
    const markets = [{ marketId: 'm1', targetQuotes: { quotes: [1].map(late), reasons: [] } }];
    const answer = { markets } as unknown as EventTargets;
    const joint = { name: 'joint', summary: '', params: {}, scope: 'event' as const };
    const { strategy } = watched({ ...joint, quoteEvent: () => answer } as EventStrategy);
    if (strategy?.scope !== 'event') throw new Error('of an event');
    const context = { eventId: eventId('e1'), nowMs: BEGAN, markets: [] };
    const ask = () => strategy.quoteEvent(context as unknown as EventContext<unknown>);
    expect(await unreportedOf(ask)).toEqual([]);
  });

  it('is looked at as far as bounds go, whatever it answers with', () => {
    const round: Record<string, unknown> = { many: new Array(1_000_000).fill(0) };
    round['self'] = round;
    const { strategy } = watched(market(() => round as never));
    expect(quoting(strategy)(asked('m1'))).toBe(round);
  });

  it('is not asked where it is suspended, says why, and is asked again when that is over', () => {
    const { marks, again, strategy, suspensions } = watched(market(), [SUSPENDED]);
    const quote = quoting(strategy);
    const [reason] = quote(asked('m1', 59_999)).reasons;
    expect(reason).toMatchObject({ side: 'both', code: 'strategy_suspended' });
    expect(reason?.detail).toBe('the trader died 2 times in ./join.js: exit 7');
    expect(reason?.clears).toBe(`its next try at ${new Date(BEGAN + 60_000).toISOString()}`);
    expect(marks.all).toEqual([]);
    expect(suspensions.standing).toHaveLength(1);
    expect(quote(asked('m2')).reasons).toEqual([]);
    expect(again).toEqual([]);
    expect(quote(asked('m1', 60_000))).toBe(TARGETS);
    expect(again).toEqual(['m1']);
    expect(suspensions.standing).toEqual([]);
  });

  it('is asked for no market where it is suspended as a whole, and others are', () => {
    const whole = { ...SUSPENDED, place: undefined };
    const { marks, strategy } = watched(market(), [whole, { ...whole, strategy: 'other' }]);
    expect(quoting(strategy)(asked('m7')).reasons).toHaveLength(1);
    expect(marks.all).toEqual([]);
  });

  it('of an event is marked by the event, and suspended for each market of it', () => {
    const targetQuotes = { markets: [] };
    const joint = { name: 'joint', summary: '', params: {}, scope: 'event' as const };
    const context = {
      eventId: eventId('e1'),
      nowMs: BEGAN,
      markets: ['m1', 'm2'].map((each) => ({ context: asked(each) })),
    } as unknown as EventContext<unknown>;
    const ask = (told: readonly Suspension[]) => {
      const { marks, strategy } = watched(
        { ...joint, quoteEvent: () => targetQuotes } as EventStrategy,
        told,
      );
      if (strategy?.scope !== 'event') throw new Error('of an event');
      return { marks, answer: strategy.quoteEvent(context) };
    };
    expect(ask([]).answer).toBe(targetQuotes);
    expect(ask([]).marks.all).toEqual(['in ./join.js e1', 'out']);
    const { marks, answer } = ask([{ ...SUSPENDED, place: 'e1' }]);
    expect(marks.all).toEqual([]);
    expect(answer.markets.map((each) => [each.marketId, each.targetQuotes.reasons.length])).toEqual(
      [
        ['m1', 1],
        ['m2', 1],
      ],
    );
  });
});
