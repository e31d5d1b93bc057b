// `run`: trades on the venue of the configuration.

import type { Command } from 'commander';
import { systemClock } from '../clock/system.ts';
import { Session, type SessionOptions, withSessionOptions } from './daemon-session.ts';
import type { CliIo, Finish } from './io.ts';
import { CONFIG_DOC, CONFIG_FLAG, command, configured, credentialsOf } from './options.ts';

type RunOptions = SessionOptions & { readonly config: string };

export function runCommand(io: CliIo, finish: Finish): Command {
  const run = command('run', 'trades on the venue of the configuration').requiredOption(
    CONFIG_FLAG,
    CONFIG_DOC,
  );
  return withSessionOptions(run).action(async (options: RunOptions) => {
    const { settings, source, strategies } = await configured(io, options.config);
    const credentials = credentialsOf(io);
    const session = new Session(io, settings, { ...options, clock: systemClock() });
    try {
      const title = `bookend run · ${settings.venue.baseUrl}`;
      finish(await session.run(title, { settings, source, strategies, credentials }));
    } finally {
      await session.close();
    }
  });
}
