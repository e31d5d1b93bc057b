// How bugs are put in: methods replaced, moves of the order table, what is told, what is asked.

import type { Stepper } from '../../../src/app/loop.ts';
import { CODE_CONSEQUENCES, type Consequence, type VenueCode } from '../../../src/domain/codes.ts';
import type { Command, VenueCommand } from '../../../src/domain/command.ts';
import type { CoreSettings, Input } from '../../../src/domain/input.ts';
import type { VenueMessage } from '../../../src/domain/message.ts';
import { ORDER_MOVES, type OrderSignal, type OrderState } from '../../../src/domain/order.ts';

/** Replaces one method of a class; the answer puts it back. */
export function replaced<Class extends object, Name extends keyof Class>(
  prototype: Class,
  name: Name,
  make: (original: Class[Name]) => Class[Name],
): () => void {
  const original = prototype[name];
  prototype[name] = make(original);
  return () => {
    prototype[name] = original;
  };
}

/** Replaces what a getter of a class answers. */
export function regotten<Class extends object, Name extends keyof Class>(
  prototype: Class,
  name: Name,
  make: (of: Class, original: () => Class[Name]) => Class[Name],
): () => void {
  const before = Object.getOwnPropertyDescriptor(prototype, name);
  if (before?.get === undefined) throw new Error(`${String(name)} is a getter`);
  const { get } = before;
  Object.defineProperty(prototype, name, {
    ...before,
    get(this: Class) {
      return make(this, () => get.call(this));
    },
  });
  return () => {
    Object.defineProperty(prototype, name, before);
  };
}

/** Makes one move of the order table lead elsewhere. */
export function moved(from: OrderState, signal: OrderSignal, to: OrderState): () => void {
  const row = ORDER_MOVES[from].moves;
  const before = row[signal];
  Object.assign(row, { [signal]: to });
  return () => {
    Object.assign(row, { [signal]: before });
  };
}

/** Makes another consequence follow from one of the venue's codes. */
export function marked(code: VenueCode, consequence: Consequence): () => void {
  const before = CODE_CONSEQUENCES[code];
  Object.assign(CODE_CONSEQUENCES, { [code]: consequence });
  return () => {
    Object.assign(CODE_CONSEQUENCES, { [code]: before });
  };
}

export function all(...undoes: readonly (() => void)[]): () => void {
  return () => {
    for (const undo of [...undoes].reverse()) undo();
  };
}

/** A core that is told something else than the venue said. */
export function told(
  engine: Stepper,
  change: (message: VenueMessage) => readonly VenueMessage[],
): Stepper {
  return {
    step: (input) => {
      if (input.kind !== 'venue') return engine.step(input);
      const messages = change(input.message);
      return messages.flatMap((message) => engine.step({ ...input, message }));
    },
  };
}

/** A core whose commands to the venue leave changed. */
export function asked(
  engine: Stepper,
  change: (command: VenueCommand) => readonly VenueCommand[],
): Stepper {
  return {
    step: (input) => engine.step(input).flatMap((command) => changed(command, change)),
  };
}

/** A core that gives itself an order of the operator where `when` says so. */
export function obeying(
  engine: Stepper,
  when: (input: Input, commands: readonly Command[]) => boolean,
  kind: 'resume' = 'resume',
): Stepper {
  return {
    step: (input) => {
      const commands = engine.step(input);
      if (!when(input, commands)) return commands;
      const order = { kind, by: 'nobody' } as const;
      return [...commands, ...engine.step({ kind: 'operator', atMs: input.atMs, order })];
    },
  };
}

/** A core that reads its settings wrongly. */
export function misread(
  engine: Stepper,
  change: (settings: CoreSettings) => CoreSettings,
): Stepper {
  return {
    step: (input) =>
      engine.step(
        input.kind === 'settings' ? { ...input, settings: change(input.settings) } : input,
      ),
  };
}

export function hasReport(commands: readonly Command[], event: string): boolean {
  return commands.some((each) => each.kind === 'report' && each.report.event === event);
}

function changed(
  command: Command,
  change: (command: VenueCommand) => readonly VenueCommand[],
): readonly Command[] {
  if (command.kind !== 'venue') return [command];
  return change(command.command).map((each) => ({ kind: 'venue', command: each }));
}
