// The end of a guard: nothing is started again, and it watches until nothing can arrive, or until nobody waits.

import type { GuardLog } from './held.ts';
import { type Rest, restsOf } from './rest.ts';
import { LEFT_TOLD_MAX } from './told.ts';
import type { Waiting } from './waiting.ts';
import type { Watch } from './watch.ts';

export type LastWatchOptions = {
  /** Absent where nothing was ever placed. */
  readonly watch: () => Watch | undefined;
  readonly waiting: Waiting;
  readonly log: GuardLog;
  readonly scope: 'account' | 'own';
  readonly isStopped: () => boolean;
  /** Why nobody waits any longer; absent while somebody does. */
  readonly givenUp: () => string | undefined;
  /** What the trader said when it left, of which no list may say anything. */
  readonly told?: { readonly settling: number; readonly inFlight: readonly string[] } | undefined;
};

export type LastWord = {
  readonly isConfirmed: boolean;
  readonly settling: number;
  readonly rests: readonly Rest[];
};

/** Between two lines about what it still waits for. */
const WAIT_TOLD_MS = 10_000;
const NOTHING_TOLD = { settling: 0, inFlight: [] };
const WHY_SETTLING = 'an order whose settlement fails may rest again';

/** Resolves with what can be said in the end. */
export async function watchLast(options: LastWatchOptions): Promise<LastWord> {
  const { log, scope, told = NOTHING_TOLD } = options;
  await untilOver(options);
  const watch = options.watch();
  const isConfirmed = proofOf(options) === true;
  const { cancelled, leftAlone } = watch ?? {};
  const settling = Math.max(told.settling, watch?.settling ?? 0);
  const rests = isConfirmed && settling === 0 ? [] : restsAt(options, settling);
  if (isConfirmed) log.info('guard.confirmed', { cancelled, scope, leftAlone, settling });
  else {
    const orderHashes = watch?.left.slice(0, LEFT_TOLD_MAX);
    log.error('guard.unconfirmed', {
      cancelled,
      scope,
      leftAlone,
      why: whyNot(options),
      orderHashes,
    });
  }
  const release = watch?.release();
  // Whoever gives up does not wait for a call that is under way.
  if (options.givenUp() === undefined) await release;
  return { isConfirmed, settling, rests };
}

async function untilOver(options: LastWatchOptions): Promise<void> {
  const { watch, waiting, log, givenUp } = options;
  const isOver = () =>
    proofOf(options) !== undefined || givenUp() !== undefined || isInVain(options);
  while (!isOver()) {
    const { waitMs: forMs, settling = 0 } = watch() ?? {};
    const why = forMs === 0 && settling > 0 ? WHY_SETTLING : 'what was sent may still arrive';
    log.warn('guard.watching', { forMs, settling, why });
    await waiting.until(isOver, WAIT_TOLD_MS);
  }
}

/** False where orders are left of which nobody has said whose they are. */
function proofOf(options: LastWatchOptions): boolean | undefined {
  const watch = options.watch();
  if (watch === undefined) return options.givenUp() === undefined ? true : undefined;
  return watch.proof;
}

/** A stop that waited for orders which the venue cancels for nobody would never end. */
function isInVain({ watch, isStopped }: LastWatchOptions): boolean {
  return isStopped() && watch()?.isStuck === true;
}

function whyNot(options: LastWatchOptions): string {
  if (proofOf(options) === false) return 'nobody has said whose the open orders are';
  if (isInVain(options)) return 'the venue refuses to cancel what is open';
  return options.givenUp() ?? 'nobody waited for it';
}

function restsAt(
  { watch: of, told = NOTHING_TOLD }: LastWatchOptions,
  settling: number,
): readonly Rest[] {
  const watch = of();
  return restsOf({
    orders: watch?.leftOrders,
    trouble: watch?.trouble ?? 'nobody has looked',
    arrivesForMs: watch?.waitMs ?? 0,
    inFlight: told.inFlight,
    settling,
  });
}
