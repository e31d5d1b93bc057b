// Cash moved by settlements that nobody told of, by more than the setting allows and for longer: balances
// show it, and nothing else does.

import type { VenueMessage } from '../../../../src/domain/message.ts';
import type { ExchangeEvent } from '../../../../src/paper/exchange/events.ts';
import type { Room } from '../room.ts';
import type { Cause, Due } from './cause.ts';
import { Legacy, leastWith, type Span, widened } from './legacy.ts';

type Untold = {
  readonly tradeId: string;
  readonly usdc: number;
  readonly atMs: number;
  /** By the machine's clock, which may be set ahead. */
  readonly hostAtMs: number;
};

/** Its frame may still come. */
const LATE_MS = 20_000;
/** What surprised for five minutes by the machine's clock is forgotten. */
const KEPT_MS = 280_000;
const SURPRISE_MS = 320_000;
/** A price may be better than it had to be, which counts as told where balances tell it. */
const ERROR_USDC = 0.5;
/** Balances are read every ten seconds, and some reads fail. */
const READS_MS = 30_000;
const READ_LATELY_MS = 15_000;

export class CashCause implements Cause {
  readonly #room: Room;
  #untold: Untold[] = [];
  #overSinceMs: number | undefined;
  #knowsSinceMs: number | undefined;
  #readAtMs = 0;
  /** Until then something moved cash of which nobody can say what the daemon makes of it. */
  #unsureUntilMs = 0;
  /** Settlements of orders of an earlier life: what that left may explain them, or not. */
  #unsure: Untold[] = [];
  readonly #legacy = new Legacy();

  constructor(room: Room) {
    this.#room = room;
  }

  onLifeStarts(): void {
    const { nowMs, cashOnDisk } = this.#room;
    this.#legacy.onLifeStarts(nowMs(), cashOnDisk?.());
    this.#untold = [];
    this.#unsure = [];
    this.#overSinceMs = undefined;
    this.#knowsSinceMs = undefined;
  }

  /** What a life knows to be its own, or nobody's: of an earlier one's it may have a memory. */
  onEvent(event: ExchangeEvent, nowMs: number): void {
    const { account, facts, lives } = this.#room;
    if (event.kind !== 'tradeSettled' || event.leg.account !== account) return;
    this.#legacy.onSettled(event, nowMs);
    const { order, side, cost } = event.leg;
    const fact = order && facts.find(order.terms.orderHash);
    const isSure = fact !== undefined && (fact.life === lives.life || fact.owner === 'manual');
    const usdc = cost.toNumber() * (side === 'BUY' ? -1 : 1);
    const untold = { tradeId: event.tradeId, usdc, atMs: nowMs, hostAtMs: this.#hostMs };
    // Whether the first read of the balances shows what settles while it is on its way nobody can say.
    const isKnown = isSure && this.#knowsSinceMs !== undefined;
    (isKnown ? this.#untold : this.#unsure).push(untold);
  }

  onMessage(message: VenueMessage, nowMs: number): void {
    if (message.kind === 'tradeSettled') this.#onTold([message.tradeId], nowMs);
    // Lost frames are in the history, too, and whoever believes it knows of them.
    if (message.kind === 'trades' && message.outcome.kind === 'ok') {
      const told = message.outcome.value.map(({ tradeId }) => tradeId);
      this.#onTold(told, nowMs);
    }
    if (message.kind !== 'balances' || message.outcome.kind !== 'ok') return;
    this.#knowsSinceMs ??= nowMs;
    this.#readAtMs = nowMs;
    this.#legacy.onRead(Number(message.outcome.value.cashBalance), nowMs);
  }

  due(nowMs: number): readonly Due[] {
    const { lately, namesTokens = true } = this.#room;
    const limits = lately.limits(nowMs).map(({ divergence }) => divergence);
    const forMs = Math.max(...limits.map((limit) => limit?.forMs ?? 0));
    const isOff = limits.some((limit) => (limit?.cashUsdc ?? 0) === 0);
    const cashUsdc = isOff ? 0 : Math.max(...limits.map((limit) => limit?.cashUsdc ?? 0));
    if (forMs === 0 || cashUsdc === 0 || !namesTokens) return [];
    const hostMs = this.#hostMs;
    this.#untold = this.#untold.filter(
      ({ atMs, hostAtMs }) => nowMs - atMs < KEPT_MS && hostMs - hostAtMs < KEPT_MS,
    );
    // What came lately may be told of yet, and may hide what did before: it counts both ways.
    const usdc = this.#usdc(nowMs - LATE_MS);
    const span = this.#span(nowMs);
    const least = Math.min(leastWith(usdc, span), leastWith(this.#usdc(nowMs), span));
    if (this.#hasErrands()) this.#unsureUntilMs = nowMs + SURPRISE_MS;
    const isOver = least > cashUsdc + ERROR_USDC && nowMs > this.#unsureUntilMs;
    if (!isOver || nowMs - this.#readAtMs > READ_LATELY_MS) this.#overSinceMs = undefined;
    else this.#overSinceMs ??= nowMs;
    const lastedMs = nowMs - (this.#overSinceMs ?? nowMs);
    if (lastedMs <= forMs + READS_MS) return [];
    const detail = `${usdc.toFixed(2)} USDC moved that nobody told of, for ${lastedMs} ms`;
    return [{ control: 'cash_divergence', where: 'account', detail }];
  }

  get #hostMs(): number {
    const { nowMs, hostMs = nowMs } = this.#room;
    return hostMs();
  }

  #onTold(tradeIds: readonly string[], nowMs: number): void {
    this.#legacy.onTold(tradeIds, nowMs);
    const isLeft = ({ tradeId }: Untold): boolean => !tradeIds.includes(tradeId);
    this.#untold = this.#untold.filter(isLeft);
    this.#unsure = this.#unsure.filter(isLeft);
  }

  /** What surprises the daemon beside it, or does not: of an earlier life's doing. */
  #span(nowMs: number): Span {
    this.#unsure = this.#unsure.filter(({ atMs }) => nowMs - atMs < SURPRISE_MS);
    const inherited = this.#legacy.span(nowMs, SURPRISE_MS);
    return this.#unsure.reduce((span, { usdc }) => widened(span, usdc), inherited);
  }

  /** Untold until a moment. */
  #usdc(untilMs: number): number {
    let usdc = 0;
    for (const each of this.#untold) if (each.atMs < untilMs) usdc += each.usdc;
    return usdc;
  }

  /** A split or merge explains cash of its own. */
  #hasErrands(): boolean {
    const { venue, holdings } = this.#room;
    const markets = venue.exchange.catalogue.events().flatMap((listed) => listed.markets);
    return markets.some(({ market }) => holdings.isRecycling(market.id));
  }
}
