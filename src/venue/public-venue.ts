// The venue as anybody sees it: what is listed, books and trades. It has no credentials, and no way to write.

import type { EventId, MarketId, TokenId } from '../domain/ids.ts';
import type { Event } from '../domain/market.ts';
import type { ReadOutcome, VenueMessage } from '../domain/message.ts';
import type { BookRead } from '../wire/books.ts';
import { WIRE_CHOICES } from '../wire/choices.ts';
import { type TokenLookup, tokenLookup } from '../wire/tokens.ts';
import { parseSocketUrl } from './http/base.ts';
import type { Listing } from './http/events.ts';
import type { RawAnswer } from './http/get-only.ts';
import { createPublicHttp, type PublicHttp, type PublicHttpOptions } from './http/public-http.ts';
import { SOCKET_SETTINGS, type SocketSettings } from './options.ts';
import type { Dial } from './ws/connection.ts';
import { PublicSocket } from './ws/public-socket.ts';

export type PublicVenueOptions = Omit<PublicHttpOptions, 'tokens' | 'onAnswer'> & {
  readonly wsUrl: string;
  readonly socket?: Partial<SocketSettings>;
  /** 0 to 1, for jitter. */
  readonly random: () => number;
  readonly dial?: Dial;
  readonly emit: (message: VenueMessage) => void;
  /** Each text of the socket as it came. */
  readonly onText?: (text: string) => void;
  /** Each answer as it came. */
  readonly onAnswer?: (answer: RawAnswer) => void;
};

export class PublicVenue {
  readonly #http: PublicHttp;
  readonly #socket: PublicSocket;
  #lookup: TokenLookup = tokenLookup([]);

  /** Nothing is sent before the first call. @throws {BotError} `settings.invalid` for an unusable address. */
  constructor({ emit, onText, onAnswer, wsUrl, socket, dial, ...rest }: PublicVenueOptions) {
    const tokens: TokenLookup = {
      gridOf: (tokenId) => this.#lookup.gridOf(tokenId),
      tokensOf: (marketId) => this.#lookup.tokensOf(marketId),
    };
    const { clock, timers, random, choices } = rest;
    const { unsubscribeEndsTrades } = { ...WIRE_CHOICES, ...choices };
    this.#http = createPublicHttp({ ...rest, tokens, onAnswer });
    this.#socket = new PublicSocket({
      ...{ tokens, clock, timers, random, dial, emit, unsubscribeEndsTrades },
      url: parseSocketUrl(wsUrl),
      settings: { ...SOCKET_SETTINGS, ...socket },
      onText: onText ?? (() => undefined),
    });
  }

  /** The named events; a name that the venue does not know is left out. */
  async readEvents(names: readonly string[]): Promise<ReadOutcome<Listing>> {
    return await this.#http.readNamedEvents(names);
  }

  async readListed(): Promise<ReadOutcome<Listing>> {
    return await this.#http.readAllEvents();
  }

  async readTagged(tag: string): Promise<ReadOutcome<Listing>> {
    return await this.#http.readAllEvents({ tag });
  }

  /** By which tick grids frames and books are read from now on. */
  know(events: readonly Event[]): void {
    this.#lookup = tokenLookup(events);
  }

  /** Connects, and keeps these tokens subscribed. */
  start(tokenIds: readonly TokenId[]): void {
    this.#socket.subscribe(tokenIds);
    this.#socket.start();
  }

  /** Asks for a fresh snapshot of one token. */
  renew(tokenId: TokenId): void {
    this.#socket.renew(tokenId);
  }

  async readBook(tokenId: TokenId): Promise<ReadOutcome<BookRead>> {
    return await this.#http.readBook(tokenId);
  }

  /** Its fields are not shown. */
  async readResolution(eventId: EventId, marketId: MarketId): Promise<ReadOutcome<unknown>> {
    return await this.#http.readResolution(eventId, marketId);
  }

  async stop(): Promise<void> {
    this.#socket.stop();
    await this.#http.stop();
  }
}
