// One journal, one instance: two daemons on one account would double every order.

import { randomBytes, randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { BotError } from '../domain/errors.ts';
import type { Clock } from '../domain/time.ts';
import {
  type Claim,
  markHeld,
  otherClaims,
  removeClaim,
  touchClaim,
  touchedAt,
  writeClaim,
} from './claims.ts';
import { cannotWrite, errorCode, journalPath } from './files.ts';
import { lifeOf, ownHolder } from './holder.ts';

export type LockOptions = {
  readonly journal: string;
  readonly clock: Clock;
  /**
   * The claim vanished, so another instance may believe that this one is dead: cancel and stop.
   * Only a person, or an instance that saw no sign of life for `silenceMs`, removes a claim.
   */
  readonly onLost: (detail: string) => void;
  /** Told before a wait of up to `silenceMs` for a sign of a holder that cannot be seen. */
  readonly onWait?: (detail: string) => void;
  /** How often this instance shows that it lives. */
  readonly signMs?: number;
  /** A holder that cannot be seen is dead after so long without a sign. */
  readonly silenceMs?: number;
};

export interface Lock {
  /** Gives the journal free; after that it may be locked again at once. */
  release(): Promise<void>;
}

const SIGN_MS = 2_000;
/** Seven signs missed: a long stop of a virtual machine passes, a dead container waits not long. */
export const SILENCE_MS = 15_000;
/** Two instances that start in the same moment see each other and step back; one wins the next. */
const ATTEMPTS_MAX = 8;
const STEP_BACK_MS_MAX = 150;

/**
 * Locks a journal for this process.
 *
 * Each instance writes a claim first and looks for others second, so of two that start together at
 * least one sees the other. A claim of a dead process is removed; whether a process lives is told
 * by its start time, and by signs of life where it cannot be seen, as in another container.
 *
 * @throws {BotError} `journal.busy` when another instance holds it, `journal.write` when no claim
 *   can be written.
 */
export async function lockJournal(options: LockOptions): Promise<Lock> {
  const journal = await journalPath(options.journal);
  for (let attempt = 1; ; attempt += 1) {
    const held = await tryLock(journal, options);
    if (held.kind === 'locked') return held.lock;
    const isFinal = held.rival.isHeld || attempt === ATTEMPTS_MAX;
    if (isFinal) throw new BotError('journal.busy', busyText(options.journal, held.rival));
    await sleep(randomInt(1, STEP_BACK_MS_MAX));
  }
}

type Attempt =
  | { readonly kind: 'locked'; readonly lock: Lock }
  | { readonly kind: 'rival'; readonly rival: Claim };

async function tryLock(journal: string, options: LockOptions): Promise<Attempt> {
  const claim = await HeldClaim.write(journal, options);
  try {
    const rival = await livingRival(journal, claim.file, options);
    if (rival === undefined) {
      await markHeld(claim.file);
      return { kind: 'locked', lock: claim };
    }
    await claim.release();
    return { kind: 'rival', rival };
  } catch (error) {
    await claim.release();
    throw cannotWrite(options.journal, error);
  }
}

class HeldClaim implements Lock {
  readonly file: string;
  readonly #signs: NodeJS.Timeout;

  private constructor(file: string, options: LockOptions) {
    this.file = file;
    const sign = (): void => {
      touchClaim(file).catch((error: unknown) => {
        // Any other failure leaves the claim where it is, and others still see it.
        if (errorCode(error) !== 'ENOENT') return;
        clearInterval(this.#signs);
        options.onLost(`${file} was removed`);
      });
    };
    this.#signs = setInterval(sign, options.signMs ?? SIGN_MS).unref();
  }

  static async write(journal: string, options: LockOptions): Promise<HeldClaim> {
    const at = new Date(options.clock.nowMs()).toISOString();
    const id = `${process.pid}-${randomBytes(8).toString('hex')}`;
    try {
      const file = await writeClaim(journal, { id, holder: await ownHolder(at) });
      return new HeldClaim(file, options);
    } catch (error) {
      throw cannotWrite(journal, error);
    }
  }

  async release(): Promise<void> {
    clearInterval(this.#signs);
    await removeClaim(this.file);
  }
}

/** The first claim of a process that lives; claims of dead ones are removed on the way. */
async function livingRival(
  journal: string,
  own: string,
  options: LockOptions,
): Promise<Claim | undefined> {
  for (const claim of await otherClaims(journal, own)) {
    const life = claim.holder === undefined ? 'unknown' : await lifeOf(claim.holder);
    const isAlive = life === 'alive' || (life === 'unknown' && (await showsLife(claim, options)));
    if (isAlive) return claim;
    await removeClaim(claim.file);
  }
  return undefined;
}

/** Watches a claim whose process cannot be seen: only its own changes count, never two clocks. */
async function showsLife(
  claim: Claim,
  { silenceMs = SILENCE_MS, onWait = () => {} }: LockOptions,
): Promise<boolean> {
  onWait(`${claim.file} is of a process that cannot be seen from here`);
  const first = await touchedAt(claim.file);
  const looks = 30;
  for (let look = 0; look < looks; look += 1) {
    const latest = await touchedAt(claim.file);
    if (latest === undefined) return false;
    if (latest !== first) return true;
    await sleep(silenceMs / looks);
  }
  return (await touchedAt(claim.file)) !== first;
}

function busyText(journal: string, { holder, file }: Claim): string {
  const who =
    holder === undefined
      ? 'an instance'
      : `process ${holder.pid} on ${holder.host} since ${holder.at}`;
  return `${journal} is held by ${who}; stop it, or use another journal.path (${file})`;
}
