// `run`: trades on the venue of the configuration, below a guard. Little is loaded before its options are read.

import type { Command } from 'commander';
import { BotError } from '../domain/errors.ts';
import { CONFIG_DOC, CONFIG_FLAG, command } from './command.ts';
import type { CliIo, Finish } from './io.ts';
import { type DryRecordOptions, withRecordOptions } from './record-options.ts';
import { type SessionOptions, withSessionOptions } from './session-options.ts';
import { withTraderAhead } from './trader-ahead.ts';

type RunOptions = SessionOptions & DryRecordOptions & { readonly dryRun?: boolean };

export function runCommand(io: CliIo, finish: Finish): Command {
  const run = command('run', 'trades on the venue of the configuration').requiredOption(
    CONFIG_FLAG,
    CONFIG_DOC,
  );
  run.option('--dry-run', 'the books and trades of that venue; own orders are only simulated');
  withRecordOptions(run);
  return withSessionOptions(run).action(async (options: RunOptions) => {
    if (options.dryRun === true) {
      const { dryRun } = await import('./dry-run.ts');
      finish(await dryRun(io, options));
      return;
    }
    if (options.record !== undefined) {
      throw new BotError(
        'settings.invalid',
        '--record: a dry run records (--dry-run), or `record`',
      );
    }
    const code = await withTraderAhead(io, options, async (ahead) => {
      const { runGuarded } = await import('./run-guarded.ts');
      return await runGuarded(io, options, ahead);
    });
    finish(code);
  });
}
