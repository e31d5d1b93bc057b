// What every room of rules has before it, and what it may hear.

import type { Command, VenueCommand } from '../../../src/domain/command.ts';
import type { CoreSettings, Input, OperatorOrder } from '../../../src/domain/input.ts';
import type { VenueMessage } from '../../../src/domain/message.ts';
import type { LedgerRecord, StoredSets } from '../../../src/domain/record.ts';
import type { Report } from '../../../src/domain/report.ts';
import type { StateView } from '../../../src/domain/view.ts';
import type { ApiResponse } from '../../../src/paper/api/message.ts';
import type { DirectVenue } from '../../../src/paper/direct.ts';
import type { Account } from '../../../src/paper/exchange/account.ts';
import type { ExchangeEvent } from '../../../src/paper/exchange/events.ts';
import type { Flight, NamedCancel, PlaceCommand, SetsCommand } from '../world/network.ts';
import type { Tally } from '../world/tally.ts';
import type { OrderFact, OrderFacts } from './facts.ts';
import type { Faults } from './faults.ts';
import type { Lately } from './lately.ts';
import type { Levels } from './levels.ts';
import type { Nets } from './nets.ts';
import type { Processes, ProcessStart } from './processes.ts';
import type { SeenPositions } from './seen.ts';
import type { SetsUnderWay } from './sets-under-way.ts';
import type { HeldOnDisk, Stops } from './stops.ts';
import type { Unreported } from './unreported.ts';

export type Violation = { readonly rule: string; readonly detail: string; readonly atMs: number };

export type Fault = Omit<Violation, 'atMs'>;

export type AuditorParts = {
  readonly venue: DirectVenue;
  readonly account: Account;
  readonly nowMs: () => number;
  /** The machine's clock, where it is another one. */
  readonly hostMs?: () => number;
  readonly marks: Tally;
  readonly settings: CoreSettings;
  /** Whether an intent is on the disk; without one nothing is, and nothing has to be. */
  readonly isKept?: (intentId: string) => boolean;
  /** Whether the venue cancels the rest of an order that has traded in part. */
  readonly cancelsParts?: boolean;
  /** Whether every settlement says of which token it is. */
  readonly namesTokens?: boolean;
  /** Whether a split, merge or redeem is on the disk. */
  readonly isChainActionKept?: (id: string) => boolean;
  /** Splits, merges and redeems as the disk has them; `undefined` without one. */
  readonly setsOnDisk?: () => readonly StoredSets[] | undefined;
  /** What the daemon shows an operator; `undefined` while no process runs. */
  readonly view?: () => StateView | undefined;
  /** Whether something beside the plan may lose or delay frames. */
  readonly isDisturbed?: boolean;
  /** What the disk has of all that stops or holds the daemon; `undefined` without one. */
  readonly heldOnDisk?: () => HeldOnDisk | undefined;
};

/** What all rooms share: the facts of the venue's side, and what is known of the daemon beside them. */
export type Room = AuditorParts & {
  readonly facts: OrderFacts;
  readonly processes: Processes;
  readonly stops: Stops;
  /** What the daemon says of its positions. */
  readonly seen: SeenPositions;
  readonly setsUnderWay: SetsUnderWay;
  /** What may not have been reported to the daemon yet. */
  readonly unreported: Unreported;
  readonly faults: Faults;
  /** What the daemon has said of its controls. */
  readonly levels: Levels;
  /** What the net position of each market has been lately. */
  readonly nets: Nets;
  /** Limits that may be in force; those of `settings` are the ones that it began with. */
  readonly lately: Lately;
  readonly violate: (rule: string, detail: string) => void;
};

/** Some rules, and what they have to hear of to be kept. */
export interface Rules {
  // The daemon
  onProcessStarts?(start: ProcessStart): void;
  onProcessEnds?(): void;
  /** It decides, which it does on ticks. */
  onTurn?(): void;
  onSettings?(settings: CoreSettings): void;
  onOperator?(order: OperatorOrder): void;
  onReport?(report: Report): void;
  onRecord?(record: LedgerRecord): void;
  onPlacing?(placing: PlaceCommand): void;
  onChanging?(changing: SetsCommand): void;
  /** The next input of the core. */
  onInput?(input: Input): void;
  /** Whatever a step of the core asked for. */
  onCommanded?(command: Command): void;
  /** A cancel or a placement leaves that a frame has set off, and no step has asked for. */
  onFiring?(command: NamedCancel | PlaceCommand): void;
  /** Whatever is asked of the venue. */
  onAsking?(command: VenueCommand): void;
  /** What has to be kept was written, or the daemon was told that it was not. */
  onDisk?(isWritten: boolean): void;
  /** The core is about to be notified of it, which may be a while after it came. */
  onTaken?(message: VenueMessage): void;
  /** Nobody else moves any more. */
  onStill?(): void;
  // The network
  onSent?(flight: Flight): void;
  onAnswer?(flight: Flight, response: ApiResponse): void;
  onLimited?(flight: Flight, retryAfterMs: number): void;
  onMessage?(message: VenueMessage): void;
  // The venue
  onEvent?(event: ExchangeEvent): void;
  /** An order of the daemon's own, no double and nobody else's. */
  onAccepted?(fact: OrderFact): void;
  /** After each moment of the simulation. */
  check?(nowMs: number): void;
  /** What the daemon says of its positions was read anew, which is once a second. */
  onLook?(nowMs: number): void;
}
