// An operator at the terminal of the daemon: the same orders as over HTTP, by the same ways into the core and onto
// the record. Whoever can type there could end the process, so that nothing more is asked for.

import { ControlRefused } from '../app/control-refused.ts';
import type { Daemon } from '../app/daemon.ts';
import { commandName } from './daemon-http.ts';
import { noneLeft } from './kill-lines.ts';
import type { KeyOrder } from './screen-keys.ts';

type Controlled = Pick<Daemon, 'kill' | 'pause' | 'resume' | 'ofMarket'>;

/** As latch and record name it. */
export const AT_TERMINAL = commandName('terminal');

/**
 * Does what was asked for at the terminal.
 * @param end - Ends everything in good order, as Ctrl-C does.
 * @returns What came of it, for the person there.
 */
export async function obeyTerminal(
  { order, marketId }: KeyOrder,
  daemon: Controlled,
  end: () => void,
): Promise<string> {
  try {
    if (order === 'end') {
      end();
      return 'ending: cancelling everything';
    }
    if (marketId !== undefined) return await ofMarket(daemon, order, marketId);
    return await ofAccount(daemon, order);
  } catch (error) {
    if (error instanceof ControlRefused) return `refused: ${error.message}`;
    return `failed: ${error instanceof Error ? error.message : String(error)}`;
  }
}

async function ofAccount(daemon: Controlled, order: 'pause' | 'resume' | 'kill'): Promise<string> {
  switch (order) {
    case 'pause':
      await daemon.pause(AT_TERMINAL);
      return 'paused: quotes are being cancelled, and stay away until a resume (r)';
    case 'resume':
      await daemon.resume(AT_TERMINAL);
      return 'resumed: it clears the account and quotes again, but for markets that were stopped one by one';
    case 'kill': {
      const result = await daemon.kill(AT_TERMINAL);
      return result.kind === 'confirmed'
        ? `killed: ${result.cancelled} cancelled, ${noneLeft(result.scope)}; it stays so until a resume (r)`
        : `KILL NOT CONFIRMED: ${result.detail}; run \`bookend kill\` in another terminal`;
    }
  }
}

async function ofMarket(
  daemon: Controlled,
  order: 'pause' | 'resume' | 'kill',
  market: string,
): Promise<string> {
  const { isConfirmed } = await daemon.ofMarket({ order, market, by: AT_TERMINAL });
  if (order === 'resume') return 'resumed: nothing stops this market alone any more';
  if (order === 'pause')
    return 'paused: its quotes are being cancelled, and stay away until a resume (r)';
  const proof = isConfirmed ? 'no order of it is left' : 'cancelled, and not confirmed yet';
  return `killed: ${proof}; the market stays so until a resume (r)`;
}
