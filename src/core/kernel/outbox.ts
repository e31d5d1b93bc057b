// Where the core puts what it asks for and what it did, in order, until the step returns.

import type { MarketArms } from '../../domain/arms.ts';
import type { Command, VenueCommand } from '../../domain/command.ts';
import { type MarketId, type RequestId, requestId } from '../../domain/ids.ts';
import type { LedgerRecord } from '../../domain/record.ts';
import type { Report } from '../../domain/report.ts';

const NOTHING: readonly Command[] = Object.freeze([]);

export class Outbox {
  #commands: Command[] = [];
  #requests = 0;
  /** Grows with whatever may change what an order was admitted by. */
  changes = 0;

  nextRequestId(): RequestId {
    this.#requests += 1;
    return requestId(this.#requests);
  }

  send(command: VenueCommand): void {
    this.#commands.push({ kind: 'venue', command });
  }

  record(record: LedgerRecord): void {
    this.changes += 1;
    this.#commands.push({ kind: 'record', record });
  }

  report(report: Report): void {
    this.#commands.push({ kind: 'report', report });
  }

  arm(arms: MarketArms): void {
    this.#commands.push({ kind: 'arm', arms });
  }

  /** @param marketId - Every market where absent. */
  disarm(marketId: MarketId | undefined): void {
    this.#commands.push({ kind: 'disarm', marketId });
  }

  disarmPlacements(): void {
    this.#commands.push({ kind: 'disarmPlacements' });
  }

  /** Everything since the last call. */
  take(): readonly Command[] {
    // Most inputs ask for nothing, and so cost nothing.
    if (this.#commands.length === 0) return NOTHING;
    const commands = this.#commands;
    this.#commands = [];
    return commands;
  }
}
