// `run`: trades on the venue of the configuration, below a guard.

import type { Command } from 'commander';
import { BotError } from '../domain/errors.ts';
import { GuardSession, guardSettings } from './guard-session.ts';
import type { CliIo, Finish } from './io.ts';
import { CONFIG_DOC, CONFIG_FLAG, command, credentialsOf } from './options.ts';
import { type DryRecordOptions, withRecordOptions } from './record-options.ts';
import { serveAlone } from './serve-alone.ts';
import { type SessionOptions, withSessionOptions } from './session-options.ts';

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
    const settings = await guardSettings(io, options.config);
    if (!settings.guard.enabled) {
      const server = await serveAlone(io, options, settings);
      try {
        // Loaded here only: a guard has nothing of the daemon in it.
        const { tradeAlone } = await import('./trade.ts');
        finish(await tradeAlone(io, options, server));
      } finally {
        server.close();
      }
      return;
    }
    const session = new GuardSession(io, settings, options);
    try {
      finish(await session.run({ settings, credentials: credentialsOf(io) }));
    } finally {
      await session.close();
    }
  });
}
