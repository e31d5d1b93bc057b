// The configuration of the guard, the parent process that owns the kill path.

import { flag, oneOf, section, whole } from './keys.ts';

/** Below the grace that containers usually have. */
export const STOP_DEADLINE_SEC = 20;

export const GUARD = section('The parent process that cancels when the trader cannot.', {
  enabled: flag({
    doc: 'Trade in a process of its own below a guard; false: no guard, and nobody cancels for the trader.',
    default: true,
    applies: 'restart',
  }),
  heartbeatMs: whole({
    doc: 'The event loop of the trader shows this often that it turns.',
    unit: 'ms',
    min: 20,
    max: 5_000,
    default: 100,
    applies: 'restart',
  }),
  silenceMs: whole({
    doc: 'A trader that shows no sign of activity for so long while the machine lets it run is killed; where it does not, its orders are cancelled and it runs.',
    unit: 'ms',
    min: 200,
    max: 60_000,
    default: 700,
    applies: 'restart',
  }),
  hangMs: whole({
    doc: 'A trader that shows no sign of activity for so long is killed, whatever the machine gave it.',
    unit: 'ms',
    min: 1_000,
    max: 300_000,
    default: 10_000,
    applies: 'restart',
  }),
  startMs: whole({
    doc: 'As silenceMs while a trader starts, when it cannot have placed anything.',
    unit: 'ms',
    min: 1_000,
    max: 300_000,
    default: 30_000,
    applies: 'restart',
  }),
  stopDeadlineSec: whole({
    doc: 'A stop, or `bookend kill`, has ended by then, confirmed or not; it names what may rest. 0: it goes on until a proof or a second signal.',
    unit: 's',
    min: 0,
    max: 86_400,
    default: STOP_DEADLINE_SEC,
    applies: 'restart',
  }),
  startWaitSec: whole({
    doc: 'A start waits so long for an instance on the same journal that is stopping.',
    unit: 's',
    min: 0,
    max: 3_600,
    default: 30,
    applies: 'restart',
  }),
  warmMs: whole({
    doc: 'Period of the harmless read that keeps the connections of the guard open.',
    unit: 'ms',
    min: 500,
    max: 60_000,
    default: 2_000,
    applies: 'restart',
  }),
  reserve: flag({
    doc: 'Keep a second process loaded that trades at once when the trader dies; about 90 MB.',
    default: true,
    applies: 'restart',
  }),
  onDeath: oneOf({
    doc: 'After a death of the trader: start it again, or stay down with the kill latch set.',
    words: ['restart', 'stay'],
    default: 'restart',
    applies: 'restart',
  }),
  restartsMax: whole({
    doc: 'More deaths than this within restartWindowMs: stay down with the kill latch set. A start that the venue refuses is none.',
    unit: 'restarts',
    min: 0,
    max: 1_000,
    default: 5,
    applies: 'restart',
  }),
  restartWindowMs: whole({
    doc: 'Deaths longer ago count neither for restartsMax nor for the pause before a restart.',
    unit: 'ms',
    min: 1_000,
    max: 86_400_000,
    default: 600_000,
    applies: 'restart',
  }),
  backoffMsMin: whole({
    doc: 'Pause before the first restart; it doubles with each further death.',
    unit: 'ms',
    min: 0,
    max: 60_000,
    default: 100,
    applies: 'restart',
  }),
  backoffMsMax: whole({
    doc: 'Longest pause before a restart.',
    unit: 'ms',
    min: 0,
    max: 3_600_000,
    default: 30_000,
    applies: 'restart',
  }),
  handoverQuietMs: whole({
    doc: 'A trader that follows a dead one quotes when the account showed no open order for so long.',
    unit: 'ms',
    min: 0,
    max: 120_000,
    default: 1_000,
    applies: 'restart',
  }),
});
