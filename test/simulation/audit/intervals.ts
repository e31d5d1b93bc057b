// Positions as intervals. The venue's own position lies in what the daemon admits: `position_outside`. The interval
// closes when its token has been quiet: `interval_open`. Where no frame was lost, doubled or late it is one number,
// the true one: `position_inexact`. A daemon that shows no intervals yet is held to the last rule alone, by what it
// expects.

import type { TokenId } from '../../../src/domain/ids.ts';
import type { LedgerRecord } from '../../../src/domain/record.ts';
import type { MarketView } from '../../../src/domain/view.ts';
import type { ExchangeEvent } from '../../../src/paper/exchange/events.ts';
import type { ListedMarket } from '../../../src/paper/exchange/listed-market.ts';
import type { ProcessStart } from './processes.ts';
import { ReconcilingWatch } from './reconciling.ts';
import type { Room, Rules } from './room.ts';
import type { Interval, SeenPosition } from './seen.ts';
import { type MayTrade, WorkingOrders } from './working.ts';

/**
 * A frame is up to 10 s late, a loaded machine lets it wait for 2.5 s and a slow disk for 5 s. No run has longer
 * delays; a frame that is lost needs no grace, since the order that it is about still counts as live.
 */
const TRANSIT_MS = 20_000;
/** Nothing delays a frame by more than 100 ms in an undisturbed world: this is many of them, and two looks. */
const EXACT_MS = 10_000;
/** An interval closes so long after `positionLagMs` of quiet: some reads of the balances. */
const CLOSES_MS = 60_000;
/** A split is recorded as shown when balances show it, and the view of it a look later. */
const SETS_SHOWN_MS = 5_000;

/** Since when each thing is wrong of a token. */
type Watch = {
  outsideMs?: number | undefined;
  openMs?: number | undefined;
  wideMicro?: number;
  inexactMs?: number | undefined;
};

export class IntervalRules implements Rules {
  readonly #room: Room;
  readonly #working = new WorkingOrders();
  readonly #reconciling: ReconcilingWatch;
  readonly #watches = new Map<TokenId, Watch>();
  /** When something of ours last happened to each token on the venue. */
  readonly #movedAtMs = new Map<TokenId, number>();
  readonly #recycledAtMs = new Map<string, number>();
  #startedAtMs = 0;

  constructor(room: Room) {
    this.#room = room;
    this.#reconciling = new ReconcilingWatch(room.settings.timing.positionLagMs);
  }

  onProcessStarts({ process, remembers }: ProcessStart): void {
    const { nowMs, seen, hostMs = nowMs } = this.#room;
    this.#startedAtMs = nowMs();
    this.#watches.clear();
    this.#reconciling.onProcessStarts(hostMs());
    if (remembers || process === 1) return;
    this.#working.forget();
    seen.forget();
  }

  onRecord(record: LedgerRecord): void {
    if (record.kind === 'order') this.#working.onRecord(record.order);
  }

  onEvent(event: ExchangeEvent): void {
    const { nowMs } = this.#room;
    const tokenId = this.#movedBy(event);
    if (tokenId !== undefined) this.#movedAtMs.set(tokenId, nowMs());
  }

  onLook(nowMs: number): void {
    const { seen, processes, venue } = this.#room;
    if (!processes.isAlive || seen.view === undefined) return;
    for (const view of seen.view.markets) {
      const market = venue.exchange.catalogue.market(view.marketId);
      if (market.trading === 'resolved' || this.#isRecycling(view.marketId, nowMs)) continue;
      for (const index of [1, 0] as const) this.#judge(market, index, nowMs);
      this.#checkStop(view, nowMs);
    }
  }

  #judge(market: ListedMarket, index: 0 | 1, nowMs: number): void {
    const { seen, facts, marks } = this.#room;
    const { tokenId } = market.outcome(index);
    const position = seen.of(tokenId);
    if (position === undefined) return;
    const watch = this.#watchOf(tokenId);
    const name = `${market.market.title} ${market.outcome(index).name}`;
    const truth = facts.totalMicro(tokenId);
    this.#checkExact(watch, { name, truth, position, market: market.market }, nowMs);
    if (position.interval === undefined) return;
    marks.add('position:judged');
    const interval = position.counted ?? position.interval;
    this.#checkInside(watch, { name, truth, tokenId, interval }, nowMs);
    this.#checkCloses(watch, { name, tokenId, interval: position.interval }, nowMs);
  }

  #checkInside(
    watch: Watch,
    at: { name: string; truth: number; tokenId: TokenId; interval: Interval },
    nowMs: number,
  ): void {
    const { unreported, violate } = this.#room;
    const { interval, truth, tokenId } = at;
    const spare = unreported.ofToken(tokenId);
    const isInside = contains(interval, truth, this.#working.of(tokenId), spare);
    watch.outsideMs = isInside ? undefined : (watch.outsideMs ?? nowMs);
    if (nowMs - (watch.outsideMs ?? nowMs) <= TRANSIT_MS) return;
    violate('position_outside', `${at.name}: ${text(interval)} admitted, ${truth / 1e6} there`);
  }

  #checkCloses(
    watch: Watch,
    { name, tokenId, interval }: { name: string; tokenId: TokenId; interval: Interval },
    nowMs: number,
  ): void {
    const { faults, settings, violate } = this.#room;
    // What widens it is an own event: an order whose end says nothing of its fills, say, cancelled for quiet.
    const wideMicro = interval.highMicro - interval.lowMicro;
    const isWider = wideMicro > (watch.wideMicro ?? 0);
    watch.wideMicro = wideMicro;
    if (wideMicro === 0) watch.openMs = undefined;
    else if (isWider) watch.openMs = nowMs;
    if (watch.openMs === undefined) return;
    const movedAtMs = this.#movedAtMs.get(tokenId) ?? 0;
    const quietMs = Math.max(watch.openMs, movedAtMs, faults.endsAtMs, this.#startedAtMs);
    if (nowMs - quietMs <= settings.timing.positionLagMs + CLOSES_MS) return;
    violate('interval_open', `${name}: ${text(interval)} after ${nowMs - quietMs} ms of quiet`);
  }

  #checkExact(
    watch: Watch,
    at: { name: string; truth: number; position: SeenPosition; market: ListedMarket['market'] },
    nowMs: number,
  ): void {
    const { faults, unreported, violate } = this.#room;
    const { position, truth } = at;
    const isHeld = faults.isHarmless && !unreported.isUnsettled(at.market);
    const isWrong = isHeld && !isExactly(position, truth);
    watch.inexactMs = isWrong ? (watch.inexactMs ?? nowMs) : undefined;
    if (nowMs - (watch.inexactMs ?? nowMs) <= EXACT_MS) return;
    const said = `${position.expectedMicro / 1e6} expected${position.interval ? `, ${text(position.interval)}` : ''}`;
    violate('position_inexact', `${at.name}: ${said}, ${truth / 1e6} there, and nothing was lost`);
  }

  #checkStop(view: MarketView, nowMs: number): void {
    const { lately, violate, hostMs = () => nowMs } = this.#room;
    // The daemon counts by the clock of its machine, whoever sets that.
    const fault = this.#reconciling.look(view, lately.limits(nowMs), hostMs());
    if (fault !== undefined) violate('stopped_by_doubt', `${view.title}: ${fault}`);
  }

  #movedBy(event: ExchangeEvent): TokenId | undefined {
    const { account, facts, nowMs } = this.#room;
    if (event.kind === 'positionMoved' && event.account === account)
      return event.token.market.outcome(event.token.index).tokenId;
    if (event.kind === 'tradeSettled' || event.kind === 'tradeFailed') {
      const { leg } = event;
      return leg.account === account ? leg.market.outcome(leg.index).tokenId : undefined;
    }
    if (event.kind !== 'orderUpdated' || event.order.terms.account !== account) return undefined;
    const { outcome, orderHash } = event.order.terms;
    return facts.find(orderHash)?.matchedAtMs === nowMs() ? outcome.tokenId : undefined;
  }

  #isRecycling(marketId: ListedMarket['market']['id'], nowMs: number): boolean {
    if (this.#room.setsUnderWay.has(marketId)) this.#recycledAtMs.set(marketId, nowMs);
    return nowMs - (this.#recycledAtMs.get(marketId) ?? -SETS_SHOWN_MS) < SETS_SHOWN_MS;
  }

  #watchOf(tokenId: TokenId): Watch {
    const known = this.#watches.get(tokenId);
    if (known) return known;
    const fresh: Watch = {};
    this.#watches.set(tokenId, fresh);
    return fresh;
  }
}

/** Whether a position is inside, with what live orders may have traded since and what nobody reported yet. */
export function contains(
  { lowMicro, highMicro }: Interval,
  truthMicro: number,
  { buyingMicro, sellingMicro }: MayTrade,
  spareMicro = 0,
): boolean {
  const least = lowMicro - sellingMicro - spareMicro;
  return truthMicro >= least && truthMicro <= highMicro + buyingMicro + spareMicro;
}

function isExactly({ expectedMicro, interval }: SeenPosition, truthMicro: number): boolean {
  const { lowMicro, highMicro } = interval ?? { lowMicro: truthMicro, highMicro: truthMicro };
  return [expectedMicro, lowMicro, highMicro].every((each) => each === truthMicro);
}

function text({ lowMicro, highMicro }: Interval): string {
  return `${lowMicro / 1e6} to ${highMicro / 1e6}`;
}
