// Every order of the account as the venue has it, and where it came from.

import type { IntentId, TokenId } from '../../../src/domain/ids.ts';
import type { LimitOrder } from '../../../src/domain/order.ts';
import type { StoredOrder } from '../../../src/domain/record.ts';
import { priceNumber } from '../../../src/domain/ticks.ts';
import type { Account } from '../../../src/paper/exchange/account.ts';
import type { ExchangeEvent } from '../../../src/paper/exchange/events.ts';
import type { ExchangeOrder } from '../../../src/paper/exchange/exchange-order.ts';
import type { ListedMarket } from '../../../src/paper/exchange/listed-market.ts';
import type { TradeLeg } from '../../../src/paper/exchange/trade.ts';
import type { Flight, PlaceCommand } from '../world/network.ts';
import { Fees } from './fees.ts';

/** `external`: somebody else on the account. `double`: the network delivered a request twice. */
export type Owner = 'intent' | 'external' | 'double';

export type OrderFact = {
  readonly order: ExchangeOrder;
  readonly owner: Owner;
  readonly intentId: IntentId | undefined;
  readonly process: number;
  /** Processes that follow each other with one memory are of one era. */
  readonly era: number;
  readonly sentAtMs: number;
  /** The how-manieth placement of the run decided on it. */
  readonly decision: number;
  /** Ticks of a whole unit where it was decided on, which may be those of before; of somebody else's nobody knows. */
  readonly ticksPerUnit: number | undefined;
  readonly acceptedAtMs: number;
  /** Shares that matched and have not failed. */
  executedMicro: number;
  /** When shares of it last matched. */
  matchedAtMs: number | undefined;
  /** When a failed settlement last put it back on the book, which nobody asked for. */
  backAtMs: number | undefined;
  /** That failure came later than anybody waits for a settlement. */
  isBackLate: boolean;
  /** When the venue said in prose that it refused it. */
  refusedAtMs: number | undefined;
};

/** By then what was sent has arrived or never will: half a minute, and what clocks may be wrong by. */
const ARRIVES_MS = 60_000;
/** News of a failed settlement may be lost, and lists are trusted after half a minute. */
const LEARNT_MS = 60_000;
/** Matches settle in 15 to 20 s, and are waited for three times as long. */
const SETTLES_MS = 60_000;

export type FactListener = {
  onAccepted(fact: OrderFact): void;
  onExecuted(fact: OrderFact, changeMicro: number): void;
  /** Shares came or went by a split, merge or redeem. */
  onSets(tokenId: TokenId, deltaMicro: number): void;
  /** The network delivered a split or merge twice: nobody asked for these shares. */
  onDoubledSets(market: ListedMarket, tokenId: TokenId, deltaMicro: number): void;
  /** The era of a process. */
  eraOf(process: number): number;
};

type Origins = Pick<
  OrderFact,
  'owner' | 'intentId' | 'process' | 'era' | 'sentAtMs' | 'decision' | 'ticksPerUnit'
>;
type Moved = Extract<ExchangeEvent, { kind: 'positionMoved' }>;
type Carried = { readonly flight: Flight; readonly used: Set<LimitOrder> };

/** What an order was sent as. */
type Asked = Pick<ExchangeOrder['terms'], 'price' | 'quantityMicro'>;

const CHAIN_ACTION = /\/positions\/(split|merge|redeem)$/;

/** Follows one account of the venue and nothing else. */
export class OrderFacts {
  readonly #account: Account;
  readonly #nowMs: () => number;
  readonly #listener: FactListener;
  readonly #sentAtMs = new Map<PlaceCommand, number>();
  readonly #decisions = new Map<PlaceCommand, number>();
  readonly #facts = new Map<string, OrderFact>();
  readonly #live = new Map<string, OrderFact>();
  /** Intents that rest twice since the network delivered them twice: nobody can say which of the two was meant. */
  readonly #takenForDouble = new Set<string>();
  readonly #doubled = new Set<IntentId>();
  /** Shares of each token in micro-shares, whoever ordered them; what matched and has not settled is in it. */
  readonly #positions = new Map<TokenId, number>();
  /** Cash of matched shares at the order's own price, by market, in nano-USDC. */
  readonly #cashNano = new Map<string, number>();
  readonly fees: Fees;
  #carried: Carried | undefined;
  #asked: Asked | undefined;

  constructor(account: Account, nowMs: () => number, listener: FactListener) {
    this.fees = new Fees((hash) => this.#facts.get(hash)?.owner === 'intent');
    this.#account = account;
    this.#nowMs = nowMs;
    this.#listener = listener;
  }

  /** Placements decided on so far. */
  get decided(): number {
    return this.#decisions.size;
  }

  onDecided(placing: PlaceCommand): void {
    if (!this.#decisions.has(placing)) this.#decisions.set(placing, this.decided + 1);
  }

  onSent(flight: Flight): void {
    const { placing } = flight.origin;
    if (placing && !this.#sentAtMs.has(placing)) this.#sentAtMs.set(placing, this.#nowMs());
  }

  during(flight: Flight, effect: () => void): void {
    this.#carried = { flight, used: new Set() };
    try {
      effect();
    } finally {
      this.#carried = undefined;
    }
  }

  /** Whether what the venue does now is what a placement of the daemon's asked for. */
  get isPlacing(): boolean {
    return this.#carried?.flight.origin.placing !== undefined;
  }

  /** The venue takes an order otherwise than it was sent: whose it is what was asked for tells. */
  takenOtherwise<Result>(asked: Asked, effect: () => Result): Result {
    this.#asked = asked;
    try {
      return effect();
    } finally {
      this.#asked = undefined;
    }
  }

  onEvent(event: ExchangeEvent): void {
    if (event.kind === 'orderUpdated' && event.order.terms.account === this.#account) {
      this.#onUpdated(event.order);
    }
    if (event.kind === 'tradeSettled' && event.leg.account === this.#account) {
      this.#onSettled(event.leg);
    }
    if (event.kind === 'tradeFailed' && event.leg.account === this.#account && event.leg.order) {
      this.#onUpdated(event.leg.order);
    }
    if (event.kind === 'positionMoved' && event.account === this.#account) this.#onMoved(event);
  }

  /** Orders that may still trade. */
  live(): Iterable<OrderFact> {
    return this.#live.values();
  }

  /** A failed settlement has put it back, and the daemon may not know that yet. */
  isJustBack({ backAtMs }: OrderFact): boolean {
    return backAtMs !== undefined && this.#nowMs() - backAtMs < LEARNT_MS;
  }

  /** The venue takes an order and says that it did not. */
  onRejectedWithoutCode(orderHash: string): void {
    const fact = this.#facts.get(orderHash);
    if (fact) fact.refusedAtMs = this.#nowMs();
  }

  /** The venue said that it had refused it, and lists have not had their say. */
  isJustRefused({ refusedAtMs }: OrderFact): boolean {
    return refusedAtMs !== undefined && this.#nowMs() - refusedAtMs < LEARNT_MS;
  }

  /** The daemon writes down by which order it knows a placement. */
  noteNamed({ intentId, orderHash }: Pick<StoredOrder, 'intentId' | 'orderHash'>): void {
    const named = orderHash === undefined ? undefined : this.#facts.get(orderHash);
    if (named?.owner === 'double') this.#takenForDouble.add(intentId);
  }

  /**
   * The daemon knows its placement by an order like it, which the network made by delivering a request
   * twice: nothing in the interface tells the two apart, and it knows nothing of its own.
   */
  isTakenForDouble({ intentId }: OrderFact): boolean {
    return intentId !== undefined && this.#takenForDouble.has(intentId);
  }

  /** Another order came of the same intent, by a request that the network delivered again. */
  isDoubled({ intentId }: OrderFact): boolean {
    return intentId !== undefined && this.#doubled.has(intentId);
  }

  /** The daemon had sent one just like it, which may have arrived then. */
  isLikeSent({ order, acceptedAtMs }: OrderFact): boolean {
    return [...this.#sentAtMs].some(([{ orders }, sentAtMs]) => {
      const agoMs = acceptedAtMs - sentAtMs;
      if (agoMs < 0 || agoMs > ARRIVES_MS) return false;
      return orders.some((each) => isSame(each, order, order.terms));
    });
  }

  find(hash: string): OrderFact | undefined {
    return this.#facts.get(hash);
  }

  /** The position of a token, what matched and has not settled included, whoever ordered it. */
  totalMicro(tokenId: TokenId): number {
    return this.#positions.get(tokenId) ?? 0;
  }

  /** Tokens that were ever traded. */
  tokens(): Iterable<TokenId> {
    return this.#positions.keys();
  }

  cashNano(marketId: string): number {
    return this.#cashNano.get(marketId) ?? 0;
  }

  /** Shares that came or went by a chain action; those of trades are followed by their orders. */
  #onMoved({ token, deltaMicro, averagePrice }: Moved): void {
    const flight = this.#carried?.flight;
    if (flight === undefined || !CHAIN_ACTION.test(flight.request.target)) return;
    const { market, index } = token;
    const { tokenId } = market.outcome(index);
    this.#positions.set(tokenId, this.totalMicro(tokenId) + deltaMicro);
    this.#listener.onSets(tokenId, deltaMicro);
    if (flight.isDouble) this.#listener.onDoubledSets(market, tokenId, deltaMicro);
    const { id } = market.market;
    this.#cashNano.set(id, this.cashNano(id) - deltaMicro * 1_000 * Number(averagePrice));
  }

  /** A match counts at the order's own price until the chain says what it cost. */
  #onSettled(leg: TradeLeg): void {
    const { order, market, costNano, side, quantityMicro } = leg;
    if (!order) return;
    this.fees.onSettled(leg);
    const { grid, price } = order.terms;
    const priceNano = price * (1e9 / grid.ticksPerUnit);
    const countedNano = (priceNano / 1e6) * quantityMicro;
    const { id } = market.market;
    const betterNano = countedNano - Number(costNano);
    const gainNano = side === 'BUY' ? betterNano : -betterNano;
    this.#cashNano.set(id, this.cashNano(id) + gainNano);
  }

  #onUpdated(order: ExchangeOrder): void {
    const { orderHash } = order.terms;
    const known = this.#facts.get(orderHash);
    const fact = known ?? this.#accepted(order);
    this.#follow(fact);
    if (order.restingMicro() > 0) this.#live.set(orderHash, fact);
    else this.#live.delete(orderHash);
    if (!known) this.#listener.onAccepted(fact);
  }

  #accepted(order: ExchangeOrder): OrderFact {
    const from = this.#originOf(order);
    const fact: OrderFact = {
      order,
      ...from,
      acceptedAtMs: this.#nowMs(),
      executedMicro: 0,
      matchedAtMs: undefined,
      backAtMs: undefined,
      isBackLate: false,
      refusedAtMs: undefined,
    };
    this.#facts.set(order.terms.orderHash, fact);
    if (from.owner === 'double' && from.intentId !== undefined) this.#doubled.add(from.intentId);
    return fact;
  }

  #originOf(order: ExchangeOrder): Origins {
    const carried = this.#carried;
    const placing = carried?.flight.origin.placing;
    if (!carried || !placing) {
      const sentAtMs = this.#nowMs();
      const nobodys = {
        intentId: undefined,
        ticksPerUnit: undefined,
        process: 0,
        era: 0,
        decision: 0,
      };
      return { owner: 'external', sentAtMs, ...nobodys };
    }
    const asked = this.#asked ?? order.terms;
    const wanted = placing.orders.find(
      (each) => !carried.used.has(each) && isSame(each, order, asked),
    );
    if (wanted) carried.used.add(wanted);
    return {
      owner: carried.flight.isDouble ? 'double' : 'intent',
      intentId: wanted?.intentId,
      process: carried.flight.origin.process,
      era: this.#listener.eraOf(carried.flight.origin.process),
      sentAtMs: this.#sentAtMs.get(placing) ?? this.#nowMs(),
      decision: this.#decisions.get(placing) ?? 0,
      ticksPerUnit: wanted?.ticksPerUnit ?? order.terms.grid.ticksPerUnit,
    };
  }

  #follow(fact: OrderFact): void {
    const { order } = fact;
    const executedMicro = order.filledMicro + order.holdMicro;
    const change = executedMicro - fact.executedMicro;
    if (change === 0) return;
    const nowMs = this.#nowMs();
    if (change < 0 && order.restingMicro() > 0) {
      fact.backAtMs = nowMs;
      fact.isBackLate = nowMs - (fact.matchedAtMs ?? nowMs) > SETTLES_MS;
    }
    if (change > 0) fact.matchedAtMs = nowMs;
    fact.executedMicro = executedMicro;
    const { outcome, market, grid, price } = order.terms;
    const { tokenId } = outcome;
    const sign = order.terms.side === 'BUY' ? 1 : -1;
    this.#positions.set(tokenId, this.totalMicro(tokenId) + sign * change);
    const cost = price * (1_000 / grid.ticksPerUnit) * change;
    const { id } = market.market;
    this.#cashNano.set(id, this.cashNano(id) - sign * cost);
    this.#listener.onExecuted(fact, change);
  }
}

function isSame(wanted: LimitOrder, order: ExchangeOrder, asked: Asked): boolean {
  const { outcome, side, grid } = order.terms;
  const { price, quantityMicro } = asked;
  // Decided on before a change of the tick size, it is the same price by another count.
  const { ticksPerUnit = grid.ticksPerUnit } = wanted;
  return (
    wanted.tokenId === outcome.tokenId &&
    wanted.side === side &&
    wanted.quantity === quantityMicro &&
    wanted.price / ticksPerUnit === priceNumber(grid, price)
  );
}
