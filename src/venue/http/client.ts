// One call to the venue: its turn, its signature, its answer sorted, its cure where there is one.

import { consequenceOf, isVenueCode } from '../../domain/codes.ts';
import type { Failure, ReadOutcome, Refusal } from '../../domain/message.ts';
import type { VenueObserver } from '../../domain/observe.ts';
import { type Identity, isBearer } from '../../domain/secret.ts';
import type { Clock, Timers, UnixMs } from '../../domain/time.ts';
import type { Method } from '../../wire/signature.ts';
import type { SignedReads } from '../options.ts';
import {
  type Account,
  cureOf,
  isForWantOfSignature,
  isSame,
  signedHeaders,
  type VenueClock,
} from './account.ts';
import type { Base } from './base.ts';
import { type CallKind, classify } from './classify.ts';
import { type CalledOff, type Exchange, exchange } from './exchange.ts';
import type { LaneName, Lanes } from './lanes.ts';

export type Call<Value> = {
  readonly method: Method;
  /** Route template for labels, `/orders/:orderHash`. */
  readonly route: string;
  /** What is signed: after the prefix, with the query exactly as sent. */
  readonly path: string;
  /** Serialised once; the same bytes are signed and sent. */
  readonly body?: object;
  readonly lane: LaneName;
  readonly access: 'public' | 'auth';
  readonly kind: CallKind;
  /** Reads the payload; a `WireError` of it makes the answer unreadable. */
  readonly parse: (data: unknown) => Value;
  /** Reads the whole body where it is in plain form; `parse` looks at all others. */
  readonly readBytes?: (bytes: Uint8Array) => Value | undefined;
  /** The body is not shown: any 2xx answers the question. */
  readonly isBodyFree?: boolean;
  /** Goes before others that wait: what confirms where our orders and money are. */
  readonly isUrgent?: boolean;
  /** Why it must not leave any more; whatever has left is not taken back. */
  readonly calledOff?: CalledOff;
  /** How long it had waited when it left, from the decision on. */
  readonly waitedMs?: () => number | undefined;
  /** Told when the request leaves, and when its answer is there. */
  readonly onTimes?: (times: { readonly sentAtMs: UnixMs; readonly receivedAtMs: UnixMs }) => void;
};

export type ClientOptions = {
  readonly base: Base;
  readonly lanes: Lanes;
  readonly account: Account;
  readonly venueClock: VenueClock;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly totalMs: number;
  readonly observer: VenueObserver;
  /** Which public reads are signed, where there are credentials. */
  readonly signsReads: SignedReads;
  /** Measures the venue's clock anew; true when that worked. */
  readonly measureClock: () => Promise<boolean>;
};

type Attempt<Value> = {
  readonly outcome: ReadOutcome<Value>;
  readonly credentials: Identity | undefined;
};

export class Client {
  readonly #options: ClientOptions;
  /** Public reads that are signed: none, all but the time, or the time as well. */
  #signed: 'none' | 'reads' | 'all';
  /** Credentials that it refused on a public read: such reads do without them until it asks again. */
  #notForReads: Identity | undefined;

  constructor(options: ClientOptions) {
    this.#options = options;
    this.#signed = options.signsReads === 'always' ? 'reads' : 'none';
  }

  /**
   * Makes one call. A refused signature is cured in any case; only a read or a cancel is then made
   * once more, since an order whose first request was misjudged must not come into being twice.
   */
  async call<Value>(call: Call<Value>): Promise<ReadOutcome<Value>> {
    const first = await this.#attempt(call);
    if (first.outcome.kind !== 'refused') return first.outcome;
    const { refusal } = first.outcome;
    const isCured =
      call.access === 'public' && first.credentials === undefined
        ? await this.#isToBeSigned(refusal)
        : await this.#cure(call, refusal, first.credentials);
    if (!isCured || call.kind === 'write') return first.outcome;
    return (await this.#attempt(call)).outcome;
  }

  /** A venue that wants public reads signed says so, and then all of them are. */
  async #isToBeSigned(refusal: Refusal): Promise<boolean> {
    if (!isForWantOfSignature(refusal)) return false;
    const credentials = this.#options.account.current() ?? (await this.#firstCredentials());
    if (credentials === undefined) return false;
    this.#signed = 'all';
    this.#notForReads = undefined;
    return true;
  }

  /** The time is not signed unless that is asked for: a signature carries it. */
  #readerOf(call: Call<unknown>): Identity | undefined {
    const isSigned = this.#signed === 'all' || (this.#signed === 'reads' && !call.onTimes);
    return isSigned ? this.#reader() : undefined;
  }

  #reader(): Identity | undefined {
    const credentials = this.#options.account.current();
    // The venue serves a browser session less than anybody: it signs what has to be signed.
    const isToSpare =
      this.#signed === 'reads' && credentials !== undefined && isBearer(credentials);
    return isToSpare || isSame(credentials, this.#notForReads) ? undefined : credentials;
  }

  async #attempt<Value>(call: Call<Value>): Promise<Attempt<Value>> {
    let credentials = call.access === 'public' ? this.#readerOf(call) : undefined;
    if (call.access === 'auth') {
      // Known ones are not waited for: what is asked for is in flight when the call returns.
      credentials = this.#options.account.current() ?? (await this.#firstCredentials());
      if (!credentials) {
        return { outcome: this.#noted(call, notSent('no credentials'), 0), credentials };
      }
    }
    const { clock, lanes } = this.#options;
    const queuedAtMs = clock.nowMs();
    const turn = await lanes[call.lane].run(
      () => this.#send(call, credentials),
      call.isUrgent ?? false,
    );
    if (turn.kind === 'ran') return { outcome: turn.value, credentials };
    const outcome = this.#noted(call, notSent(turn.detail), clock.nowMs() - queuedAtMs);
    return { outcome, credentials };
  }

  async #send<Value>(
    call: Call<Value>,
    credentials: Identity | undefined,
  ): Promise<ReadOutcome<Value>> {
    const { base, clock, timers, lanes, totalMs } = this.#options;
    const body = call.body === undefined ? '' : JSON.stringify(call.body);
    const sentAtMs = clock.nowMs();
    const headers = this.#headers({ method: call.method, path: call.path, body }, credentials);
    const request = { method: call.method, path: `${base.prefix}${call.path}`, headers, body };
    const { calledOff } = call;
    const result = await exchange(lanes[call.lane].pool, request, { totalMs, timers, calledOff });
    const receivedAtMs = clock.nowMs();
    call.onTimes?.({ sentAtMs, receivedAtMs });
    this.#noteLeaving(call, result);
    const outcome = sortAnswer(call, result, this.#options.venueClock.nowMs());
    this.#obeyRetryAfter(call, outcome, credentials);
    return this.#noted(call, outcome, receivedAtMs - sentAtMs, result);
  }

  #noteLeaving({ kind, waitedMs }: Call<unknown>, result: Exchange): void {
    const ms = waitedMs?.();
    if (ms === undefined || (result.kind === 'failed' && !result.wasSent)) return;
    this.#options.observer.onLeft(kind === 'cancel' ? 'cancel' : 'place', ms);
  }

  #headers(
    request: { readonly method: Method; readonly path: string; readonly body: string },
    credentials: Identity | undefined,
  ): Readonly<Record<string, string>> {
    const headers: Record<string, string> = { accept: 'application/json' };
    if (request.body !== '') headers['content-type'] = 'application/json';
    if (credentials === undefined) return headers;
    const signed = signedHeaders(request, credentials, this.#options.venueClock.nowMs());
    return Object.assign(headers, signed);
  }

  async #firstCredentials(): Promise<Identity | undefined> {
    const { account } = this.#options;
    await account.renew(undefined);
    return account.current();
  }

  async #cure(call: Call<unknown>, refusal: Refusal, used: Identity | undefined): Promise<boolean> {
    const { account, measureClock } = this.#options;
    const cure = cureOf(refusal);
    switch (cure) {
      case 'clock':
        // The measurement itself would wait for itself.
        if (call.onTimes !== undefined) return false;
        return (await measureClock()) || this.#doWithout(call, used);
      case 'credentials':
        return (await account.renew(used)) || this.#doWithout(call, used);
      case 'both':
        if (call.access === 'public') return this.#doWithout(call, used);
        return (await account.renew(used)) || (await measureClock());
      case 'none':
        // Who may not trade may still read what anybody may.
        return consequenceOf(refusal.code) === 'reduceOnly' && this.#doWithout(call, used);
    }
  }

  /** A public read may leave unsigned where the venue does not take the signature: anybody may read it. */
  #doWithout(call: Call<unknown>, used: Identity | undefined): boolean {
    if (call.access !== 'public' || used === undefined) return false;
    this.#notForReads = used;
    return true;
  }

  /**
   * A venue that limits the reads of nobody has them signed from the next one on: how many it takes of nobody is not
   * shown, and no account waits for what nobody has used up. @spec Limits, rule 1
   */
  #obeyRetryAfter(
    call: Call<unknown>,
    outcome: ReadOutcome<unknown>,
    credentials: Identity | undefined,
  ): void {
    if (outcome.kind !== 'refused' || outcome.refusal.code !== 'rate_limited') return;
    const isOfNobody = call.access === 'public' && credentials === undefined;
    if (isOfNobody && this.#signed === 'none') this.#signed = 'reads';
    if (isOfNobody && this.#reader() !== undefined) return;
    this.#options.lanes[call.lane].closeFor(outcome.refusal.retryAfterMs ?? 0);
  }

  #noted<Outcome extends ReadOutcome<unknown>>(
    call: Call<unknown>,
    outcome: Outcome,
    durationMs: number,
    result?: Exchange,
  ): Outcome {
    this.#options.observer.onRequest({
      endpoint: `${call.method} ${call.route}`,
      result: outcome.kind,
      code: outcome.kind === 'refused' ? codeLabel(outcome.refusal.code, result) : undefined,
      durationMs,
    });
    return outcome;
  }
}

function sortAnswer<Value>(
  call: Call<Value>,
  result: Exchange,
  venueNowMs: UnixMs,
): ReadOutcome<Value> {
  const isFine = result.kind === 'answer' && result.status >= 200 && result.status < 300;
  if (call.isBodyFree && isFine) return { kind: 'ok', value: call.parse(undefined) };
  if (isFine && call.readBytes !== undefined && result.bytes !== undefined) {
    const value = call.readBytes(result.bytes);
    if (value !== undefined) return { kind: 'ok', value };
  }
  const { kind, access, parse } = call;
  return classify(result, { kind, access, parse, venueNowMs });
}

/** A label from a closed set: the venue's published codes, and the status class of the rest. */
function codeLabel(code: string | undefined, result: Exchange | undefined): string {
  if (code !== undefined && isVenueCode(code)) return code;
  return result?.kind === 'answer' ? `http_${Math.floor(result.status / 100)}xx` : 'other';
}

function notSent(detail: string): Failure {
  return { kind: 'notSent', detail };
}
