// What must hold of every strategy, whatever its model: each strategy's own test calls
// `itKeepsTheRules` with the strategy and the parameters that it may be given.

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { complement, type TickGrid, tickGrid, ticks } from '../../src/domain/ticks.ts';
import { unixMs } from '../../src/domain/time.ts';
import { meetsMinNotional } from '../../src/domain/usdc.ts';
import {
  type Json,
  type MarketStrategy,
  memoryFault,
  type OwnQuote,
  QUOTES_MAX,
  type Quote,
  type QuoteContext,
  type TargetQuotes,
} from '../../src/strategy/index.ts';
import { quoteContext, type Scene } from './strategy-context.ts';
import {
  anyScene,
  mirroredTargets,
  plainTargets,
  relabelled,
  twoSidedScene,
} from './strategy-scenes.ts';

export type Rules<Params> = {
  readonly strategy: MarketStrategy<Params>;
  /** Parameters to try; each must be inside the bounds of the schema. */
  readonly params: fc.Arbitrary<Params>;
  /** Further scenes beside the usual ones, for example with an external price. */
  readonly scenes?: fc.Arbitrary<Scene>;
  /** Parameters seen from NO, for a strategy whose parameters name a side. */
  readonly relabelParams?: (params: Params) => Params;
  /** False where the model looks at one token by design; the reason belongs beside the call. */
  readonly mirrors?: boolean;
  /** True for a strategy that brings its sizes up to 1.00 USDC by itself. */
  readonly meetsMinNotional?: boolean;
  /** Calls after which a quiet market must give the same target quotes again. */
  readonly settlesAfter?: number;
  readonly runs?: number;
};

/** Declares the tests; call it inside a `describe`. */
export function itKeepsTheRules<Params>(rules: Rules<Params>): void {
  itWantsOnlyWhatMayRest(rules);
  itSaysTheSameTwice(rules);
  itLeansAgainstInventory(rules);
  itStandsStillInAQuietMarket(rules);
  if (rules.mirrors !== false) itMirrorsWithTheOutcomes(rules);
}

function itWantsOnlyWhatMayRest<Params>(rules: Rules<Params>): void {
  it('target quotes only prices on the grid that cross neither the book nor its own quotes', () => {
    check(rules, anySceneOf(rules), (scene, params) => {
      const { targetQuotes, context } = ask(rules, scene, params);
      expect(faultsOf(context, targetQuotes, rules.meetsMinNotional ?? false)).toEqual([]);
    });
  });
}

function itSaysTheSameTwice<Params>(rules: Rules<Params>): void {
  it('answers the same context with the same bytes', () => {
    check(rules, anySceneOf(rules), (scene, params) => {
      const once = JSON.stringify(ask(rules, scene, params).targetQuotes);
      expect(JSON.stringify(ask(rules, scene, params).targetQuotes)).toBe(once);
    });
  });
}

function itMirrorsWithTheOutcomes<Params>(rules: Rules<Params>): void {
  const relabel = rules.relabelParams ?? ((params: Params) => params);
  it('gives mirrored quotes when YES and NO change names', () => {
    check(rules, anySceneOf(rules), (scene, params) => {
      const there = ask(rules, relabelled(scene), relabel(params)).targetQuotes;
      expect(mirroredTargets(scene, there)).toEqual(
        plainTargets(ask(rules, scene, params).targetQuotes),
      );
    });
  });
}

function itLeansAgainstInventory<Params>(rules: Rules<Params>): void {
  it('never raises its best bid or its best ask because it holds more', () => {
    const more = fc.integer({ min: 1, max: 200 });
    fc.assert(
      fc.property(twoSidedScene, rules.params, more, (scene, params, extra) => {
        const richer = { ...scene, yesShares: (scene.yesShares ?? 0) + extra };
        const before = bests(ask(rules, scene, params).targetQuotes);
        const after = bests(ask(rules, richer, params).targetQuotes);
        expect(after.bid).toBeLessThanOrEqual(before.bid);
        expect(after.ask).toBeLessThanOrEqual(before.ask);
      }),
      { numRuns: rules.runs ?? 100 },
    );
  });
}

function itStandsStillInAQuietMarket<Params>(rules: Rules<Params>): void {
  it('target quotes the same over and over while nothing trades and nothing moves', () => {
    check(rules, twoSidedScene, (scene, params) => {
      const settlesAfter = rules.settlesAfter ?? 1;
      const calm = { ...scene, varPerSec: 0 };
      const targets = quietRun(rules, calm, { params, steps: settlesAfter + 20 });
      const [first, ...rest] = targets.slice(settlesAfter).map(plainTargets);
      for (const targetQuotes of rest) expect(targetQuotes).toEqual(first);
    });
  });
}

/** A second passes between calls, the memory is handed on, and what is wanted rests. */
function quietRun<Params>(
  rules: Rules<Params>,
  scene: Scene,
  run: { readonly params: Params; readonly steps: number },
): readonly TargetQuotes[] {
  const targets: TargetQuotes[] = [];
  let memory: Json | undefined;
  let ownQuotes: readonly OwnQuote[] = [];
  const start = scene.nowMs ?? 1_700_000_000_000;
  for (let step = 0; step < run.steps; step += 1) {
    const nowMs = start + step * 1_000;
    const at = { ...scene, nowMs, ownQuotes, ...(memory === undefined ? {} : { memory }) };
    const { targetQuotes } = ask(rules, at, run.params);
    targets.push(targetQuotes);
    memory = targetQuotes.memory ?? memory;
    ownQuotes = targetQuotes.quotes.map((quote) => resting(quote, nowMs));
  }
  return targets;
}

function resting({ side, price, quantity }: Quote, nowMs: number): OwnQuote {
  return { side, price, remaining: quantity, restingSinceMs: unixMs(nowMs), queue: undefined };
}

/** What is wrong with a target quote, in words; empty when nothing is. */
export function faultsOf(
  context: QuoteContext<unknown>,
  targetQuotes: TargetQuotes,
  needsMinNotional = false,
): readonly string[] {
  const { grid, book } = context;
  const found = targetQuotes.quotes.flatMap((quote) => quoteFaults(grid, quote, book));
  const { bid, ask: best } = bests(targetQuotes);
  if (bid >= best) found.push(`own bid ${bid} meets own ask ${best}`);
  if (needsMinNotional) found.push(...notionalFaults(grid, targetQuotes));
  for (const side of ['bid', 'ask'] as const) {
    const own = targetQuotes.quotes.filter((quote) => quote.side === side);
    if (own.length > QUOTES_MAX) found.push(`${own.length} quotes on one side`);
    if (new Set(own.map((quote) => quote.price)).size < own.length) found.push('a price twice');
    const isExplained = targetQuotes.reasons.some(
      (one) => one.side === side || one.side === 'both',
    );
    if (own.length === 0 && !isExplained) found.push(`${side} empty without a reason`);
  }
  for (const reason of targetQuotes.reasons) {
    if (!/^[a-z][a-z0-9_]*$/.test(reason.code)) found.push(`the code ${reason.code}`);
    if (reason.detail === '' || reason.clears === '') found.push(`${reason.code} says nothing`);
  }
  const memory = targetQuotes.memory === undefined ? undefined : memoryFault(targetQuotes.memory);
  return memory === undefined ? found : [...found, memory];
}

function quoteFaults(
  grid: TickGrid,
  quote: Quote,
  book: QuoteContext<unknown>['book'],
): readonly string[] {
  const { side, price, quantity, worst } = quote;
  const found: string[] = [];
  const isPrice = Number.isSafeInteger(price) && price >= 1 && price < grid.ticksPerUnit;
  if (!isPrice) found.push(`${side} at ${price} is no price`);
  if (!Number.isSafeInteger(quantity) || quantity <= 0) found.push(`${quantity} is no quantity`);
  const opposite = side === 'bid' ? book.bestAsk() : book.bestBid();
  const meets = (at: number) =>
    opposite !== undefined && (side === 'bid' ? at >= opposite : at <= opposite);
  if (meets(price)) found.push(`${side} ${price} crosses the book at ${opposite}`);
  if (worst !== undefined && meets(worst))
    found.push(`${side} may stay at ${worst}, which crosses`);
  return found;
}

/** One of the two legs that may carry a quote must reach the venue's least value. */
function notionalFaults(grid: TickGrid, targetQuotes: TargetQuotes): readonly string[] {
  return targetQuotes.quotes
    .filter(({ price, quantity }) => {
      const at = ticks(grid, price);
      const isEnough = meetsMinNotional(grid, at, quantity);
      return !isEnough && !meetsMinNotional(grid, complement(grid, at), quantity);
    })
    .map(({ side, price, quantity }) => `${side} of ${quantity} at ${price} is below 1.00 USDC`);
}

function bests(targetQuotes: TargetQuotes): { readonly bid: number; readonly ask: number } {
  const prices = (side: Quote['side']) =>
    targetQuotes.quotes.filter((quote) => quote.side === side).map((quote) => quote.price);
  return {
    bid: Math.max(Number.NEGATIVE_INFINITY, ...prices('bid')),
    ask: Math.min(Number.POSITIVE_INFINITY, ...prices('ask')),
  };
}

function anySceneOf<Params>(rules: Rules<Params>): fc.Arbitrary<Scene> {
  return rules.scenes === undefined ? anyScene : fc.oneof(anyScene, rules.scenes);
}

function check<Params>(
  rules: Rules<Params>,
  scenes: fc.Arbitrary<Scene>,
  property: (scene: Scene, params: Params) => void,
): void {
  fc.assert(fc.property(scenes, rules.params, property), { numRuns: rules.runs ?? 100 });
}

function ask<Params>(
  rules: Rules<Params>,
  scene: Scene,
  params: Params,
): { readonly targetQuotes: TargetQuotes; readonly context: QuoteContext<Params> } {
  const context = quoteContext(
    { ...scene, tickSize: tickGrid(scene.tickSize ?? '0.01').tickSize },
    params,
  );
  return { targetQuotes: rules.strategy.quote(context), context };
}
