// A signal that comes while the program still loads: nothing has been placed, so it ends cleanly. It
// is the first thing that is loaded and loads nothing itself.

import process from 'node:process';
import { isatty } from 'node:tty';

export const ENDED_EARLY = 'ended before it had started; nothing was placed';

/** Commands that trade; the others have nothing to clear up and end by the signal itself. */
const TRADING: readonly string[] = ['run', 'paper', 'trader'];
const PARTS: readonly string[] = ['http', 'paper-venue'];
const SIGNALS: readonly (string | symbol)[] = ['SIGINT', 'SIGTERM', 'SIGQUIT'];

/**
 * From here on a signal ends the process with 0, until somebody listens who knows more. When that one
 * has heard enough, a signal does nothing: the process is about to end with an exit code of its own.
 */
export function holdSignals(argv: readonly string[]): void {
  // Whoever has started these ends them: a Ctrl-C of the terminal is not for them.
  if (PARTS.includes(argv[0] ?? '')) for (const signal of SIGNALS) process.on(signal, () => {});
  if (!TRADING.includes(argv[0] ?? '')) return;
  // The configuration is still to be read; with a terminal it may be that one which is gone.
  if (![0, 1, 2].some((fd) => isatty(fd))) process.on('SIGHUP', () => {});
  // Suspended with Ctrl-Z, guard and trader would leave the orders to nobody.
  process.on('SIGTSTP', () => {});
  let isEarly = true;
  for (const signal of SIGNALS) {
    process.on(signal, () => {
      if (!isEarly) return;
      // A trader in reserve hears the terminal as well, and has nothing to tell.
      if (argv[0] === 'trader') process.exit(0);
      process.stdout.write(`${ENDED_EARLY}\n`);
      process.exit(0);
    });
  }
  process.on('newListener', (name) => {
    if (SIGNALS.includes(name)) isEarly = false;
  });
}
