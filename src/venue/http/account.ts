// Who we are to the venue, at which time: signed headers, and the cure of a refused signature.
// @spec Authentication

import { consequenceOf, isVenueCode } from '../../domain/codes.ts';
import type { Refusal } from '../../domain/message.ts';
import { type Identity, isBearer } from '../../domain/secret.ts';
import { addMs, type Clock, type UnixMs, unixSec } from '../../domain/time.ts';
import { type Method, signature } from '../../wire/signature.ts';
import type { ClockReading, CredentialsProvider } from '../options.ts';
import { contradicts, narrow, type OffsetBounds, offsetMs } from './clock-offset.ts';

export type Signed = { readonly method: Method; readonly path: string; readonly body: string };

/** The venue's clock as we know it. */
export class VenueClock {
  readonly #clock: Clock;
  #bounds: OffsetBounds | undefined;
  /** By a probe that contradicts it, and that no other has confirmed. */
  #odd: OffsetBounds | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Zero until it has been measured. */
  offsetMs(): number {
    return this.#bounds ? offsetMs(this.#bounds) : 0;
  }

  /** The venue's time now, as far as we know. */
  nowMs(): UnixMs {
    return addMs(this.#clock.nowMs(), Math.round(this.offsetMs()));
  }

  /**
   * Takes in one answer of `GET /time`. One that contradicts those before may be of a machine whose own clock is off:
   * two say that a clock was stepped.
   * @returns Nothing where another answer has to confirm this one; the last of those that are asked for counts.
   */
  learn(probe: Parameters<typeof narrow>[1], isLast = true): ClockReading | undefined {
    const isOdd = contradicts(this.#bounds, probe);
    const isAlone = isOdd && (this.#odd === undefined || contradicts(this.#odd, probe));
    if (isAlone && !isLast) {
      this.#odd = narrow(undefined, probe);
      return undefined;
    }
    this.#bounds = narrow(isOdd ? this.#odd : this.#bounds, probe);
    this.#odd = undefined;
    const roundTripMs = probe.receivedAtMs - probe.sentAtMs;
    return { offsetMs: Math.round(offsetMs(this.#bounds)), roundTripMs };
  }
}

/**
 * The four headers of a signed request, or the one of a browser session.
 * @spec Authentication › Request headers (HMAC), Bearer token (browser sessions)
 */
export function signedHeaders(
  request: Signed,
  credentials: Identity,
  at: UnixMs,
): Readonly<Record<string, string>> {
  if (isBearer(credentials)) {
    return { authorization: `Bearer ${credentials.bearerToken.reveal()}` };
  }
  const atSec = unixSec(at);
  return {
    'SERVICE-API-KEY': credentials.apiKey.reveal(),
    'SERVICE-TIMESTAMP': String(atSec),
    'SERVICE-PASSPHRASE': credentials.apiPassphrase.reveal(),
    'SERVICE-SIGNATURE': signature(request, { secret: credentials.apiSecret, atSec }),
  };
}

/** Credentials that can be read again, by one reader at a time. */
export class Account {
  readonly #provider: CredentialsProvider;
  readonly #onChanged: () => void;
  /** Those that were there last. */
  #known: Identity | undefined;
  #reloading: Promise<void> | undefined;

  constructor(provider: CredentialsProvider, onChanged: () => void) {
    this.#provider = provider;
    this.#onChanged = onChanged;
    this.#known = provider.current();
  }

  /** A file on a disk that hangs is read when everybody has stopped waiting for it: who asks next hears of it. */
  current(): Identity | undefined {
    const current = this.#provider.current();
    if (isSame(this.#known, current)) return current;
    this.#known = current;
    this.#onChanged();
    return current;
  }

  /**
   * Reads credentials again unless that has happened since `used` were current.
   * @returns Whether other ones than `used` are there now.
   */
  async renew(used: Identity | undefined): Promise<boolean> {
    if (isSame(used, this.current())) {
      this.#reloading ??= this.#reload().finally(() => {
        this.#reloading = undefined;
      });
      await this.#reloading;
    }
    return !isSame(used, this.current());
  }

  async #reload(): Promise<void> {
    try {
      await this.#provider.reload();
    } catch {
      // A source that cannot be read leaves the old credentials, which is the answer.
    }
  }
}

/**
 * What a refused signature calls for; the older reference names no code, and then a status says that it is one of both.
 * @spec Authentication › Signature, rule 4, Errors
 */
export function cureOf({ code, httpStatus }: Refusal): 'clock' | 'credentials' | 'both' | 'none' {
  if (code === undefined || !isVenueCode(code)) {
    return httpStatus === 401 || httpStatus === 403 ? 'both' : 'none';
  }
  const consequence = consequenceOf(code);
  if (consequence === 'resyncClock') return 'clock';
  return consequence === 'reloadCredentials' ? 'credentials' : 'none';
}

/** Whether an unsigned read was refused because it was unsigned: by a code, or by the status alone. */
export function isForWantOfSignature(refusal: Refusal): boolean {
  return ['credentials', 'both'].includes(cureOf(refusal));
}

/** Whether both are the same credentials, or none. */
export function isSame(one: Identity | undefined, other: Identity | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  if (isBearer(one) || isBearer(other)) {
    if (!isBearer(one) || !isBearer(other)) return false;
    return one.bearerToken.reveal() === other.bearerToken.reveal();
  }
  return (
    one.apiKey.reveal() === other.apiKey.reveal() &&
    one.apiSecret.reveal() === other.apiSecret.reveal() &&
    one.apiPassphrase.reveal() === other.apiPassphrase.reveal()
  );
}
