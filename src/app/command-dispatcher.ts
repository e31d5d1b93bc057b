// What a step asked for leaves here, in its order: cancels first, and placements once their intents
// are on the disk.

import { SIGNED_WITHIN_MS } from '../core/kernel/bounds.ts';
import type { AgeMs, Command, VenueCommand, VenuePort } from '../domain/command.ts';
import type { LedgerRecord } from '../domain/record.ts';
import type { JournalWriter } from './journal-writer.ts';

type Intent = Extract<VenueCommand, { kind: 'placeOrders' | 'changeSets' }>;

export type DispatcherOptions = {
  readonly send: VenuePort['send'];
  readonly writer: Pick<JournalWriter, 'keep' | 'commit' | 'onTurn' | 'fault'> | undefined;
  /** An intent that is not durable, or too old, does not leave, and is told so. */
  readonly onRefused: (intent: Intent, why: string) => void;
  /** Everything has left. */
  readonly onLeft: (commands: readonly Command[]) => void;
  /** Runs a task after what cancels need to be written, and calls it off. */
  readonly later: (task: () => void) => () => void;
};

/** Placements of a step that let the cancels before them be written first. */
type Held = { readonly commands: readonly Command[]; readonly from: number; readonly ageMs: AgeMs };

/**
 * Placements wait behind the cancels of their step: the wrong quote is what costs money, and a commit
 * of the intents in front of it would cost it a third of its way. They wait for nothing else, and
 * nothing overtakes them: whoever has more to say lets them leave first.
 */
export class CommandDispatcher {
  readonly #options: DispatcherOptions;
  #held: Held | undefined;
  #owesTurn = false;
  #callOff: () => void = () => {};

  constructor(options: DispatcherOptions) {
    this.#options = options;
  }

  /**
   * Takes the commands of one step. What an earlier step asked for has left: see `flush`.
   * @param ageMs - How long ago they were decided on.
   */
  take(commands: readonly Command[], ageMs: AgeMs): void {
    if (commands.length === 0) return;
    const { writer, later, onLeft } = this.#options;
    for (const command of commands) if (command.kind === 'record') writer?.keep(command.record);
    const from = heldFrom(commands);
    this.#send({ commands, from: 0, ageMs }, from);
    if (from === commands.length) {
      onLeft(commands);
      return;
    }
    this.#held = { commands, from, ageMs };
    this.#callOff = later(() => this.flush());
  }

  /** Lets go of what waits, now. */
  flush(): void {
    const held = this.#held;
    if (held === undefined) return;
    this.#letGo();
    const { commands } = held;
    this.#send(held, commands.length);
    this.#options.onLeft(commands);
    if (this.#owesTurn) this.endTurn();
  }

  /** Orders that leave between two steps: their intents are kept first, as those of a step are. */
  leaveAhead(command: Intent, intents: readonly LedgerRecord[], ageMs: AgeMs): void {
    this.flush();
    for (const intent of intents) this.#options.writer?.keep(intent);
    this.#sendOne(command, ageMs);
  }

  /** The turn is over: what it left to be written is written, behind placements that wait. */
  endTurn(): void {
    this.#owesTurn = this.#held !== undefined;
    if (!this.#owesTurn) this.#options.writer?.onTurn();
  }

  /** What waits never leaves. */
  stop(): void {
    this.#letGo();
    this.#owesTurn = false;
  }

  #letGo(): void {
    this.#callOff();
    this.#callOff = () => {};
    this.#held = undefined;
  }

  #send({ commands, from, ageMs }: Held, to: number): void {
    for (let index = from; index < to; index += 1) {
      const command = commands[index];
      if (command?.kind === 'venue') this.#sendOne(command.command, ageMs);
    }
  }

  /** An order leaves only when its intent is durable; everything else waits for no disk. */
  #sendOne(command: VenueCommand, ageMs: AgeMs): void {
    const { send, onRefused } = this.#options;
    const isIntent = command.kind === 'placeOrders' || command.kind === 'changeSets';
    const why = isIntent ? this.#whyNot(ageMs) : undefined;
    if (!isIntent || why === undefined) send(command, ageMs);
    else onRefused(command, why);
  }

  /** The disk may have taken its time: asked when it has. */
  #whyNot(ageMs: AgeMs): string | undefined {
    const { writer } = this.#options;
    if (writer !== undefined && !writer.commit())
      return `the ledger cannot be written: ${writer.fault ?? 'not writable'}`;
    const ms = ageMs();
    return ms > SIGNED_WITHIN_MS ? `decided on ${Math.round(ms)} ms ago` : undefined;
  }
}

/** Where the placements begin that end a step which also cancels; without them, behind everything. */
function heldFrom(commands: readonly Command[]): number {
  let from = commands.length;
  for (let index = commands.length - 1; index >= 0; index -= 1) {
    const command = commands[index];
    if (command?.kind !== 'venue') continue;
    if (command.command.kind === 'placeOrders') from = index;
    else return command.command.kind === 'cancelOrders' ? from : commands.length;
  }
  return commands.length;
}
