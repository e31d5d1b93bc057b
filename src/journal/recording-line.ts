// What stands in a recording beside the inputs: where a part begins, what the core asked the venue for, what is
// missing, and marks by which a reader sees that nothing else is.

import { z } from 'zod';
import type { Command, VenueCommand } from '../domain/command.ts';
import type { Input } from '../domain/input.ts';
import { unixMs } from '../domain/time.ts';
import { toExact } from './exact.ts';
import { isInput, parsedLine } from './input-line.ts';

/** Whoever reads a recording of another format says so. */
export const RECORDING_FORMAT = 1;

const count = z.number().int().nonnegative();

/** What a core depends on beside its inputs, and what people want to know of the process. */
const facts = z.object({
  startedAtMs: z.number().transform(unixMs),
  version: z.string(),
  /** The arithmetic of another runtime may differ in the last digit. */
  node: z.string(),
  /** Strategies that are not asked for a while from the start on. */
  suspended: z
    .array(
      z.object({
        strategy: z.string(),
        place: z.string().optional(),
        forMs: z.number(),
        times: z.number(),
        detail: z.string(),
      }),
    )
    .readonly(),
});

/** The first line of every file. */
const part = z.object({
  kind: z.literal('part'),
  format: z.number(),
  run: z.string(),
  part: count,
  /** Inputs in the parts before it. */
  inputs: count,
  /** `Chain` over the parts before it. */
  chain: z.string(),
  about: facts,
});

const mark = z.object({
  /** `end`: the process has ended in good order, and nothing follows. */
  kind: z.enum(['mark', 'end']),
  /** Before it, in all parts. */
  inputs: count,
  /** Over every line before it, in all parts. */
  chain: z.string(),
  /** Over the lines of commands before it. */
  commands: z.string(),
});

const gap = z.object({
  kind: z.literal('gap'),
  lines: count,
  /** Of these lines. */
  inputs: count,
  why: z.string(),
});

const commands = z.object({
  kind: z.literal('commands'),
  /** Number of the input that they answer, from 1. */
  input: count,
  commands: z.array(z.object({ kind: z.string() }).loose()).readonly(),
});

const line = z.discriminatedUnion('kind', [part, mark, gap, commands]);

export type RunFacts = Readonly<z.infer<typeof facts>>;
export type PartLine = Readonly<z.infer<typeof part>>;
export type MarkLine = Readonly<z.infer<typeof mark>>;
export type GapLine = Readonly<z.infer<typeof gap>>;
export type CommandsLine = Readonly<z.infer<typeof commands>>;
export type RecordingLine = PartLine | MarkLine | GapLine | CommandsLine;

/** Without its line end. */
export function encodeLine(of: PartLine | MarkLine | GapLine): string {
  return JSON.stringify(of);
}

/** What of these goes to the venue, as one line without its end; `undefined` where nothing does. */
export function encodeCommands(input: number, all: readonly Command[]): string | undefined {
  const asked = venueCommands(all);
  if (asked.length === 0) return undefined;
  return JSON.stringify({ kind: 'commands', input, commands: asked.map(toExact) });
}

function venueCommands(all: readonly Command[]): readonly VenueCommand[] {
  return all.flatMap((each) => (each.kind === 'venue' ? [each.command] : []));
}

/** Any line of a recording; `undefined` when it is none. */
export function decodeLine(text: string): Input | RecordingLine | undefined {
  const value = parsedLine(text);
  if (isInput(value)) return value;
  const read = line.safeParse(value);
  return read.success ? read.data : undefined;
}
