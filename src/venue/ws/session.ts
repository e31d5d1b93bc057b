// The account's session on one connection: auth frame, its answer, and another try after a refusal.
// @spec Authentication › WebSocket authentication

import { isVenueCode } from '../../domain/codes.ts';
import type { Identity } from '../../domain/secret.ts';
import { type Timers, type UnixMs, unixSec } from '../../domain/time.ts';
import { isAuthCode } from '../../wire/codes.ts';
import { authFrame } from '../../wire/encode.ts';
import { type Backoff, backoffMs } from '../backoff.ts';

export type SessionOptions = {
  readonly send: (text: string) => void;
  /** Called when an auth frame stays without an answer, and when this connection takes no further one. */
  readonly giveUp: (reason: string) => void;
  readonly credentials: () => Identity | undefined;
  readonly venueNowMs: () => UnixMs;
  /** Measures the clock and reads credentials again, before another try. */
  readonly cure: (used: Identity | undefined) => Promise<void>;
  readonly onAuthenticated: () => void;
  readonly onRefused: (detail: string) => void;
  readonly timers: Timers;
  readonly random: () => number;
  readonly answerMs: number;
};

/** Tries after a refusal: soon at first, then as seldom as new connections. A person must act, or the venue may just be busy. */
const RETRY: Backoff = { msMin: 1_000, msMax: 15_000 };

/** Some venues take one auth frame of each connection, whatever came of it: the fourth refusal comes after fifteen seconds. */
const REFUSALS_MAX = 4;

type State = 'idle' | 'waiting' | 'authenticated' | 'refused' | 'ended';

export class Session {
  readonly #options: SessionOptions;
  #state: State = 'idle';
  #used: Identity | undefined;
  #refusals = 0;
  #hadSession = false;
  #callOff: () => void = () => undefined;

  constructor(options: SessionOptions) {
    this.#options = options;
  }

  /** Sends an auth frame, also where a session exists: new credentials need a new one. */
  authenticate(): void {
    if (this.#state === 'ended') return;
    this.#callOff();
    this.#used = this.#options.credentials();
    if (!this.#used) {
      this.#refused('no credentials');
      return;
    }
    this.#state = 'waiting';
    const { answerMs, timers } = this.#options;
    this.#callOff = timers.after(answerMs, () =>
      this.#options.giveUp(`no answer to the auth frame in ${answerMs} ms`),
    );
    this.#options.send(authFrame(this.#used, unixSec(this.#options.venueNowMs())));
  }

  /** An `authenticated` frame came. */
  onAuthenticated(): void {
    if (this.#state === 'ended') return;
    this.#callOff();
    this.#refusals = 0;
    this.#hadSession = true;
    this.#state = 'authenticated';
    this.#options.onAuthenticated();
  }

  /**
   * An `error` frame came: the socket stays open.
   * @returns Whether it was about authentication. Its fields are not shown, so while an auth frame
   *   waits for its answer, any error is that answer unless its code is known to mean another thing.
   */
  onError(message: string, code: string | undefined): boolean {
    const isKnown = code !== undefined && isVenueCode(code);
    const isAuth = isKnown ? isAuthCode(code) : this.#state === 'waiting';
    if (!isAuth || this.#state === 'ended') return isAuth;
    const isAnswer = this.#state === 'waiting';
    this.#refused(`${code ?? ''} ${message}`.trim());
    // Who was let in once may not be asked in again here, as where new credentials need a new session.
    const isClosed = this.#hadSession || this.#refusals >= REFUSALS_MAX;
    if (isAnswer && isClosed) this.#options.giveUp('this connection takes no further auth frame');
    return true;
  }

  /** The connection is gone, and the session with it. */
  end(): void {
    this.#callOff();
    this.#state = 'ended';
  }

  #refused(detail: string): void {
    this.#callOff();
    this.#state = 'refused';
    this.#options.onRefused(detail);
    const delayMs = backoffMs(RETRY, this.#refusals, this.#options.random);
    this.#refusals += 1;
    this.#callOff = this.#options.timers.after(delayMs, () => void this.#tryAgain());
  }

  async #tryAgain(): Promise<void> {
    await this.#options.cure(this.#used);
    if (this.#state === 'refused') this.authenticate();
  }
}
