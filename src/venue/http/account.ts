// Who we are to the venue, at which time: signed headers, and the cure of a refused signature.
// @spec Authentication

import { consequenceOf } from '../../domain/codes.ts';
import type { Credentials } from '../../domain/secret.ts';
import { addMs, type Clock, type UnixMs, unixSec } from '../../domain/time.ts';
import { type Method, signature } from '../../wire/signature.ts';
import type { ClockReading, CredentialsProvider } from '../options.ts';
import { narrow, type OffsetBounds, offsetMs } from './clock-offset.ts';

export type Signed = { readonly method: Method; readonly path: string; readonly body: string };

/** The venue's clock as we know it. */
export class VenueClock {
  readonly #clock: Clock;
  #bounds: OffsetBounds | undefined;

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

  /** Takes in one answer of `GET /time`. */
  learn(probe: Parameters<typeof narrow>[1]): ClockReading {
    this.#bounds = narrow(this.#bounds, probe);
    const roundTripMs = probe.receivedAtMs - probe.sentAtMs;
    return { offsetMs: Math.round(offsetMs(this.#bounds)), roundTripMs };
  }
}

/** The four headers of a signed request. @spec Authentication › Request headers (HMAC) */
export function signedHeaders(
  request: Signed,
  credentials: Credentials,
  at: UnixMs,
): Readonly<Record<string, string>> {
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
  #reloading: Promise<void> | undefined;

  constructor(provider: CredentialsProvider, onChanged: () => void) {
    this.#provider = provider;
    this.#onChanged = onChanged;
  }

  current(): Credentials | undefined {
    return this.#provider.current();
  }

  /**
   * Reads credentials again unless that has happened since `used` were current.
   * @returns Whether other ones than `used` are there now.
   */
  async renew(used: Credentials | undefined): Promise<boolean> {
    if (isSame(used, this.current())) {
      this.#reloading ??= this.#reload(used).finally(() => {
        this.#reloading = undefined;
      });
      await this.#reloading;
    }
    return !isSame(used, this.current());
  }

  async #reload(used: Credentials | undefined): Promise<void> {
    try {
      await this.#provider.reload();
    } catch {
      // A source that cannot be read leaves the old credentials, which is the answer.
    }
    if (!isSame(used, this.current())) this.#onChanged();
  }
}

/** What a refused signature calls for. @spec Authentication › Signature, rule 4 */
export function cureOf(code: string | undefined): 'clock' | 'credentials' | 'none' {
  const consequence = consequenceOf(code);
  if (consequence === 'resyncClock') return 'clock';
  return consequence === 'reloadCredentials' ? 'credentials' : 'none';
}

function isSame(one: Credentials | undefined, other: Credentials | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  return (
    one.apiKey.reveal() === other.apiKey.reveal() &&
    one.apiSecret.reveal() === other.apiSecret.reveal() &&
    one.apiPassphrase.reveal() === other.apiPassphrase.reveal()
  );
}
