// Options of the commands that may play a recording.

import { type Command, InvalidArgumentError } from 'commander';
import type { ReplayChoice } from '../app/embedded.ts';
import type { Settings } from '../settings/settings.ts';
import { parseSpeed } from './command.ts';

export type ReplayOptions = {
  readonly replay?: string;
  readonly speed?: number;
  readonly marketsMax?: number;
  readonly exitAtEnd?: boolean;
};

/** A recording may hold hundreds of markets; one daemon has 300 writes in 10 s for all of them. */
const MARKETS_MAX_DEFAULT = 20;

export function withReplayOptions(command: Command): Command {
  return command
    .option('--replay <file>', 'play a recording (.ndjson.gz) instead of synthetic traders')
    .option('--speed <times>', 'recorded time per real time', parseSpeed)
    .option(
      '--markets-max <count>',
      `markets of the recording, the most active first (default: ${MARKETS_MAX_DEFAULT})`,
      parseCount,
    );
}

export function replayChoice(
  options: ReplayOptions,
  { paper }: Pick<Settings, 'paper'>,
): ReplayChoice | undefined {
  if (options.replay === undefined) return undefined;
  return {
    file: options.replay,
    speed: options.speed ?? paper.replaySpeed,
    marketsMax: options.marketsMax ?? MARKETS_MAX_DEFAULT,
  };
}

/** The same options as arguments, for another process. */
export function replayArgs({ replay, speed, marketsMax }: ReplayOptions): readonly string[] {
  return [
    ...(replay === undefined ? [] : ['--replay', replay]),
    ...(speed === undefined ? [] : ['--speed', String(speed)]),
    ...(marketsMax === undefined ? [] : ['--markets-max', String(marketsMax)]),
  ];
}

function parseCount(text: string): number {
  const count = Number(text);
  if (!/^\d+$/.test(text) || count < 1 || count > 10_000) {
    throw new InvalidArgumentError('not a count, 1 to 10000');
  }
  return count;
}
