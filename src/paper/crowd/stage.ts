// The exchange as a replay sees it: frames go in, in silence or for everybody to see.

import { assert, unreachable } from '../../domain/assert.ts';
import type { MarketId, TokenId } from '../../domain/ids.ts';
import type { Market, TradingStatus } from '../../domain/market.ts';
import type { BookSide, Level } from '../../domain/message.ts';
import type { Desk } from '../exchange/desk.ts';
import { RecordedBooks, type RecordedChange } from './recorded-books.ts';
import type { RecordedFrame } from './recorded-frame.ts';
import type { RecordedMarkets } from './recording-meta.ts';

export type StageOptions = {
  /** Markets resolve and close for good; without it they pause, since they are to open again. */
  readonly settles: boolean;
};

export class Stage {
  #known: Desk | undefined;
  readonly #recorded: RecordedMarkets;
  readonly #settles: boolean;
  readonly #markets = new Map<TokenId, Market>();
  readonly #books = new RecordedBooks();
  /** What the frames have made of each market, and what the exchange was told. */
  readonly #status = new Map<MarketId, TradingStatus>();
  readonly #told = new Map<MarketId, TradingStatus>();

  constructor(recorded: RecordedMarkets, options: StageOptions) {
    this.#recorded = recorded;
    this.#settles = options.settles;
    for (const market of this.#listed()) {
      this.#markets.set(market.yes.tokenId, market);
      this.#markets.set(market.no.tokenId, market);
      this.#told.set(market.id, 'open');
    }
  }

  /** Says which exchange it is; frames of the past may be taken in before. */
  meet(desk: Desk): void {
    this.#known = desk;
  }

  /** Takes a frame in without a word to the exchange; trades of the past are left out. */
  rebuild(frame: RecordedFrame): void {
    switch (frame.kind) {
      case 'snapshot':
        this.#replaceBoth(frame);
        return;
      case 'delta':
        this.#books.set(frame);
        return;
      case 'status':
        this.#note(frame.tokenId, frame.status);
        return;
      case 'trade':
        return;
      default:
        unreachable(frame);
    }
  }

  /** Lays what was rebuilt before the exchange at once, then lets the markets trade. */
  open(): void {
    for (const tokenId of this.#markets.keys()) this.#desk.clearRecorded(tokenId);
    this.#show(this.#books.all());
    for (const market of this.#listed()) this.#tell(market, this.#status.get(market.id) ?? 'open');
  }

  apply(frame: RecordedFrame): void {
    switch (frame.kind) {
      case 'snapshot':
        this.#show(this.#replaceBoth(frame));
        return;
      case 'delta':
        this.#books.set(frame);
        this.#show([frame]);
        return;
      case 'status': {
        const market = this.#note(frame.tokenId, frame.status);
        if (market) this.#tell(market, frame.status);
        return;
      }
      case 'trade':
        this.#desk.printRecordedTrade(frame.tokenId, frame.price, frame.size, frame.takerSide);
        return;
      default:
        unreachable(frame);
    }
  }

  /** The recording is over: a frozen book would only invite quotes, so trading ends. */
  end(): void {
    for (const market of this.#listed()) this.#tell(market, 'resolved');
  }

  /** The recording cannot be read on: a frozen book would only invite quotes, so trading ends without an outcome. */
  fail(): void {
    for (const market of this.#listed()) this.#tell(market, 'closed');
  }

  /** Forgets the frames so far, for a recording that starts over. */
  clear(): void {
    this.#books.clear();
    this.#status.clear();
  }

  get #desk(): Desk {
    assert(this.#known !== undefined, 'frames are shown to an exchange');
    return this.#known;
  }

  #listed(): readonly Market[] {
    return this.#recorded.events.flatMap((event) => event.markets);
  }

  #replaceBoth(frame: {
    readonly tokenId: TokenId;
    readonly bids: readonly Level[];
    readonly asks: readonly Level[];
  }): readonly RecordedChange[] {
    const side = (bookSide: BookSide, levels: readonly Level[]) =>
      this.#books.replace(frame.tokenId, bookSide, levels);
    const changes = [...side('bid', frame.bids), ...side('ask', frame.asks)];
    // What leaves both sides goes first, since a book that moved would cross itself on the way.
    const isRemoval = ({ size }: RecordedChange): boolean => size === 0;
    return [...changes.filter(isRemoval), ...changes.filter((change) => !isRemoval(change))];
  }

  #show(changes: readonly RecordedChange[]): void {
    for (const { tokenId, side, price, size } of changes) {
      this.#desk.setRecordedLevel(tokenId, side, price, size);
    }
  }

  #note(tokenId: TokenId, status: TradingStatus): Market | undefined {
    const market = this.#markets.get(tokenId);
    if (market) this.#status.set(market.id, status);
    return market;
  }

  /** Both tokens of a market say the same; the exchange hears it once. */
  #tell(market: Market, status: TradingStatus): void {
    const isFinal = status === 'resolved' || status === 'closed';
    const told = isFinal && !this.#settles ? 'paused' : status;
    const before = this.#told.get(market.id);
    if (before === told || before === 'resolved') return;
    this.#told.set(market.id, told);
    const winner = this.#recorded.winners.get(market.id);
    if (told !== 'resolved') this.#desk.setTradingStatus(market.id, told);
    else if (winner !== undefined) this.#desk.resolve(market.id, winner);
    // Nobody knows who won, so nobody can be paid.
    else this.#desk.setTradingStatus(market.id, 'closed');
  }
}
