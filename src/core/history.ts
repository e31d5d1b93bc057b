// Whether the history of settled trades is believed, and what in it is news: settlements whose frames
// were lost, or came while nobody listened. The interface shows no shape of it, so it proves itself first:
// it must tell just what frames told, by the same names.
// @spec Endpoints › Portfolio (all Auth)

import type { SettledTrade } from '../domain/message.ts';
import type { StoredSettlement } from '../domain/record.ts';
import type { UnixMs } from '../domain/time.ts';
import { tradeNano } from './risk/nano.ts';

/** Settlements whose words are remembered: those of ten reads. */
const TOLD_MAX = 1_000;

/** Steps from one told settlement to the next that say which end of a list is the older one. */
const VOTES_MIN = 3;

/** One answer that is not understood may be a proxy's page; so many in a row are the venue's own words. */
const UNREAD_MAX = 3;

type Standing = 'unproven' | 'believed' | 'disbelieved';

/** What a read tells that nobody has told before, oldest first, and since when it may have happened. */
export type News = { readonly trades: readonly SettledTrade[]; readonly sinceMs: UnixMs };

export class History {
  /** What each settlement was told with, oldest first. */
  readonly #told = new Map<string, string>();
  /**
   * The last settlement that an earlier life was told of, or the first of this one: what comes before it
   * may have been counted in other ways, and positions have the last word on it.
   */
  #fence: string | undefined;
  #wasFenceSeen = false;
  /** Told in this life, behind the fence. */
  readonly #since = new Set<string>();
  /** Names in the order in which frames told of them. */
  readonly #heard = new Set<string>();
  /** Frames that name no token, and of which no match told it. */
  readonly #unnamed = new Map<string, UnixMs>();
  #standing: Standing = 'unproven';
  #askedAtMs: UnixMs | undefined;
  /** When it was told of what stands at the fence. */
  #fenceAtMs: UnixMs | undefined;
  #order: 'oldestFirst' | 'newestFirst' | undefined;
  /** Answers in a row that were not understood. */
  #unread = 0;
  #reported: Standing = 'unproven';

  /** Its shape was not understood: it is read rarely, in case that it is one day. */
  get isUnreadable(): boolean {
    return this.#unread >= UNREAD_MAX;
  }

  /** @returns Whether it is given up with this answer. */
  onUnreadable(): boolean {
    this.#unread += 1;
    return this.#unread === UNREAD_MAX;
  }

  /** What is thought of it since the last call, if that changed. */
  takeNewStanding(): Exclude<Standing, 'unproven'> | undefined {
    const standing = this.#standing;
    if (standing === this.#reported || standing === 'unproven') return undefined;
    this.#reported = standing;
    return standing;
  }

  /** Takes over what an earlier life was told, oldest first. */
  restore(settlements: readonly StoredSettlement[]): void {
    for (const { tradeId, side, quantity, cashNano, atMs } of settlements) {
      // An older ledger did not keep what one of an unknown token had cost.
      if (cashNano === 0) continue;
      this.#remember(tradeId, words(side, quantity, cashNano));
      this.#hear(tradeId);
      this.#fence = tradeId;
      this.#fenceAtMs = atMs;
    }
  }

  /** A frame told of a settlement. */
  onTold(trade: SettledTrade, nowMs: UnixMs): void {
    this.#fence ??= trade.tradeId;
    this.#fenceAtMs ??= nowMs;
    const said = wordsOf(trade);
    const before = this.#told.get(trade.tradeId);
    if (before !== undefined && before !== said) this.#standing = 'disbelieved';
    else this.#remember(trade.tradeId, said);
    this.#hear(trade.tradeId);
    this.#follow(trade.tradeId);
  }

  /** A frame told of a settlement, and nobody knows of which token. */
  onUnnamed(tradeId: string, nowMs: UnixMs): void {
    this.#unnamed.set(tradeId, nowMs);
    if (this.#unnamed.size > TOLD_MAX) dropOldest(this.#unnamed);
  }

  /**
   * Takes in a read. @returns What nobody has told yet; nothing while the history is not believed.
   */
  onRead(trades: readonly SettledTrade[], askedAtMs: UnixMs): News | undefined {
    const sinceMs = this.#askedAtMs ?? this.#fenceAtMs ?? askedAtMs;
    // A read that was asked for before one that we know of tells nothing new.
    if (askedAtMs < (this.#askedAtMs ?? 0)) return undefined;
    this.#unread = 0;
    this.#compare(trades);
    const inTime = this.#inTime(trades);
    const recent = inTime && this.#behindFence(inTime);
    if (recent === undefined || this.#standing !== 'believed') return undefined;
    this.#askedAtMs = askedAtMs;
    const news = recent.filter((trade) => this.#isNews(trade));
    for (const trade of news) {
      this.#remember(trade.tradeId, wordsOf(trade));
      this.#follow(trade.tradeId);
    }
    return { trades: news, sinceMs };
  }

  /** When a frame told of it, if no frame said of which token it is. */
  takeUnnamed(tradeId: string): UnixMs | undefined {
    const toldAtMs = this.#unnamed.get(tradeId);
    this.#unnamed.delete(tradeId);
    return toldAtMs;
  }

  #isNews({ tradeId, tokenId }: SettledTrade): boolean {
    if (this.#unnamed.has(tradeId)) return tokenId !== undefined;
    return !this.#told.has(tradeId);
  }

  #compare(trades: readonly SettledTrade[]): void {
    for (const trade of trades) {
      const told = this.#told.get(trade.tradeId);
      if (told === undefined) continue;
      const isSame = told === wordsOf(trade);
      if (!isSame) this.#standing = 'disbelieved';
      else if (this.#standing === 'unproven') this.#standing = 'believed';
    }
  }

  /** Oldest first, whichever way the venue lists them; nothing while that is not known. */
  #inTime(trades: readonly SettledTrade[]): readonly SettledTrade[] | undefined {
    this.#order ??= this.#orderOf(trades);
    if (this.#order === undefined) return undefined;
    return this.#order === 'oldestFirst' ? trades : trades.toReversed();
  }

  /** Frames come in the order of their settlements as a rule, and only two at once the other way round. */
  #orderOf(trades: readonly SettledTrade[]): 'oldestFirst' | 'newestFirst' | undefined {
    const places = new Map(trades.map(({ tradeId }, place) => [tradeId, place]));
    const heard = [...this.#heard].flatMap((tradeId) => places.get(tradeId) ?? []);
    let votes = 0;
    heard.forEach((place, index) => {
      votes += Math.sign(place - (heard[index - 1] ?? place));
    });
    if (Math.abs(votes) < VOTES_MIN) return undefined;
    return votes > 0 ? 'oldestFirst' : 'newestFirst';
  }

  /** What settled since the fence; nothing where a list should show it and does not. */
  #behindFence(inTime: readonly SettledTrade[]): readonly SettledTrade[] | undefined {
    const at = inTime.findIndex(({ tradeId }) => tradeId === this.#fence);
    if (at !== -1) {
      this.#wasFenceSeen = true;
      return inTime.slice(at);
    }
    // It has left the page only if there is something newer that we know of.
    const isPast = this.#wasFenceSeen && inTime.some(({ tradeId }) => this.#since.has(tradeId));
    return isPast ? inTime : undefined;
  }

  #hear(tradeId: string): void {
    this.#heard.add(tradeId);
    if (this.#heard.size > TOLD_MAX) dropOldest(this.#heard);
  }

  #follow(tradeId: string): void {
    if (tradeId !== this.#fence) this.#since.add(tradeId);
    if (this.#since.size > TOLD_MAX) dropOldest(this.#since);
  }

  #remember(tradeId: string, said: string): void {
    this.#told.set(tradeId, said);
    if (this.#told.size > TOLD_MAX) dropOldest(this.#told);
  }
}

function wordsOf(trade: SettledTrade): string {
  return words(trade.side, trade.quantity, tradeNano(trade));
}

function words(side: string, quantity: number, cashNano: number): string {
  return `${side} ${quantity} ${cashNano}`;
}

function dropOldest(names: Map<string, unknown> | Set<string>): void {
  const oldest = names.keys().next().value;
  if (oldest !== undefined) names.delete(oldest);
}
