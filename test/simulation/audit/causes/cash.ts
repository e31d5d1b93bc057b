// Cash moved by settlements of external orders that nobody reported, by more than the setting allows and for longer:
// balances show it, and nothing else does. What own orders cost is known from their fills. A process that has just begun is not held to it: what cash an earlier one left unexplained
// may be counted or not.

import type { OrderHash } from '../../../../src/domain/ids.ts';
import type { VenueMessage } from '../../../../src/domain/message.ts';
import type { OrderUpdate } from '../../../../src/domain/order.ts';
import { usdcOf } from '../../../../src/paper/exchange/amounts.ts';
import type { ExchangeEvent } from '../../../../src/paper/exchange/events.ts';
import type { Room } from '../room.ts';
import type { Cause, Due } from './cause.ts';

type Unreported = {
  readonly tradeId: string;
  readonly orderHash: OrderHash;
  readonly usdc: number;
  readonly atMs: number;
  /** By the machine's clock, which may be set ahead. */
  readonly hostAtMs: number;
};

/** Its frame may still come. */
const LATE_MS = 20_000;
/** Cash that nothing explains is counted for five minutes by the machine's clock, and then it is a new start. */
const KEPT_MS = 280_000;
const BREAK_MS = 320_000;
/** A price may be better than it had to be, which balances report. */
const ERROR_USDC = 0.5;
/** Balances are read every ten seconds, and some reads fail. */
const READS_MS = 30_000;
const READ_LATELY_MS = 15_000;

export class CashCause implements Cause {
  readonly #room: Room;
  #unreported: readonly Unreported[] = [];
  /** External orders of which a report said that they traded: their price is known, and balances say the rest. */
  readonly #told = new Set<OrderHash>();
  #overSinceMs: number | undefined;
  #readAtMs = 0;
  /** Until then a split, or what an earlier process left, may move cash in either direction. */
  #unsureUntilMs = 0;

  constructor(room: Room) {
    this.#room = room;
  }

  onProcessStarts(nowMs: number): void {
    if (this.#room.processes.process > 1) this.#unsureUntilMs = nowMs + BREAK_MS;
    this.#unreported = [];
    this.#overSinceMs = undefined;
    this.#readAtMs = 0;
  }

  onEvent(event: ExchangeEvent, nowMs: number): void {
    const { account, facts, hostMs } = this.#room;
    if (event.kind !== 'tradeSettled' || event.leg.account !== account) return;
    // Whether the first read of the balances shows what settles while it is in flight nobody can say.
    if (this.#readAtMs === 0) return;
    const { side, costNano, order } = event.leg;
    if (order === undefined) return;
    const { orderHash } = order.terms;
    if (this.#told.has(orderHash) || facts.find(orderHash)?.owner === 'intent') return;
    const usdc = usdcOf(costNano).toNumber() * (side === 'BUY' ? -1 : 1);
    const at = { atMs: nowMs, hostAtMs: hostMs?.() ?? nowMs };
    this.#unreported = [...this.#unreported, { tradeId: event.tradeId, orderHash, usdc, ...at }];
  }

  onMessage(message: VenueMessage, nowMs: number): void {
    if (message.kind === 'tradeSettled') this.#onReported([message.tradeId]);
    if (message.kind === 'orderUpdate') this.#onUpdate(message.update);
    // Lost frames are in the history, too.
    if (message.kind === 'trades' && message.outcome.kind === 'ok')
      this.#onReported(message.outcome.value.map(({ tradeId }) => tradeId));
    if (message.kind === 'balances' && message.outcome.kind === 'ok') this.#readAtMs = nowMs;
  }

  due(nowMs: number): readonly Due[] {
    const { lately, namesTokens = true, setsUnderWay } = this.#room;
    const limits = lately.limits(nowMs).map(({ divergence }) => divergence);
    const forMs = Math.max(...limits.map((limit) => limit?.forMs ?? 0));
    const isOff = limits.some((limit) => (limit?.cashUsdc ?? 0) === 0);
    if (forMs === 0 || isOff || !namesTokens) return [];
    if (setsUnderWay.any) this.#unsureUntilMs = Math.max(this.#unsureUntilMs, nowMs + BREAK_MS);
    const most = Math.max(...limits.map((limit) => limit?.cashUsdc ?? 0));
    const usdc = this.#leastUsdc(nowMs);
    const isOver = usdc > most + ERROR_USDC && nowMs > this.#unsureUntilMs;
    if (!isOver || nowMs - this.#readAtMs > READ_LATELY_MS) this.#overSinceMs = undefined;
    else this.#overSinceMs ??= nowMs;
    const lastedMs = nowMs - (this.#overSinceMs ?? nowMs);
    if (lastedMs <= forMs + READS_MS) return [];
    const detail = `${usdc.toFixed(2)} USDC moved that nobody reported, for ${lastedMs} ms`;
    return [{ control: 'cash_divergence', where: 'account', detail }];
  }

  #onUpdate({ orderHash, status, filledQuantity }: OrderUpdate): void {
    const hasTraded = filledQuantity > 0 || status === 'MATCHED' || status === 'FILLED';
    if (!hasTraded) return;
    this.#told.add(orderHash);
    this.#unreported = this.#unreported.filter((each) => each.orderHash !== orderHash);
  }

  #onReported(tradeIds: readonly string[]): void {
    this.#unreported = this.#unreported.filter(({ tradeId }) => !tradeIds.includes(tradeId));
  }

  /** What came lately may be reported yet, and may hide what did before: it counts both ways. */
  #leastUsdc(nowMs: number): number {
    const hostMs = this.#room.hostMs?.() ?? nowMs;
    this.#unreported = this.#unreported.filter(
      ({ atMs, hostAtMs }) => nowMs - atMs < KEPT_MS && hostMs - hostAtMs < KEPT_MS,
    );
    const sum = (untilMs: number) =>
      this.#unreported.reduce((usdc, each) => (each.atMs < untilMs ? usdc + each.usdc : usdc), 0);
    return Math.min(Math.abs(sum(nowMs - LATE_MS)), Math.abs(sum(nowMs)));
  }
}
