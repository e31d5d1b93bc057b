// The venue of a backtest behind the one narrow door: the embedded exchange itself, without requests and
// frames, each command and message after its delay.

import { unreachable } from '../domain/assert.ts';
import type { VenueCommand, VenuePort } from '../domain/command.ts';
import type { MarketId, TokenId } from '../domain/ids.ts';
import type {
  BookSide,
  CancelOutcome,
  Failure,
  Level,
  PlaceOutcome,
  Resolution,
  SetsOutcome,
  VenueMessage,
} from '../domain/message.ts';
import type { LimitOrder } from '../domain/order.ts';
import type { SetsChange } from '../domain/sets.ts';
import { clampShares, microShares } from '../domain/shares.ts';
import { ticks } from '../domain/ticks.ts';
import { type Clock, type Timers, type UnixMs, unixMs } from '../domain/time.ts';
import type { Random } from '../paper/crowd/random.ts';
import type { Account } from '../paper/exchange/account.ts';
import type { CancelScope } from '../paper/exchange/cancels.ts';
import type { ExchangeEvent } from '../paper/exchange/events.ts';
import type { Exchange } from '../paper/exchange/exchange.ts';
import type { ListedMarket } from '../paper/exchange/listed-market.ts';
import { VenueRefusal } from '../paper/exchange/refusal.ts';
import { balancesOf, reportOf, tradesOf, userMessage } from './account-view.ts';
import { BookChannel } from './book-channel.ts';
import type { Delays, Latency } from './conditions.ts';
import { Lane } from './lane.ts';

type Asking = Extract<VenueCommand, { readonly requestId: unknown }>;
type Sent = { readonly command: VenueCommand; readonly askedAtMs: UnixMs };

/** Levels of a book that is read for an audit. */
const AUDIT_DEPTH = 1_000;

export type PortOptions = {
  readonly exchange: Exchange;
  readonly account: Account;
  readonly time: Clock & Timers;
  readonly latency: Latency;
  /** For delays that are drawn. */
  readonly random: Random;
};

export class BacktestPort implements VenuePort {
  readonly #exchange: Exchange;
  readonly #account: Account;
  readonly #time: Clock & Timers;
  readonly #books: BookChannel;
  readonly #entry: Lane<Sent>;
  readonly #response: Lane<VenueMessage>;
  readonly #feed: Lane<VenueMessage>;
  #sink: (message: VenueMessage) => void = () => undefined;
  #isStopped = false;
  /** Order writes so far: placements, each batch as one. @spec Limits */
  writes = 0;

  constructor({ exchange, account, time, latency, random }: PortOptions) {
    this.#exchange = exchange;
    this.#account = account;
    this.#time = time;
    const arrive = (messages: readonly VenueMessage[]): void => {
      for (const message of messages) this.#tell(message);
    };
    const lane = <Item>(which: keyof Delays, then: (items: readonly Item[]) => void): Lane<Item> =>
      new Lane<Item>(time, delaysOf(latency, which, random.split(which)), then);
    this.#entry = lane<Sent>('entryMs', (commands) => {
      for (const sent of commands) this.#carryOut(sent);
    });
    this.#response = lane<VenueMessage>('responseMs', arrive);
    this.#feed = lane<VenueMessage>('feedMs', arrive);
    this.#books = new BookChannel(exchange, (message) => this.#feed.push(message));
  }

  start(sink: (message: VenueMessage) => void): void {
    this.#sink = sink;
    this.#exchange.listen((event) => this.#onEvent(event));
    this.#response.push({ kind: 'clockOffset', offsetMs: 0, roundTripMs: 0 });
    this.send({ kind: 'readCatalogue' });
    this.#feed.push({ kind: 'socketOpened' });
    this.#feed.push({ kind: 'authenticated' });
  }

  send(command: VenueCommand): void {
    if (command.kind === 'placeOrders') this.writes += 1;
    this.#entry.push({ command, askedAtMs: this.#time.nowMs() });
  }

  stop(): Promise<void> {
    this.#isStopped = true;
    return Promise.resolve();
  }

  #tell(message: VenueMessage): void {
    if (!this.#isStopped) this.#sink(message);
  }

  #carryOut({ command, askedAtMs }: Sent): void {
    switch (command.kind) {
      case 'subscribe':
        this.#books.subscribe(command.tokenIds, command.depth);
        return;
      case 'resubscribe':
        this.#books.renew(command.tokenId);
        return;
      case 'reconnect':
        this.#reconnect(command.reason);
        return;
      case 'readCatalogue': {
        const value = this.#exchange.catalogue.events().map((listed) => ({
          ...listed.event,
          grid: listed.grid,
          status: listed.status(),
          markets: listed.markets.map((each) => ({ ...each.market, status: each.restStatus() })),
        }));
        this.#response.push({ kind: 'catalogue', outcome: { kind: 'ok', value } });
        return;
      }
      default:
        this.#response.push(this.#answer(command, askedAtMs));
    }
  }

  #reconnect(reason: string): void {
    this.#feed.push({ kind: 'socketLost', reason });
    this.#feed.push({ kind: 'socketOpened' });
    this.#feed.push({ kind: 'authenticated' });
    this.#books.renewAll();
  }

  #answer(command: Asking, askedAtMs: UnixMs): VenueMessage {
    const { requestId } = command;
    const asked = { requestId, askedAtMs };
    switch (command.kind) {
      case 'placeOrders': {
        const outcomes = command.orders.map((order) => ({
          intentId: order.intentId,
          outcome: this.#place(order),
        }));
        return { kind: 'placed', requestId, outcomes };
      }
      case 'cancelOrders': {
        const { orderHashes } = command;
        const outcome = cancelled(() => this.#exchange.cancelBatch(this.#account, orderHashes));
        return { kind: 'cancelled', requestId, outcome };
      }
      case 'cancelAll': {
        const scope = this.#scopeOf(command.scope);
        const outcome = cancelled(() => this.#exchange.cancelAll(this.#account, scope));
        return { kind: 'cancelled', requestId, outcome };
      }
      case 'changeSets':
        return { kind: 'setsChanged', requestId, outcome: this.#changeSets(command.change) };
      case 'readOpenOrders': {
        const value = this.#exchange.openOrders(this.#account).map(reportOf);
        return { kind: 'openOrders', ...asked, outcome: { kind: 'ok', value } };
      }
      case 'readBalances': {
        const value = balancesOf(this.#account, this.#exchange);
        return { kind: 'balances', ...asked, outcome: { kind: 'ok', value } };
      }
      case 'readTrades': {
        const value = tradesOf(this.#account, this.#exchange);
        return { kind: 'trades', ...asked, outcome: { kind: 'ok', value } };
      }
      case 'readResolution': {
        const { marketId } = command;
        const value = this.#resolutionOf(marketId);
        return { kind: 'resolutionRead', requestId, marketId, outcome: { kind: 'ok', value } };
      }
      case 'readBook': {
        const { tokenId } = command;
        const value = this.#bookOf(tokenId);
        return { kind: 'bookRead', ...asked, tokenId, outcome: { kind: 'ok', value } };
      }
      default:
        return unreachable(command);
    }
  }

  #place(order: LimitOrder): PlaceOutcome {
    const { lifetime } = order;
    const expiresAtMs = lifetime.timeInForce === 'GTD' ? lifetime.expiresAtMs : undefined;
    const { gtdAheadMsMin } = this.#exchange.context.rules;
    return refusable((): PlaceOutcome => {
      if (expiresAtMs !== undefined && expiresAtMs < this.#time.nowMs() + gtdAheadMsMin) {
        throw new VenueRefusal('invalid_parameter', `a date under ${gtdAheadMsMin} ms ahead`);
      }
      const placed = this.#exchange.placeLimit(this.#account, {
        token: this.#exchange.catalogue.token(order.tokenId),
        side: order.side,
        price: order.price,
        quantityMicro: order.quantity,
        timeInForce: lifetime.timeInForce,
        // The wire carries whole seconds.
        expiresAtMs: expiresAtMs && unixMs(Math.floor(expiresAtMs / 1_000) * 1_000),
        clientOrderId: undefined,
      });
      return { kind: 'accepted', orderHash: placed.terms.orderHash };
    });
  }

  #changeSets(change: SetsChange): SetsOutcome {
    return refusable((): SetsOutcome => {
      const { chain, catalogue } = this.#exchange;
      const market = catalogue.market(change.marketId);
      const txHash =
        change.kind === 'redeem'
          ? chain.redeem(this.#account, market)
          : chain[change.kind](this.#account, market, change.amount);
      return { kind: 'accepted', txHash };
    });
  }

  #resolutionOf(marketId: MarketId): Resolution {
    const { chain, catalogue } = this.#exchange;
    const market = catalogue.market(marketId);
    return {
      winner: market.winner === undefined ? undefined : market.outcome(market.winner).tokenId,
      isClaimable: chain.claimable(this.#account, [market]).length > 0,
    };
  }

  #scopeOf(scope: Extract<VenueCommand, { kind: 'cancelAll' }>['scope']): CancelScope {
    const { catalogue } = this.#exchange;
    const token = scope.kind === 'token' ? catalogue.token(scope.tokenId) : undefined;
    const market = scope.kind === 'market' ? catalogue.market(scope.marketId) : undefined;
    return { token, market };
  }

  #bookOf(tokenId: TokenId): { readonly bids: readonly Level[]; readonly asks: readonly Level[] } {
    const { market, index } = this.#exchange.catalogue.token(tokenId);
    const book = this.#exchange.context.books.of(market);
    const side = (bookSide: BookSide): readonly Level[] =>
      book.levels(index, bookSide, AUDIT_DEPTH).map(({ priceTicks, sizeMicro }) => ({
        price: ticks(market.grid, priceTicks),
        size: clampShares(sizeMicro),
      }));
    return { bids: side('bid'), asks: side('ask') };
  }

  #onEvent(event: ExchangeEvent): void {
    switch (event.kind) {
      case 'levelChanged':
        this.#books.touch(event.token);
        return;
      case 'bookReset':
        this.#renew(event.market);
        return;
      case 'tradeExecuted':
        this.#tellTrade(event);
        return;
      case 'statusChanged':
        this.#tellStatus(event);
        return;
      default: {
        const message = userMessage(event, this.#account);
        if (message) this.#feed.push(message);
      }
    }
  }

  #renew({ market }: ListedMarket): void {
    for (const { tokenId } of [market.no, market.yes]) this.#books.renew(tokenId);
  }

  #tellStatus({ market, status }: ExchangeEvent & { readonly kind: 'statusChanged' }): void {
    for (const { tokenId } of [market.market.no, market.market.yes]) {
      if (!this.#books.watches(tokenId)) continue;
      const word = status.toUpperCase();
      this.#feed.push({ kind: 'marketStatus', tokenId, status, word });
    }
    if (status === 'open') this.#renew(market);
  }

  #tellTrade(event: ExchangeEvent & { readonly kind: 'tradeExecuted' }): void {
    const { market, index } = event.token;
    const { tokenId } = market.outcome(index);
    if (!this.#books.watches(tokenId)) return;
    this.#feed.push({
      kind: 'trade',
      tokenId,
      price: ticks(market.grid, event.priceTicks),
      size: microShares(event.sizeMicro),
      takerSide: event.takerSide,
      venueTs: event.atMs,
    });
  }
}

function delaysOf(latency: Latency, which: keyof Delays, random: Random): () => number {
  if (latency.kind === 'constant') return () => latency[which];
  const { samples } = latency;
  return () => samples[random.whole(0, samples.length - 1)]?.[which] ?? 0;
}

function cancelled(
  act: () => { readonly cancelled: number; readonly failed: number },
): CancelOutcome {
  return refusable((): CancelOutcome => ({ kind: 'accepted', ...act() }));
}

function refusable<Outcome>(act: () => Outcome): Outcome | Failure {
  try {
    return act();
  } catch (error) {
    if (!(error instanceof VenueRefusal)) throw error;
    const { code, message, status: httpStatus } = error;
    return { kind: 'refused', refusal: { code, message, httpStatus, retryAfterMs: undefined } };
  }
}
