// What would rest in every market under given terms, were everything done that is wanted now: target quotes
// through guards and limits, orders that stay, orders that go.

import type { CoreSettings, MarketChoice } from '../../../domain/input.ts';
import type { HeldQuote } from '../../../domain/preview.ts';
import { formatShares } from '../../../domain/shares.ts';
import { formatPrice } from '../../../domain/ticks.ts';
import type { QuoteView } from '../../../domain/view.ts';
import type { AxisSide, TargetQuotes } from '../../../strategy/index.ts';
import type { MarketState } from '../../market.ts';
import { isQuoting, type OwnOrder, remaining } from '../../orders/own-order.ts';
import { routeQuote } from '../../orders/routing.ts';
import { RiskPass } from '../../risk/risk-pass.ts';
import type { Terms } from '../../risk/terms.ts';
import type { World } from '../../world.ts';
import { contextOf } from '../context.ts';
import { overlaid } from '../filters/stack.ts';
import { marketReason } from '../gate.ts';
import { type Plan, planMarket } from '../plan.ts';
import type { ReasonText } from '../reasons.ts';
import { judgeOf, leveled, nearest, restable, situationOf } from '../sift.ts';
import type { Missing } from '../target.ts';
import { eventTargets, marketTargets, type Seen } from '../targets.ts';
import { joinedLevels, type Level } from './preview-levels.ts';

export type Outlook = {
  readonly settings: CoreSettings | undefined;
  /** `undefined` for a market that is not quoted under these terms. */
  readonly termsOf: (market: MarketState) => Terms | undefined;
  readonly movesAtOnce: (choice: MarketChoice) => boolean;
  /** Why nothing at all may be quoted. */
  readonly blocked: ReasonText | undefined;
};

export type Foreseen = {
  readonly terms: Terms | undefined;
  readonly blocked: ReasonText | undefined;
  readonly failure: string | undefined;
  readonly cancels: readonly OwnOrder[];
  readonly placed: readonly Level[];
  readonly held: readonly (HeldQuote & { readonly side: AxisSide })[];
  readonly levels: Readonly<Record<AxisSide, readonly QuoteView[]>>;
};

type Look = Seen & { readonly terms: Terms };
type Planned = {
  readonly market: MarketState;
  readonly terms: Terms | undefined;
  readonly blocked: ReasonText | undefined;
  readonly failure: string | undefined;
  readonly plan: Plan;
};

const NO_TARGETS: TargetQuotes = Object.freeze({ quotes: [], reasons: [] });
const NOT_CONFIGURED: ReasonText = {
  code: 'not_configured',
  detail: 'the market is not in the configuration',
  clears: 'put it under `markets`',
};

/** Every market of the world; nothing is changed by it. */
export function foresee(world: World, outlook: Outlook): ReadonlyMap<MarketState, Foreseen> {
  const planned = groupsOf(world, outlook).flatMap((group) => plannedGroup(world, group, outlook));
  const gone = new Set(planned.flatMap(({ plan }) => plan.cancels));
  const { settings } = outlook;
  const risk =
    settings === undefined
      ? undefined
      : new RiskPass(world, {
          settings,
          gone,
          capitalShare: (market) => outlook.termsOf(market)?.capitalShare ?? 1,
        });
  return new Map(planned.map((each) => [each.market, foreseen(world, each, { risk, settings })]));
}

/** Markets that one event strategy prices together make one group, every other market its own. */
function groupsOf(world: World, outlook: Outlook): readonly (readonly MarketState[])[] {
  const groups = new Map<unknown, MarketState[]>();
  for (const market of world.markets.values()) {
    const terms = outlook.termsOf(market);
    const key = terms?.strategy.scope === 'event' ? terms.choice : market;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [market]);
    else group.push(market);
  }
  return [...groups.values()];
}

function plannedGroup(
  world: World,
  group: readonly MarketState[],
  outlook: Outlook,
): readonly Planned[] {
  const looks: Look[] = [];
  for (const market of group) {
    const terms = outlook.termsOf(market);
    if (terms === undefined) continue;
    const context = contextOf(world, market, terms);
    const blocked = outlook.blocked ?? reasonOf(world, market);
    looks.push({ market, terms, context, blocked });
  }
  const answers = targetsOf(world, looks);
  const planned = looks.map((look) => plannedMarket(world, look, answers.get(look), outlook));
  const left = group.filter((market) => !looks.some((look) => look.market === market));
  return [...planned, ...left.map((market) => leaving(world, market))];
}

/** A market that is on its way out may be put back by other settings. */
function reasonOf(world: World, market: MarketState): ReasonText | undefined {
  const reason = marketReason(world, market);
  return reason?.code === 'not_configured' ? undefined : reason;
}

function leaving(world: World, market: MarketState): Planned {
  const orders = world.ledger.ofMarket(market.market.id);
  const plan = planMarket([], orders, { priceTicks: 0, size: 0 });
  return { market, terms: undefined, blocked: NOT_CONFIGURED, failure: undefined, plan };
}

type Answer = { readonly targetQuotes: TargetQuotes; readonly failure: string | undefined };

function targetsOf(world: World, looks: readonly Look[]): ReadonlyMap<Look, Answer> {
  const [first] = looks;
  if (first === undefined) return new Map();
  const { strategy, choice } = first.terms;
  try {
    if (strategy.scope === 'event') {
      const { byMarket } = eventTargets(world, looks, { strategy, choice });
      return new Map(looks.map((look) => [look, answered(look, byMarket)]));
    }
    const { market, context, blocked } = first;
    const targetQuotes =
      blocked === undefined ? marketTargets(market, { strategy, context }) : NO_TARGETS;
    return new Map([[first, { targetQuotes, failure: undefined }]]);
  } catch (cause) {
    const failure = cause instanceof Error ? cause.message : String(cause);
    return new Map(looks.map((look) => [look, { targetQuotes: NO_TARGETS, failure }]));
  }
}

function answered({ market, blocked }: Look, byMarket: ReadonlyMap<string, TargetQuotes>): Answer {
  const targetQuotes = blocked === undefined ? byMarket.get(market.market.id) : undefined;
  return { targetQuotes: targetQuotes ?? NO_TARGETS, failure: undefined };
}

function plannedMarket(
  world: World,
  look: Look,
  answer: Answer | undefined,
  outlook: Outlook,
): Planned {
  const { market, terms, blocked } = look;
  const orders = outlook.settings?.orders;
  const { targetQuotes, failure } = answer ?? { targetQuotes: NO_TARGETS, failure: undefined };
  const overlays = terms.choice.overlays;
  const guarded =
    overlays === undefined || blocked !== undefined
      ? targetQuotes.quotes
      : overlaid(
          targetQuotes.quotes,
          situationOf(market, look.context),
          overlays,
          market.desk.overlays,
        ).quotes;
  const { quotes } = leveled(world, look, { quotes: guarded, settings: outlook.settings });
  const levelsMax = world.ceiling.levelsMax(world.workQueue.planned.size, world.nowMs);
  const { targets } = restable(market, {
    quotes: nearest(quotes, levelsMax),
    reasons: targetQuotes.reasons,
  });
  const isAtOnce = outlook.movesAtOnce(terms.choice);
  const judge = isAtOnce ? undefined : judgeOf(world, orders?.requote, look);
  const plan = planMarket(targets, world.ledger.ofMarket(market.market.id), {
    priceTicks: isAtOnce ? 0 : (orders?.priceToleranceTicks ?? 0),
    size: isAtOnce ? 0 : (orders?.sizeTolerance ?? 0),
    ...(judge === undefined ? {} : { judge }),
  });
  return { market, terms, blocked, failure, plan };
}

function foreseen(
  world: World,
  { market, terms, blocked, failure, plan }: Planned,
  by: { readonly risk: RiskPass | undefined; readonly settings: CoreSettings | undefined },
): Foreseen {
  const preferSell = terms?.choice.preferSell ?? by.settings?.orders.preferSell ?? true;
  const { placed, held } = admitted(market, plan.missing, { risk: by.risk, preferSell });
  const gone = new Set(plan.cancels);
  const stays = [...world.ledger.ofMarket(market.market.id)]
    .filter((order) => isQuoting(order) && !gone.has(order))
    .map((order) => ({
      side: order.axisSide,
      price: order.axisPrice,
      quantity: remaining(order),
    }));
  const all = [...stays, ...placed];
  const levels = { bid: joinedLevels(market, all, 'bid'), ask: joinedLevels(market, all, 'ask') };
  return { terms, blocked, failure, cancels: plan.cancels, placed, held, levels };
}

/** Target quotes that the limits let through, and those that they hold with the limit's name. */
function admitted(
  market: MarketState,
  missing: readonly Missing[],
  { risk, preferSell }: { readonly risk: RiskPass | undefined; readonly preferSell: boolean },
): Pick<Foreseen, 'placed' | 'held'> {
  const placed: Level[] = [];
  const held: (HeldQuote & { readonly side: AxisSide })[] = [];
  if (risk === undefined) return { placed, held };
  for (const targetQuotes of missing) {
    const { side, price, quantity } = targetQuotes;
    const hold = (limit: string): void => {
      const view = { price: formatPrice(market.grid, price), quantity: formatShares(quantity) };
      held.push({ side, ...view, limit });
    };
    const routed = routeQuote(market.grid, { side, price, quantity }, risk.free(market), {
      preferSell,
      decimals: market.quantityDecimals,
    });
    if (routed.length === 0) hold('below_min_notional');
    for (const order of routed) {
      const broken = risk.admit(market, order, targetQuotes);
      if (broken === undefined) placed.push({ side, price, quantity: order.quantity });
      else hold(broken);
    }
  }
  return { placed, held };
}
