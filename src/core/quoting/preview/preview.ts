// What other settings would do now: each market is asked twice at this moment, under what is in force
// and under what is proposed, and the two answers are compared. Nothing of it is kept.

import { shortHash } from '../../../domain/hash.ts';
import type { CoreSettings, MarketChoice } from '../../../domain/input.ts';
import type { MarketPreview, QuotesPreview, SidePreview } from '../../../domain/preview.ts';
import type { AxisSide } from '../../../strategy/index.ts';
import type { OwnOrder } from '../../orders/own-order.ts';
import type { OrderStores } from '../../orders/stores.ts';
import { beyondLimits } from '../../risk/beyond-limits.ts';
import { areLowered } from '../../risk/controls.ts';
import { partOf, type Terms, termsOf, weightOf } from '../../risk/limits.ts';
import type { RiskMarket } from '../../risk/market.ts';
import type { RiskStores } from '../../risk/stores.ts';
import type { QuotedMarket, ReasonText } from '../market.ts';
import { reloaded } from '../params.ts';
import type { QuotingStores } from '../stores.ts';
import { type Foreseen, foresee, levelsNow, lostHedges, type Outlook } from './preview-outlook.ts';

/**
 * It pauses behind each market, for whatever else is to be done.
 * @param blocked - Why nothing at all may be quoted now, if so.
 */
export function* previewOf(
  stores: QuotingStores,
  next: CoreSettings,
  blocked: ReasonText | undefined,
): Generator<undefined, QuotesPreview> {
  const { settings, changes, movesAtOnce } = reloaded(stores.settings, next, stores.strategies);
  const outlook = { ...proposed(stores, settings, movesAtOnce), blocked };
  const both = yield* foresee(stores, [{ ...inForce(stores), blocked }, outlook]);
  const [now = NOTHING, then = NOTHING] = both;
  const markets = [...stores.markets.values()];
  const hedges = lostHedges(stores, settings, (market) => outlook.termsOf(market)?.choice);
  const isCut = hedges !== undefined || areLowered(stores.settings?.risk, settings.risk);
  const beyond = new Set(isCut ? beyondLimits(stores, settings, hedges).keys() : []);
  return {
    atMs: stores.nowMs,
    versionNow: stores.settingsVersion,
    versionAfter: shortHash(settings),
    params: changes,
    markets: markets.map((market) => marketPreview(stores, market, { now, then, beyond })),
    added: next.markets
      .filter((choice) => !markets.some((market) => isOf(choice, market)))
      .map(({ event, market }) => (market === undefined ? event : `${event} / ${market}`)),
  };
}

const NOTHING: ReadonlyMap<QuotedMarket, Foreseen> = new Map();

function inForce(stores: RiskStores): Omit<Outlook, 'blocked'> {
  return {
    settings: stores.settings,
    termsOf: (market) => (market.isLeaving ? undefined : termsOf(stores, market)),
    movesAtOnce: () => false,
  };
}

function proposed(
  stores: QuotingStores,
  settings: CoreSettings,
  movesAtOnce: ReadonlySet<MarketChoice>,
): Omit<Outlook, 'blocked'> {
  const terms = new Map<RiskMarket, Terms>();
  const chosen = [...stores.markets.values()].flatMap((market) => {
    const choice = settings.markets.findLast((each) => isOf(each, market));
    const strategy = choice === undefined ? undefined : stores.strategies.get(choice.strategy);
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

function isOf(choice: MarketChoice, { event, market }: QuotedMarket): boolean {
  const isEvent = choice.event === event.slug || choice.event === event.id;
  return isEvent && (choice.market === undefined || choice.market === market.id);
}

type Both = {
  readonly now: ReadonlyMap<QuotedMarket, Foreseen>;
  readonly then: ReadonlyMap<QuotedMarket, Foreseen>;
  /** Orders that rest beyond limits which are lowered. */
  readonly beyond: ReadonlySet<OwnOrder>;
};

function marketPreview(stores: OrderStores, market: QuotedMarket, both: Both): MarketPreview {
  const then = both.then.get(market);
  return {
    marketId: market.market.id,
    eventSlug: market.event.slug,
    title: market.market.title,
    strategyNow: market.strategy.name,
    strategyAfter: then?.terms?.strategy.name,
    blocked: then?.blocked?.code,
    failure: then?.failure,
    bid: sidePreview(stores, market, { ...both, side: 'bid' }),
    ask: sidePreview(stores, market, { ...both, side: 'ask' }),
  };
}

function sidePreview(
  stores: OrderStores,
  market: QuotedMarket,
  { now, then, beyond, side }: Both & { readonly side: AxisSide },
): SidePreview {
  const unchanged = now.get(market)?.levels[side] ?? [];
  const changed = then.get(market)?.levels[side] ?? [];
  const cut = [...beyond].filter(({ marketId }) => marketId === market.market.id);
  const cancels = new Set([...(then.get(market)?.cancels ?? []), ...cut]);
  const ofSide = (each: { readonly side: AxisSide }) => each.side === side;
  return {
    now: levelsNow(stores, market, side),
    unchanged,
    changed,
    held: (then.get(market)?.held ?? []).filter(ofSide).map(({ side: _, ...quote }) => quote),
    moves: JSON.stringify(unchanged) !== JSON.stringify(changed),
    cancels: [...cancels].filter((order) => order.axisSide === side).length,
    places: (then.get(market)?.placed ?? []).filter(ofSide).length,
  };
}
