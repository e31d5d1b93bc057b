// What other settings would do now: each market is asked twice at this moment, under what is in force
// and under what is proposed, and the two answers are compared. Nothing of it is kept.

import { shortHash } from '../../../domain/hash.ts';
import type { CoreSettings, MarketChoice } from '../../../domain/input.ts';
import type { MarketPreview, QuotesPreview, SidePreview } from '../../../domain/preview.ts';
import type { AxisSide } from '../../../strategy/index.ts';
import type { MarketState } from '../../market.ts';
import type { OwnOrder } from '../../orders/own-order.ts';
import { beyondLimits } from '../../risk/beyond-limits.ts';
import { areLowered } from '../../risk/lowered.ts';
import { partOf, type Terms, termsOf, weightOf } from '../../risk/terms.ts';
import type { World } from '../../world.ts';
import { changesOf, reloaded } from '../params.ts';
import type { ReasonText } from '../reasons.ts';
import { lostHedges } from './preview-hedges.ts';
import { levelsNow } from './preview-levels.ts';
import { type Foreseen, foresee, type Outlook } from './preview-outlook.ts';

/** @param blocked - Why nothing at all may be quoted now, if so. */
export function previewOf(
  world: World,
  next: CoreSettings,
  blocked: ReasonText | undefined,
): QuotesPreview {
  const { settings, movesAtOnce } = reloaded(world.settings, next, world.strategies);
  const markets = [...world.markets.values()];
  const now = foresee(world, { ...inForce(world), blocked });
  const outlook = { ...proposed(world, settings, movesAtOnce), blocked };
  const then = foresee(world, outlook);
  const hedges = lostHedges(world, settings, (market) => outlook.termsOf(market)?.choice);
  const isCut = hedges !== undefined || areLowered(world.settings?.risk, settings.risk);
  const beyond = new Set(isCut ? beyondLimits(world, settings, hedges).keys() : []);
  return {
    atMs: world.nowMs,
    versionNow: world.settingsVersion,
    versionAfter: shortHash(settings),
    params: changesOf(world.settings, next, world.strategies),
    markets: markets.map((market) => marketPreview(world, market, { now, then, beyond })),
    added: next.markets
      .filter((choice) => !markets.some((market) => isOf(choice, market)))
      .map(({ event, market }) => (market === undefined ? event : `${event} / ${market}`)),
  };
}

function inForce(world: World): Omit<Outlook, 'blocked'> {
  return {
    settings: world.settings,
    termsOf: (market) => (market.isLeaving ? undefined : termsOf(world, market)),
    movesAtOnce: () => false,
  };
}

function proposed(
  world: World,
  settings: CoreSettings,
  movesAtOnce: ReadonlySet<MarketChoice>,
): Omit<Outlook, 'blocked'> {
  const terms = new Map<MarketState, Terms>();
  const chosen = [...world.markets.values()].flatMap((market) => {
    const choice = settings.markets.findLast((each) => isOf(each, market));
    const strategy = choice === undefined ? undefined : world.strategies.get(choice.strategy);
    return choice === undefined || strategy === undefined ? [] : [{ market, choice, strategy }];
  });
  const sum = chosen.reduce((all, { choice }) => all + weightOf(choice), 0);
  const isWeighted = settings.capital?.policy === 'weighted';
  for (const { market, choice, strategy } of chosen) {
    const capitalShare = isWeighted ? partOf(choice, sum) : 1;
    terms.set(market, { settings, choice, strategy, capitalShare });
  }
  return {
    settings,
    termsOf: (market) => terms.get(market),
    movesAtOnce: (choice) => movesAtOnce.has(choice),
  };
}

function isOf(choice: MarketChoice, { event, market }: MarketState): boolean {
  const isEvent = choice.event === event.slug || choice.event === event.id;
  return isEvent && (choice.market === undefined || choice.market === market.id);
}

type Both = {
  readonly now: ReadonlyMap<MarketState, Foreseen>;
  readonly then: ReadonlyMap<MarketState, Foreseen>;
  /** Orders that rest beyond limits which are lowered. */
  readonly beyond: ReadonlySet<OwnOrder>;
};

function marketPreview(world: World, market: MarketState, both: Both): MarketPreview {
  const then = both.then.get(market);
  return {
    marketId: market.market.id,
    eventSlug: market.event.slug,
    title: market.market.title,
    strategyNow: market.strategy.name,
    strategyAfter: then?.terms?.strategy.name,
    blocked: then?.blocked?.code,
    failure: then?.failure,
    bid: sidePreview(world, market, { ...both, side: 'bid' }),
    ask: sidePreview(world, market, { ...both, side: 'ask' }),
  };
}

function sidePreview(
  world: World,
  market: MarketState,
  { now, then, beyond, side }: Both & { readonly side: AxisSide },
): SidePreview {
  const unchanged = now.get(market)?.levels[side] ?? [];
  const changed = then.get(market)?.levels[side] ?? [];
  const cut = [...beyond].filter(({ marketId }) => marketId === market.market.id);
  const cancels = new Set([...(then.get(market)?.cancels ?? []), ...cut]);
  const ofSide = (each: { readonly side: AxisSide }) => each.side === side;
  return {
    now: levelsNow(world, market, side),
    unchanged,
    changed,
    held: (then.get(market)?.held ?? []).filter(ofSide).map(({ side: _, ...quote }) => quote),
    moves: JSON.stringify(unchanged) !== JSON.stringify(changed),
    cancels: [...cancels].filter((order) => order.axisSide === side).length,
    places: (then.get(market)?.placed ?? []).filter(ofSide).length,
  };
}
