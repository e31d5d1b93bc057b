// What `run` does: a trader below a guard, or alone where the configuration wants none.

import type { ExitCode } from '../app/exit.ts';
import type { Part } from '../guard/child.ts';
import { GuardSession, guardSettings } from './guard-session.ts';
import type { CliIo } from './io.ts';
import { credentialsOf } from './options.ts';
import { serveAlone } from './serve-alone.ts';
import type { SessionOptions } from './session-options.ts';

/** @param ahead - The first trader, where it loads already. */
export async function runGuarded(
  io: CliIo,
  options: SessionOptions,
  ahead: Part | undefined,
): Promise<ExitCode> {
  const settings = await guardSettings(io, options.config);
  if (!settings.guard.enabled) {
    ahead?.signal('SIGKILL');
    const server = await serveAlone(io, options, settings);
    try {
      // Loaded here only: a guard has nothing of the daemon in it.
      const { tradeAlone } = await import('./trade.ts');
      return await tradeAlone(io, options, server);
    } finally {
      server.close();
    }
  }
  const session = new GuardSession(io, settings, options);
  try {
    return await session.run({ settings, credentials: credentialsOf(io), ahead });
  } finally {
    await session.close();
  }
}
