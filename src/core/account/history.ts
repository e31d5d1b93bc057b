// Whether the history of settled trades is trusted, and what in it is new: settlements whose frames
// were lost, or came while nobody listened. The interface shows no shape of it, so it confirms itself first:
// it must tell just what frames told, by the same names.
// @spec Endpoints › Portfolio (all Auth)

import type { TokenId } from '../../domain/ids.ts';
import type { SettledTrade } from '../../domain/message.ts';
import type { StoredSettlement } from '../../domain/record.ts';
import { type UnixMs, unixMs } from '../../domain/time.ts';
import { dropOldest } from '../kernel/bounds.ts';
import { tradeNano } from '../kernel/nano.ts';

/** Settlements whose words are remembered: those of ten reads. */
const TOLD_MAX = 1_000;

/** Settlements that are held against each other for the order of a list. */
const HEARD_MAX = 100;

/** Pairs of told settlements that say which end of a list is the older one: those of six. */
const PAIRS_MIN = 15;

/** So many pairs may stand the other way round: what settles at once is reported in any order. */
const ODD_PART_MAX = 0.1;

/** One answer that is not understood may be a proxy's page; so many in a row are the venue's own words. */
const UNREAD_MAX = 3;

type Standing = 'unconfirmed' | 'counted' | 'disbelieved';

type Order = 'oldestFirst' | 'newestFirst';

/** What a settlement was told with, and when a frame reported it. */
type Told = {
  readonly said: string;
  readonly tokenId: TokenId | undefined;
  readonly atMs: UnixMs | undefined;
};

/** A settlement that nobody has reported before, and since when it may have happened. */
export type NewTrade = { readonly trade: SettledTrade; readonly sinceMs: UnixMs };

export class History {
  /** What each settlement was told with, oldest first. */
  readonly #told = new Map<string, Told>();
  /**
   * The last settlement that a previous run was reported, or the first of this one: what comes before it
   * may have been counted in other ways, and positions have the last word on it.
   */
  #fence: string | undefined;
  #wasFenceSeen = false;
  /** Told in this run, behind the fence. */
  readonly #since = new Set<string>();
  /** Names in the order in which frames reported them, and the places they have in it. */
  readonly #heard = new Map<string, number>();
  #places = 0;
  /** Frames that name no token, and of which no match told it. */
  readonly #unnamed = new Set<string>();
  #standing: Standing = 'unconfirmed';
  #askedAtMs: UnixMs | undefined;
  #order: Order | undefined;
  /** Answers in a row that were not understood. */
  #unread = 0;
  #reported: Standing = 'unconfirmed';

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
  takeNewStanding(): Exclude<Standing, 'unconfirmed'> | undefined {
    const standing = this.#standing;
    if (standing === this.#reported || standing === 'unconfirmed') return undefined;
    this.#reported = standing;
    return standing;
  }

  /** Takes over what a previous run was told, oldest first. */
  restore(settlements: readonly StoredSettlement[]): void {
    let beforeMs: UnixMs | undefined;
    for (const { tradeId, tokenId, side, quantity, cashNano, atMs, isRecovered } of settlements) {
      // An older ledger did not keep what one of an unknown token had cost.
      if (cashNano === 0) continue;
      this.#remember(tradeId, { said: words(side, quantity, cashNano), tokenId, atMs });
      this.#fence = tradeId;
      // What the history told came long after it had settled, and says nothing of the order of its lists.
      if (isRecovered === true) continue;
      // Those of one moment are kept in no order.
      this.#hear(tradeId, atMs === beforeMs ? this.#places : this.#places + 1);
      beforeMs = atMs;
    }
  }

  /** A frame reported a settlement; told again, it is as long ago as before. */
  onTold(trade: SettledTrade, nowMs: UnixMs): void {
    this.#fence ??= trade.tradeId;
    const told = asTold(trade, nowMs);
    const before = this.#told.get(trade.tradeId);
    if (before === undefined) this.#remember(trade.tradeId, told);
    else if (!isSame(before, told)) this.#standing = 'disbelieved';
    this.#hear(trade.tradeId);
    this.#follow(trade.tradeId);
  }

  /** A name of its own for what was told by the name of something else; none for what was not. */
  nameOfPart(trade: SettledTrade): string | undefined {
    const before = this.#told.get(trade.tradeId);
    const told = asTold(trade);
    if (before === undefined || isSame(before, told)) return undefined;
    return `${trade.tradeId}/${trade.tokenId ?? ''} ${told.said}`;
  }

  /** A frame reported a settlement, and nobody knows of which token. */
  onUnnamed(tradeId: string): void {
    this.#unnamed.add(tradeId);
    dropOldest(this.#unnamed, TOLD_MAX);
  }

  /**
   * Takes in a read. @returns What nobody has told yet, oldest first; nothing while it is not trusted.
   */
  onRead(trades: readonly SettledTrade[], askedAtMs: UnixMs): readonly NewTrade[] {
    // A read that was asked for before one that we know of tells nothing new.
    if (askedAtMs < (this.#askedAtMs ?? 0)) return [];
    this.#unread = 0;
    this.#compare(trades);
    const inTime = this.#inTime(trades);
    // A venue may list all it has: what is older than we remember is no news.
    const recent = inTime && this.#behindFence(inTime)?.slice(-TOLD_MAX);
    if (recent === undefined || this.#standing !== 'counted') return [];
    this.#askedAtMs = askedAtMs;
    const fresh = this.#newOf(recent);
    for (const { trade } of fresh) {
      const { tradeId } = trade;
      if (!this.#told.has(tradeId)) this.#remember(tradeId, asTold(trade));
      this.#follow(tradeId);
    }
    return fresh;
  }

  /** How late a list may be is not known: it happened after what a frame reported before it. */
  #newOf(recent: readonly SettledTrade[]): readonly NewTrade[] {
    const fresh: NewTrade[] = [];
    let sinceMs = unixMs(0);
    for (const trade of recent) {
      if (this.#isNew(trade)) fresh.push({ trade, sinceMs });
      sinceMs = this.#told.get(trade.tradeId)?.atMs ?? sinceMs;
    }
    return fresh;
  }

  /** Whether a frame reported it. */
  wasHeard(tradeId: string): boolean {
    return this.#heard.has(tradeId);
  }

  /** @returns Whether a frame reported it, and none has said yet of which token it is. */
  takeUnnamed(tradeId: string): boolean {
    return this.#unnamed.delete(tradeId);
  }

  #isNew({ tradeId, tokenId }: SettledTrade): boolean {
    if (this.#unnamed.has(tradeId)) return tokenId !== undefined;
    return !this.#told.has(tradeId);
  }

  #compare(trades: readonly SettledTrade[]): void {
    const listed = new Map<string, Told>();
    for (const trade of trades) {
      const { tradeId } = trade;
      const told = asTold(trade);
      // Two of one name are parts of something else: nobody knows which of them was told.
      const others = [this.#told.get(tradeId), listed.get(tradeId)].filter((each) => !!each);
      listed.set(tradeId, told);
      if (others.some((each) => !isSame(each, told))) this.#standing = 'disbelieved';
      else if (this.#told.has(tradeId) && this.#standing === 'unconfirmed')
        this.#standing = 'counted';
    }
  }

  /** Oldest first, whichever way the venue lists them; nothing while that is not known. */
  #inTime(trades: readonly SettledTrade[]): readonly SettledTrade[] | undefined {
    const order = this.#orderOf(trades);
    if (order === undefined) return undefined;
    return order === 'oldestFirst' ? trades : trades.toReversed();
  }

  /** Frames come in the order of their settlements, but for what settles at once; a list in another is in none. */
  #orderOf(trades: readonly SettledTrade[]): Order | undefined {
    const { along, against } = this.#pairsOf(trades);
    const odd = Math.min(along, against);
    if (odd > ODD_PART_MAX * (along + against)) return undefined;
    const order = along > against ? 'oldestFirst' : 'newestFirst';
    if (along + against >= PAIRS_MIN) this.#order = order;
    return along + against === 0 || order === this.#order ? this.#order : undefined;
  }

  /** Of any two that frames reported one after the other: whether they are listed so, or the other way round. */
  #pairsOf(trades: readonly SettledTrade[]): { readonly along: number; readonly against: number } {
    const rows = new Map(trades.map(({ tradeId }, row) => [tradeId, row]));
    const heard = [...this.#heard].flatMap(([tradeId, place]) => {
      const row = rows.get(tradeId);
      return row === undefined ? [] : [{ row, place }];
    });
    let along = 0;
    let against = 0;
    for (const [index, later] of heard.entries()) {
      for (const earlier of heard.slice(0, index)) {
        if (earlier.place === later.place) continue;
        if (earlier.row < later.row) along += 1;
        else against += 1;
      }
    }
    return { along, against };
  }

  /** What settled since the fence; nothing where a list should show it and does not. */
  #behindFence(inTime: readonly SettledTrade[]): readonly SettledTrade[] | undefined {
    const at = inTime.findIndex(({ tradeId }) => tradeId === this.#fence);
    if (at !== -1) {
      this.#wasFenceSeen = true;
      return inTime.slice(at);
    }
    // Where it has left the page, or is missing from it, what was told since stands for it.
    const since = inTime.findIndex(({ tradeId }) => this.#since.has(tradeId));
    return this.#wasFenceSeen && since !== -1 ? inTime.slice(since) : undefined;
  }

  #hear(tradeId: string, place = this.#places + 1): void {
    if (this.#heard.has(tradeId)) return;
    this.#places = place;
    this.#heard.set(tradeId, place);
    dropOldest(this.#heard, HEARD_MAX);
  }

  #follow(tradeId: string): void {
    if (tradeId !== this.#fence) this.#since.add(tradeId);
    dropOldest(this.#since, TOLD_MAX);
  }

  #remember(tradeId: string, told: Told): void {
    this.#told.set(tradeId, told);
    dropOldest(this.#told, TOLD_MAX);
  }
}

/** Whether two tell the same settlement; either may leave out the token. */
function isSame(one: Told, other: Told): boolean {
  const names = new Set([one.tokenId, other.tokenId].filter((name) => name !== undefined));
  return one.said === other.said && names.size < 2;
}

function asTold(trade: SettledTrade, atMs?: UnixMs): Told {
  const { side, quantity, tokenId } = trade;
  return { said: words(side, quantity, tradeNano(trade)), tokenId, atMs };
}

function words(side: string, quantity: number, cashNano: number): string {
  return `${side} ${quantity} ${cashNano}`;
}
