// One journal, one instance: two daemons on one account would double every order.

import { randomBytes, randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { BotError } from '../domain/errors.ts';
import type { Clock } from '../domain/time.ts';
import {
  type Claim,
  markHeld,
  markStopping,
  otherClaims,
  removeClaim,
  touchClaim,
  touchedAt,
  writeClaim,
} from './claims.ts';
import { cannotWrite, errorCode, journalPath } from './files.ts';
import { livenessOf, ownHolder } from './holder.ts';

export type LockOptions = {
  readonly journal: string;
  readonly clock: Clock;
  /**
   * The claim vanished, so another instance may trust that this one is dead: cancel and stop.
   * Only a person, or an instance that saw no sign of activity for `silenceMs`, removes a claim.
   */
  readonly onLost: (detail: string) => void;
  /** A holder that is stopping is waited for so long; not at all where it is absent. */
  readonly waitMs?: number;
  /** Ends that wait. */
  readonly calledOff?: AbortSignal;
  /** Told before such a wait, and before one of up to `silenceMs` for a sign of a holder that cannot be seen. */
  readonly onWait?: (detail: string) => void;
  /** How often this instance shows that it runs. */
  readonly signMs?: number;
  /** A holder that cannot be seen is dead after so long without a sign. */
  readonly silenceMs?: number;
};

export interface Lock {
  /** Says that it is given free soon, so that whoever starts meanwhile waits for it. Never rejects. */
  markStopping(): Promise<void>;
  /** Gives the journal free; after that it may be locked again at once. */
  release(): Promise<void>;
}

const SIGN_MS = 2_000;
/** Seven signs missed: a long stop of a virtual machine passes, a dead container waits not long. */
export const SILENCE_MS = 15_000;
/** Two instances that start in the same moment see each other and step back; one wins the next. */
const ATTEMPTS_MAX = 8;
const STEP_BACK_MS_MAX = 150;
/** Who was told to stop a moment ago, or has lost its guard, says so within this. */
const SAYS_SO_MS = 1_000;
const WAIT_LOOK_MS = 200;

/**
 * Locks a journal for this process.
 *
 * Each instance writes a claim first and looks for others second, so of two that start together at
 * least one sees the other. A claim of a dead process is removed; whether a process runs is told
 * by its start time, and by sign of activity where it cannot be seen, as in another container.
 *
 * @throws {BotError} `journal.busy` when another instance holds it, `journal.write` when no claim
 *   can be written.
 */
export async function lockJournal(options: LockOptions): Promise<Lock> {
  const journal = await journalPath(options.journal);
  const waiting = new Waiting(options);
  for (let attempt = 1; ; attempt += 1) {
    options.calledOff?.throwIfAborted();
    const held = await tryLock(journal, options);
    if (held.kind === 'locked') return held.lock;
    const { rival } = held;
    const isFinal = rival.isHeld ? waiting.isOver(rival) : attempt >= ATTEMPTS_MAX;
    if (isFinal) throw new BotError('journal.busy', busyText(options, rival));
    await sleep(rival.isHeld ? WAIT_LOOK_MS : randomInt(1, STEP_BACK_MS_MAX));
  }
}

/** How long a start waits for whoever holds its journal. */
class Waiting {
  readonly #options: LockOptions;
  /** By no clock that anybody sets: one set back by an hour would have a start wait for an hour. */
  readonly #beganAtMs = performance.now();
  #isTold = false;

  constructor(options: LockOptions) {
    this.#options = options;
  }

  isOver(rival: Claim): boolean {
    const { waitMs = 0, onWait } = this.#options;
    const limitMs = rival.isStopping ? waitMs : Math.min(waitMs, SAYS_SO_MS);
    if (performance.now() - this.#beganAtMs >= limitMs) return true;
    if (rival.isStopping && !this.#isTold) {
      this.#isTold = true;
      onWait?.(`${holderText(rival)} is stopping; waiting up to ${waitMs / 1_000} s for it`);
    }
    return false;
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
    let isSigning = false;
    const sign = async (): Promise<void> => {
      // A disk that hangs must not pile them up: each holds a thread, of which names are looked up on four.
      if (isSigning) return;
      isSigning = true;
      const fault = await touchClaim(file).catch(errorCode);
      isSigning = false;
      // Any other failure leaves the claim where it is, and others still see it.
      if (fault !== 'ENOENT') return;
      clearInterval(this.#signs);
      options.onLost(`${file} was removed`);
    };
    this.#signs = setInterval(() => void sign(), options.signMs ?? SIGN_MS).unref();
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

  async markStopping(): Promise<void> {
    await markStopping(this.file).catch(() => undefined);
  }

  async release(): Promise<void> {
    clearInterval(this.#signs);
    await removeClaim(this.file);
  }
}

/**
 * The first claim of a process that runs; claims of dead ones are removed on the way. Those that cannot be seen are
 * watched beside one another: however many were left, they cost one wait.
 */
async function livingRival(
  journal: string,
  own: string,
  options: LockOptions,
): Promise<Claim | undefined> {
  const claims = await otherClaims(journal, own);
  const seen = await Promise.all(
    claims.map(async ({ holder }) => (holder === undefined ? 'unknown' : await livenessOf(holder))),
  );
  const alive = claims.find((_, index) => seen[index] === 'alive');
  if (alive !== undefined) return alive;
  const active = await Promise.all(
    claims.map(
      async (claim, index) => seen[index] === 'unknown' && (await showsActivity(claim, options)),
    ),
  );
  const idle = claims.filter((_, index) => active[index] !== true);
  await Promise.all(idle.map(async ({ file }) => await removeClaim(file)));
  return claims.find((_, index) => active[index] === true);
}

/** Watches a claim whose process cannot be seen: only its own changes count, never two clocks. */
async function showsActivity(
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

function busyText({ journal, waitMs = 0 }: LockOptions, rival: Claim): string {
  const who = holderText(rival);
  const use = `or use another journal.path (${rival.file})`;
  if (!rival.isStopping) return `${journal} is held by ${who}; stop it, ${use}`;
  const waited = `is still held by ${who}, which is stopping and has not ended within ${waitMs / 1_000} s`;
  return `${journal} ${waited}; end it, ${use}`;
}

function holderText({ holder }: Claim): string {
  if (holder === undefined) return 'an instance';
  return `process ${holder.pid} on ${holder.host} since ${holder.at}`;
}
