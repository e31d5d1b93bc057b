// The live venue behind the one narrow door: commands go in, messages come out.

import type { AgeMs, VenueCommand, VenuePort } from '../domain/command.ts';
import type { VenueMessage } from '../domain/message.ts';
import { SILENT_OBSERVER } from '../domain/observe.ts';
import type { UnixMs } from '../domain/time.ts';
import { WIRE_CHOICES } from '../wire/choices.ts';
import { complaintText } from '../wire/parse.ts';
import { type AskingCommand, answerTo, failedAnswer } from './answers.ts';
import { type Backoff, backoffMs } from './backoff.ts';
import { Catalogue } from './catalogue.ts';
import { parseSocketUrl } from './http/base.ts';
import type { Lanes } from './http/lanes.ts';
import { createVenueHttp, type VenueHttp } from './http/venue-http.ts';
import { CLOCK_REFRESH_MS, SOCKET_SETTINGS, type VenueOptions } from './options.ts';
import type { Dial } from './ws/connection.ts';
import { VenueSocket } from './ws/socket.ts';

/** The first catalogue is asked for until it comes: nothing can be quoted without it. */
const CATALOGUE_RETRY: Backoff = { msMin: 500, msMax: 15_000 };
/** A book frame off the grid may mean that the tick size changed; asked at most this often. */
const GRID_DOUBT_MS = 10_000;
/** The first probes follow closely: whole seconds narrow only where their edges are seen. */
const CLOCK_PROBES_AT_START = 5;
const CLOCK_PROBE_GAP_MS = 390;
const CLOCK_RETRY_MS = 2_000;

/** What carries requests and frames. */
export type VenueSeams = { readonly lanes?: Lanes; readonly dial?: Dial };

/**
 * Opens the live venue. Nothing is sent before `start`.
 * @param seams - In place of the network, for a simulation; whoever gives none gets the network.
 * @throws {BotError} `settings.invalid` when an address is not usable.
 * @spec Endpoints, Events
 */
export function createVenue(options: VenueOptions, seams: VenueSeams = {}): VenuePort {
  return new Venue(options, seams);
}

class Venue implements VenuePort {
  readonly #options: VenueOptions;
  readonly #catalogue: Catalogue;
  readonly #http: VenueHttp;
  readonly #socket: VenueSocket;
  readonly #underWay = new Set<Promise<unknown>>();
  #sink: (message: VenueMessage) => void = () => undefined;
  #clockProbes = 0;
  /** `undefined` before the first measurement. */
  #isMeasuring: boolean | undefined;
  #catalogueAskedAtMs: UnixMs | undefined;
  #callOffClock: () => void = () => undefined;
  #callOffCatalogue: () => void = () => undefined;
  #isStopped = false;

  constructor(options: VenueOptions, seams: VenueSeams) {
    this.#options = options;
    this.#catalogue = new Catalogue(options.wantedEvents, (message) => this.#emit(message));
    this.#http = createVenueHttp(
      {
        ...options,
        tokens: this.#catalogue.tokens,
        onClock: (reading) => {
          this.#emit({ kind: 'clockOffset', ...reading });
          options.onClock?.(reading);
        },
        onCredentialsChanged: () => {
          this.#socket.reauthenticate();
          options.onCredentialsChanged?.();
        },
      },
      seams.lanes,
    );
    this.#socket = this.#createSocket(seams.dial);
  }

  start(sink: (message: VenueMessage) => void): void {
    this.#sink = sink;
    this.#options.onClockJump?.(() => this.#onClockJump());
    this.#track(this.#begin());
    this.#track(this.#loadFirstCatalogue(0));
  }

  send(command: VenueCommand, ageMs?: AgeMs): void {
    switch (command.kind) {
      case 'subscribe':
        this.#socket.subscribe(command.tokenIds, command.depth);
        return;
      case 'resubscribe':
        this.#socket.renew(command.tokenId);
        return;
      case 'reconnect':
        this.#socket.reconnect(command.reason);
        return;
      case 'readCatalogue':
        this.#track(this.#loadCatalogue());
        return;
      default:
        this.#track(this.#answer(command, ageMs));
    }
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#callOffClock();
    this.#callOffCatalogue();
    this.#socket.stop();
    await this.#http.stop();
    await Promise.allSettled(this.#underWay);
  }

  /** The auth frame carries the time, so the clock comes before the socket. */
  async #begin(): Promise<void> {
    await this.#measureClock();
    if (!this.#isStopped) this.#socket.start();
  }

  /** The offset is as wrong as the jump was long: books look old and signatures early until it is measured. */
  #onClockJump(): void {
    if (this.#isStopped || this.#isMeasuring === undefined) return;
    this.#clockProbes = 0;
    if (this.#isMeasuring) return;
    this.#callOffClock();
    this.#track(this.#measureClock());
  }

  async #measureClock(): Promise<void> {
    this.#isMeasuring = true;
    const outcome = await this.#http.measureClock();
    this.#isMeasuring = false;
    if (this.#isStopped) return;
    if (outcome.kind === 'ok') this.#clockProbes += 1;
    const delayMs = outcome.kind === 'ok' ? this.#clockGapMs() : CLOCK_RETRY_MS;
    const again = () => this.#track(this.#measureClock());
    this.#callOffClock = this.#options.timers.after(delayMs, again);
  }

  #clockGapMs(): number {
    return this.#clockProbes < CLOCK_PROBES_AT_START
      ? CLOCK_PROBE_GAP_MS
      : (this.#options.clockRefreshMs ?? CLOCK_REFRESH_MS);
  }

  async #loadFirstCatalogue(attempt: number): Promise<void> {
    const isLoaded = await this.#loadCatalogue();
    if (isLoaded || this.#isStopped) return;
    const { timers, random } = this.#options;
    this.#callOffCatalogue = timers.after(backoffMs(CATALOGUE_RETRY, attempt, random), () =>
      this.#track(this.#loadFirstCatalogue(attempt + 1)),
    );
  }

  async #loadCatalogue(): Promise<boolean> {
    this.#catalogueAskedAtMs = this.#options.clock.nowMs();
    return await this.#catalogue.load(this.#http);
  }

  async #answer(command: AskingCommand, ageMs: AgeMs | undefined): Promise<void> {
    const asked = { command, askedAtMs: this.#options.clock.nowMs(), ageMs };
    let message: VenueMessage;
    try {
      message = await answerTo(asked, this.#http);
    } catch (error) {
      // A mistake of ours must not leave the core waiting; it may have been made after sending.
      const detail = complaintText(error);
      message = failedAnswer(asked, { kind: 'unknown', cause: 'unreadable', detail });
    }
    this.#emit(message);
  }

  #createSocket(dial: Dial | undefined): VenueSocket {
    const { wsUrl, socket, choices, credentials, clock, timers, random, observer } = this.#options;
    const { unsubscribeEndsTrades } = { ...WIRE_CHOICES, ...choices };
    return new VenueSocket({
      url: parseSocketUrl(wsUrl),
      settings: { ...SOCKET_SETTINGS, ...socket },
      unsubscribeEndsTrades,
      tokens: this.#catalogue.tokens,
      credentials: () => credentials.current(),
      venueNowMs: () => this.#http.venueNowMs(),
      cure: (used) => this.#http.cureSession(used),
      emit: (message) => this.#fromSocket(message),
      observer: observer ?? SILENT_OBSERVER,
      clock,
      timers,
      random,
      dial,
    });
  }

  #fromSocket(message: VenueMessage): void {
    this.#emit(message);
    if (message.kind === 'bookUnreadable') this.#doubtGrids();
  }

  #doubtGrids(): void {
    const nowMs = this.#options.clock.nowMs();
    const askedAtMs = this.#catalogueAskedAtMs;
    const isRecent = askedAtMs !== undefined && nowMs - askedAtMs < GRID_DOUBT_MS;
    if (!isRecent && !this.#isStopped) this.#track(this.#loadCatalogue());
  }

  #emit(message: VenueMessage): void {
    this.#sink(message);
  }

  /** What is under way is waited for at the end, so that every answer comes. */
  #track(work: Promise<unknown>): void {
    const done = work.finally(() => this.#underWay.delete(done));
    this.#underWay.add(done);
  }
}
