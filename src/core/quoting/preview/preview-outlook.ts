// What would rest in every market under given terms, were everything done that is wanted now: target quotes
// through guards and limits, orders that stay, orders that go.

import type { CoreSettings, MarketChoice } from '../../../domain/input.ts';
import type { HeldQuote } from '../../../domain/preview.ts';
import { clampShares, formatShares, type MicroShares } from '../../../domain/shares.ts';
import { formatPrice, type Ticks } from '../../../domain/ticks.ts';
import type { QuoteView } from '../../../domain/view.ts';
import type { AxisSide } from '../../../strategy/index.ts';
import { isQuoting, type OwnOrder, remaining, routeQuote } from '../../orders/own-order.ts';
import type { OrderStores } from '../../orders/stores.ts';
import type { ForeseenRisk } from '../../risk/beyond-limits.ts';
import { risksOf } from '../../risk/divergence.ts';
import { sellsOwnShares, type Terms } from '../../risk/limits.ts';
import type { RiskMarket } from '../../risk/market.ts';
import { RiskBook } from '../../risk/risk-book.ts';
import { RiskPass } from '../../risk/risk-pass.ts';
import type { RiskStores } from '../../risk/stores.ts';
import { contextOf, type Look } from '../context.ts';
import type { Missing, QuotedMarket, ReasonText } from '../market.ts';
import { AT_ONCE, type Plan, planMarket } from '../plan.ts';
import { marketReason } from '../reasons.ts';
import { judgeOf, sifted, toleranceOf } from '../sift.ts';
import type { QuotingStores } from '../stores.ts';
import { type Answer, answersOf, NO_TARGETS } from '../targets.ts';

export type Outlook = {
  readonly settings: CoreSettings | undefined;
  /** `undefined` for a market that is not quoted under these terms. */
  readonly termsOf: (market: RiskMarket) => Terms | undefined;
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

type Planned = {
  readonly market: QuotedMarket;
  readonly terms: Terms | undefined;
  readonly blocked: ReasonText | undefined;
  readonly failure: string | undefined;
  readonly plan: Plan;
  /** What rests or is in flight, and would stay. */
  readonly stays: readonly Level[];
};

const NOT_CONFIGURED: ReasonText = {
  code: 'not_configured',
  detail: 'the market is not in the configuration',
  clears: 'put it under `markets`',
};

/**
 * Every market that is known, under each of these outlooks at the same moment; nothing is changed by it. It pauses
 * behind each market: a thousand of them, or slow strategies, take longer than quotes and a guard can wait.
 */
export function* foresee(
  stores: QuotingStores,
  outlooks: readonly Outlook[],
): Generator<undefined, readonly ReadonlyMap<QuotedMarket, Foreseen>[]> {
  const under = outlooks.map((outlook) => ({ outlook, groups: groupsOf(stores, outlook) }));
  const planned = outlooks.map((): Planned[] => []);
  const most = Math.max(...under.map(({ groups }) => groups.length));
  for (let at = 0; at < most; at += 1) {
    under.forEach(({ outlook, groups }, index) => {
      planned[index]?.push(...plannedGroup(stores, groups[at] ?? [], outlook));
    });
    yield;
  }
  const found: ReadonlyMap<QuotedMarket, Foreseen>[] = [];
  for (const [index, outlook] of outlooks.entries()) {
    found.push(allForeseen(stores, outlook, planned[index] ?? []));
    yield;
  }
  return found;
}

function allForeseen(
  stores: QuotingStores,
  outlook: Outlook,
  all: readonly Planned[],
): ReadonlyMap<QuotedMarket, Foreseen> {
  // It may have left meanwhile.
  const planned = all.filter(({ market }) => stores.markets.get(market.market.id) === market);
  const gone = new Set(planned.flatMap(({ plan }) => plan.cancels));
  const { settings } = outlook;
  const risk =
    settings === undefined
      ? undefined
      : new RiskPass(stores, {
          settings,
          gone,
          capitalShare: (market) => outlook.termsOf(market)?.capitalShare ?? 1,
        });
  return new Map(planned.map((each) => [each.market, foreseen(stores, each, { risk, settings })]));
}

/** Markets that one event strategy prices together make one group, every other market its own. */
function groupsOf(stores: QuotingStores, outlook: Outlook): readonly (readonly QuotedMarket[])[] {
  const groups = new Map<unknown, QuotedMarket[]>();
  for (const market of stores.markets.values()) {
    const terms = outlook.termsOf(market);
    const key = terms?.strategy.scope === 'event' ? terms.choice : market;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [market]);
    else group.push(market);
  }
  return [...groups.values()];
}

function plannedGroup(
  stores: QuotingStores,
  group: readonly QuotedMarket[],
  outlook: Outlook,
): readonly Planned[] {
  const looks: Look[] = [];
  for (const market of group) {
    const terms = outlook.termsOf(market);
    if (terms === undefined) continue;
    const context = contextOf(stores, market, terms);
    const blocked = outlook.blocked ?? reasonOf(stores, market);
    looks.push({ market, terms, context, blocked });
  }
  const answers = answersOf(stores, looks, { remembers: false });
  const planned = looks.map((look, index) => plannedMarket(stores, look, answers[index], outlook));
  const left = group.filter((market) => !looks.some((look) => look.market === market));
  return [...planned, ...left.map((market) => leaving(stores, market))];
}

/** A market that is on its way out may be put back by other settings. */
function reasonOf(stores: RiskStores, market: QuotedMarket): ReasonText | undefined {
  const reason = marketReason(stores, market);
  return reason?.code === 'not_configured' ? undefined : reason;
}

function leaving(stores: OrderStores, market: QuotedMarket): Planned {
  const orders = stores.ledger.ofMarket(market.market.id);
  const plan = planMarket([], orders, AT_ONCE);
  const stays = staysOf(orders, plan);
  return { market, terms: undefined, blocked: NOT_CONFIGURED, failure: undefined, plan, stays };
}

function staysOf(orders: Iterable<OwnOrder>, { cancels }: Plan): readonly Level[] {
  return levelsOf([...orders].filter((order) => isQuoting(order) && !cancels.includes(order)));
}

function plannedMarket(
  stores: QuotingStores,
  look: Look,
  answer: Answer | undefined,
  outlook: Outlook,
): Planned {
  const { market, terms, blocked } = look;
  const { targets } = sifted(stores, look, answer?.targetQuotes ?? NO_TARGETS);
  const own = stores.ledger.ofMarket(market.market.id);
  const isAtOnce = outlook.movesAtOnce(terms.choice);
  const tolerance = isAtOnce ? AT_ONCE : toleranceOf(terms, judgeOf(stores, look));
  const plan = planMarket(targets, own, tolerance);
  return { market, terms, blocked, failure: answer?.failure, plan, stays: staysOf(own, plan) };
}

function foreseen(
  stores: QuotingStores,
  { market, terms, blocked, failure, plan, stays }: Planned,
  by: { readonly risk: RiskPass | undefined; readonly settings: CoreSettings | undefined },
): Foreseen {
  const choice = terms?.choice ?? market.choice;
  const preferSell = sellsOwnShares(stores, market, { settings: by.settings, choice });
  const { placed, held } = admitted(market, plan.missing, { risk: by.risk, preferSell });
  const all = [...stays, ...placed];
  const levels = { bid: joinedLevels(market, all, 'bid'), ask: joinedLevels(market, all, 'ask') };
  return { terms, blocked, failure, cancels: plan.cancels, placed, held, levels };
}

/** Target quotes that the limits let through, and those that they hold with the limit's name. */
function admitted(
  market: QuotedMarket,
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
      const verdict = risk.admit(market, order, targetQuotes);
      if (typeof verdict === 'string') hold(verdict);
      else placed.push({ side, price, quantity: order.quantity });
    }
  }
  return { placed, held };
}

// Quotes of one side of a market, joined by price, best first.

type Level = {
  readonly side: AxisSide;
  readonly price: Ticks;
  readonly quantity: MicroShares;
};

/** What rests or is in flight. */
export function levelsNow(
  stores: OrderStores,
  market: QuotedMarket,
  side: AxisSide,
): readonly QuoteView[] {
  const orders = [...stores.ledger.ofMarket(market.market.id)].filter(isQuoting);
  return joinedLevels(market, levelsOf(orders), side);
}

function levelsOf(orders: readonly OwnOrder[]): readonly Level[] {
  return orders.map((order) => ({
    side: order.axisSide,
    price: order.axisPrice,
    quantity: remaining(order),
  }));
}

function joinedLevels(
  { grid }: QuotedMarket,
  levels: readonly Level[],
  side: AxisSide,
): readonly QuoteView[] {
  const byPrice = new Map<Ticks, number>();
  for (const level of levels) {
    if (level.side !== side) continue;
    byPrice.set(level.price, (byPrice.get(level.price) ?? 0) + level.quantity);
  }
  const inwardFirst = side === 'bid' ? -1 : 1;
  return [...byPrice]
    .sort(([a], [b]) => inwardFirst * (a - b))
    .map(([price, quantity]) => ({
      price: formatPrice(grid, price),
      quantity: formatShares(clampShares(quantity)),
    }));
}

// Outcomes of an event make up for one another as long as settings say that just one of them comes true.
// Under settings that say so no more, or that leave one of them out, what rests may be beyond a limit.

type ChoiceOf = (market: RiskMarket) => MarketChoice | undefined;

/** What markets would risk; `undefined` where all that makes up for something still would. */
export function lostHedges(
  stores: QuotingStores,
  next: CoreSettings,
  choiceOf: ChoiceOf,
): ForeseenRisk | undefined {
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
