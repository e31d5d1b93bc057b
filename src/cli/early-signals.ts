// A signal that comes while the program still loads: nothing has been placed, so it ends cleanly. It
// is the first thing that is loaded and loads nothing itself.

import process from 'node:process';

/** Commands that trade; the others have nothing to clear up and end by the signal itself. */
const TRADING: readonly string[] = ['run', 'paper', 'trader'];
const SIGNALS: readonly (string | symbol)[] = ['SIGINT', 'SIGTERM'];

/** From here on a signal ends the process with 0, until somebody listens who knows more. */
export function holdSignals(argv: readonly string[]): void {
  if (!TRADING.includes(argv[0] ?? '')) return;
  for (const signal of SIGNALS) process.on(signal, endEarly);
  process.on('newListener', release);
}

function release(name: string | symbol): void {
  if (!SIGNALS.includes(name)) return;
  process.off('newListener', release);
  for (const signal of SIGNALS) process.off(signal, endEarly);
}

function endEarly(): void {
  process.stdout.write('ended before it had started; nothing was placed\n');
  process.exit(0);
}
