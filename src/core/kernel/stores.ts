// What every room of the core may look at. Each room has a `stores.ts`: it names the stores of the room, and takes in
// those of the rooms below. A function asks for the lowest of them that has all it needs, and sees nothing above.
// What is `readonly` here is written by a room above, which says so in its own `stores.ts`.

import type { MarketId } from '../../domain/ids.ts';
import type { CoreSettings } from '../../domain/input.ts';
import type { Event } from '../../domain/market.ts';
import type { CancelOutcome, ReadOutcome } from '../../domain/message.ts';
import { addMs, type UnixMs, unixMs } from '../../domain/time.ts';
import type { ListedMarket, WorkQueue } from './market.ts';
import type { Outbox } from './outbox.ts';

export interface KernelStores<Market extends ListedMarket = ListedMarket> {
  /** The moment of this step. */
  readonly nowMs: UnixMs;
  readonly clock: Readonly<Clock>;
  readonly outbox: Outbox;
  readonly settings: CoreSettings | undefined;
  /** Short name of the settings in force. */
  readonly settingsVersion: string;
  readonly catalogue: readonly Event[] | undefined;
  readonly connection: Readonly<Connection>;
  readonly markets: ReadonlyMap<MarketId, Market>;
  /** Grows whenever a market comes or goes. */
  readonly marketsVersion: number;
  readonly workQueue: WorkQueue<Market>;
}

// Whether the venue hears and answers us.

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
  /** When the newest read left that was answered. */
  answeredReadAtMs: UnixMs = unixMs(0);

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

// What the time is in here, and how far our clock is from the venue's. @spec Authentication › Signature, rule 3

export class Clock {
  nowMs: UnixMs = unixMs(0);
  /** When our clock jumped by more than a wait for the venue has to spare. */
  jumpedAtMs: UnixMs | undefined;
  /** By how much it has jumped in this run, all jumps together. */
  jumpedByMs = 0;
  /** The venue's clock minus ours, as it was last measured. */
  offsetMs: number | undefined;
  /** The same as the run before this one last kept it. */
  offsetBeforeMs: number | undefined;
  /** As it was last kept, by a previous run perhaps; nothing where it never was seconds off. */
  knownOffsetMs = 0;

  /** What time it is there, as far as that is known: what people have dated is of no clock of ours that was set. */
  get venueMs(): UnixMs {
    return addMs(this.nowMs, this.offsetMs ?? 0);
  }

  /**
   * By which offset a previous run may have dated what it sent: whichever clock was further ahead. Without
   * the venue's clock of now nobody knows.
   */
  get lowestOffsetMs(): number | undefined {
    const { offsetMs } = this;
    if (offsetMs === undefined) return undefined;
    return Math.min(offsetMs, this.offsetBeforeMs ?? offsetMs);
  }
}

// What is said of an answer that is not what was asked for.

/** Why it failed, with the venue's own code or the cause of the silence. */
export function failureText(
  outcome: Exclude<CancelOutcome | ReadOutcome<unknown>, { kind: 'accepted' } | { kind: 'ok' }>,
): string {
  switch (outcome.kind) {
    case 'refused':
      return `refused: ${outcome.refusal.code ?? 'no code'} ${outcome.refusal.message}`;
    case 'unknown':
      return `unknown: ${outcome.cause} ${outcome.detail}`;
    case 'notSent':
      return `not sent: ${outcome.detail}`;
  }
}
