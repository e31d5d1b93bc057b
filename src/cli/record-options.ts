// What a recording of market data may take of the disk, and how a dry run is told to make one.

import { type Command, InvalidArgumentError } from 'commander';

export type DryRecordOptions = {
  readonly record?: string | undefined;
  readonly recordMaxMb?: number | undefined;
};

export const MAX_MB_DEFAULT = 10_000;
/** Less has no room for the sixteen segments of a recording and their books. */
const MAX_MB_MIN = 4;
const MAX_MB_MAX = 10_000_000;
export const BYTES_PER_MB = 1_000_000;

export function withRecordOptions(command: Command): Command {
  return command
    .option('--record <folder>', 'with --dry-run: records the market data that it sees')
    .option(
      '--record-max-mb <megabytes>',
      `room for that; then the oldest goes (default: ${MAX_MB_DEFAULT})`,
      parseMegabytes,
    );
}

/** The same options as arguments, for another process. */
export function recordArgs({ record, recordMaxMb }: DryRecordOptions): readonly string[] {
  return [
    ...(record === undefined ? [] : ['--record', record]),
    ...(recordMaxMb === undefined ? [] : ['--record-max-mb', String(recordMaxMb)]),
  ];
}

export function parseMegabytes(text: string): number {
  const megabytes = Number(text);
  if (/^\d+$/.test(text) && megabytes >= MAX_MB_MIN && megabytes <= MAX_MB_MAX) return megabytes;
  throw new InvalidArgumentError(`not megabytes, ${MAX_MB_MIN} to ${MAX_MB_MAX}`);
}
