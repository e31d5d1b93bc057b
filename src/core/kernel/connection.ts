// Whether the venue hears and answers us.

import { type UnixMs, unixMs } from '../../domain/time.ts';

export class Connection {
  isSocketOpen = false;
  isAuthenticated = false;
  /** Since when the user channel has been up without a break. */
  authenticatedSinceMs: UnixMs = unixMs(0);
  /** What the venue said when it last refused our session; none once it let us in. */
  authRefusal: string | undefined;
  /** When any book or trade was last reported for: the feed is alive, however quiet a market is. */
  heardAtMs: UnixMs = unixMs(0);
  /** Whether the last read was answered, be it by a refusal. */
  isAnswering = true;

  onSocket(isOpen: boolean): void {
    this.isSocketOpen = isOpen;
    if (!isOpen) this.isAuthenticated = false;
  }

  onAuthenticated(nowMs: UnixMs): void {
    this.isAuthenticated = true;
    this.authenticatedSinceMs = nowMs;
    this.authRefusal = undefined;
  }

  onAuthRefused(detail: string): void {
    this.isAuthenticated = false;
    this.authRefusal = detail;
  }
}
