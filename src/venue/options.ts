// What the venue client is made from, with the defaults of everything that may be left out.

import type { VenueObserver } from '../domain/observe.ts';
import type { Identity } from '../domain/secret.ts';
import type { Clock, Timers } from '../domain/time.ts';
import type { WireChoices } from '../wire/choices.ts';
import type { TokenLookup } from '../wire/tokens.ts';

/** Credentials that may be replaced while we run. */
export type CredentialsProvider = {
  /** `undefined` where none are configured: then only public reads are possible. */
  current(): Identity | undefined;
  /** Reads them again from where they come from; true when they are other ones now. */
  reload(): Promise<boolean>;
};

/** Our part of the account's budgets. @spec Limits */
export type VenueLimits = {
  /** Share of 300 order writes per 10 s, above 0 and up to 1. */
  readonly writeShare: number;
  /** Share of 500 reads per second, above 0 and up to 1. */
  readonly readShare: number;
  /** An order write that would wait longer than this for its turn is not sent. */
  readonly orderWaitMsMax: number;
  /** What places or changes sets and was decided on longer ago when it would leave is not sent. */
  readonly intentAgeMsMax: number;
  /** A read that would wait longer than this for its turn is not sent. */
  readonly readWaitMsMax: number;
  /** Order writes that may wait at once; one more is not sent. */
  readonly orderQueueMax: number;
  /** Reads that may wait at once; one more is not sent. */
  readonly readQueueMax: number;
  /**
   * Our windows are longer than the venue's by this much: requests that leave evenly may arrive
   * bunched, and the venue counts arrivals.
   */
  readonly windowMarginMs: number;
  /** A wait that the venue asks for is kept up to this; who cancels everything decides himself when to look again. */
  readonly retryAfterMsMax: number;
};

export type VenueTimeouts = {
  readonly connectMs: number;
  /** Until the whole header of a response is there. */
  readonly headersMs: number;
  /** Between two parts of a body. */
  readonly bodyMs: number;
  /** From leaving our queue to the last byte; no request outlives it. */
  readonly totalMs: number;
};

/** Connections of each lane: orders, reads and bulk cancels never wait behind one another. */
export type VenueConnections = {
  readonly order: number;
  readonly read: number;
  readonly exit: number;
  /** An idle connection is closed before a venue would close it under a request. */
  readonly keepAliveMs: number;
};

/** Which public reads are signed where there are credentials: all, or none before the venue asks for it. */
export type SignedReads = 'asked' | 'always';

export type VenueHttpOptions = {
  /** Ends in the `/api` prefix, which is sent but not signed. */
  readonly baseUrl: string;
  readonly credentials: CredentialsProvider;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly observer?: VenueObserver;
  /** Tick grids; without them orders can be read and cancelled, not placed. */
  readonly tokens?: TokenLookup;
  readonly limits?: Partial<VenueLimits>;
  readonly timeouts?: Partial<VenueTimeouts>;
  readonly connections?: Partial<VenueConnections>;
  readonly choices?: Partial<WireChoices>;
  /** `asked` where absent. */
  readonly signsReads?: SignedReads | undefined;
  /** Told after each successful measurement of the venue's clock. */
  readonly onClock?: (reading: ClockReading) => void;
  /** Told when credentials were read again and are other ones now. */
  readonly onCredentialsChanged?: () => void;
};

/** Venue time minus ours. */
export type ClockReading = { readonly offsetMs: number; readonly roundTripMs: number };

export type SocketSettings = {
  /** Until the WebSocket handshake is done. */
  readonly handshakeMs: number;
  /** Until the answer to an auth frame. */
  readonly authMs: number;
  /** No traffic at all for so long: the connection is dead and is replaced. */
  readonly silenceMs: number;
  /** Our own probes leave this often, so that a living connection is never silent. */
  readonly probeMs: number;
  readonly reconnectMsMin: number;
  readonly reconnectMsMax: number;
  /** A connection that lasted so long was a good one: the next delay starts small again. */
  readonly stableMs: number;
  /** Tokens named in one subscribe frame. */
  readonly tokensPerFrame: number;
  /** A longer frame closes the connection: nothing of ours is that large. */
  readonly frameBytesMax: number;
  /** Unsent bytes of ours beyond which the venue is taken to be no longer reading. */
  readonly unsentBytesMax: number;
};

export type VenueOptions = VenueHttpOptions & {
  readonly wsUrl: string;
  /** Slugs or ids; without it the whole catalogue is loaded. */
  readonly wantedEvents?: readonly string[];
  /** 0 to 1, for jitter. */
  readonly random: () => number;
  readonly socket?: Partial<SocketSettings>;
  /** Period of the clock measurement. */
  readonly clockRefreshMs?: number;
  /** Takes whoever is to be told that our clock has jumped. */
  readonly onClockJump?: (listener: () => void) => void;
};

export const VENUE_LIMITS: VenueLimits = {
  writeShare: 1,
  readShare: 0.5,
  orderWaitMsMax: 2_000,
  intentAgeMsMax: 2_000,
  readWaitMsMax: 5_000,
  orderQueueMax: 200,
  readQueueMax: 2_000,
  windowMarginMs: 250,
  retryAfterMsMax: 10 * 60_000,
};

export const VENUE_TIMEOUTS: VenueTimeouts = {
  connectMs: 3_000,
  headersMs: 8_000,
  bodyMs: 8_000,
  totalMs: 10_000,
};

export const VENUE_CONNECTIONS: VenueConnections = {
  order: 12,
  read: 12,
  exit: 6,
  keepAliveMs: 4_000,
};

export const SOCKET_SETTINGS: SocketSettings = {
  handshakeMs: 10_000,
  authMs: 10_000,
  // The venue pings every 30 s; our probes make a dead connection show much sooner.
  silenceMs: 15_000,
  probeMs: 5_000,
  reconnectMsMin: 250,
  reconnectMsMax: 15_000,
  stableMs: 10_000,
  tokensPerFrame: 200,
  frameBytesMax: 8 * 1024 * 1024,
  unsentBytesMax: 1024 * 1024,
};

export const CLOCK_REFRESH_MS = 30_000;
