// `run`: trades on the venue of the configuration, below a guard.

import type { Command } from 'commander';
import { GuardSession, guardSettings } from './guard-session.ts';
import type { CliIo, Finish } from './io.ts';
import { CONFIG_DOC, CONFIG_FLAG, command, credentialsOf } from './options.ts';
import { type SessionOptions, withSessionOptions } from './session-options.ts';

export function runCommand(io: CliIo, finish: Finish): Command {
  const run = command('run', 'trades on the venue of the configuration').requiredOption(
    CONFIG_FLAG,
    CONFIG_DOC,
  );
  return withSessionOptions(run).action(async (options: SessionOptions) => {
    const settings = await guardSettings(io, options.config);
    if (!settings.guard.enabled) {
      // Loaded here only: a guard has nothing of the daemon in it.
      const { tradeAlone } = await import('./trade.ts');
      finish(await tradeAlone(io, options));
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
