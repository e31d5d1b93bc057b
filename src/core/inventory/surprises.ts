// Cash that moved without anything that we know of, for as long as that says something: news of it may come
// late, and positions lag. A life hands on what it could not explain, with when it was shown: a match that was
// told of only afterwards is not what had moved it.

import type { StoredSurprise, StoredTaken } from '../../domain/record.ts';
import { addMs, type UnixMs, unixMs } from '../../domain/time.ts';
import { EPSILON_NANO, isNothing } from './sums.ts';

/** Unexplained changes remembered; reads come every few seconds and few of them differ. */
const SURPRISES_MAX = 1_000;
/** A settlement frame and the read that shows it may come in either order, this far apart. */
const KEPT_MS = 300_000;
/** What explains a change comes within a minute as a rule, and both are forgotten with it. */
const EXPLAINED_WITHIN_MS = 60_000;

export type Surprise = StoredSurprise & {
  /** Since when nothing explains it in this life. */
  readonly atMs: UnixMs;
  /** It was taken for a match whose settlement may have been another one's, told of until then. */
  readonly isLetGo?: boolean;
  /** Until then it was taken for a match that positions, taken over, show not to be there. */
  readonly isTakenOver?: boolean;
};

export class Surprises {
  #all: readonly Surprise[] = [];
  #jumpedAtMs = unixMs(0);

  get nano(): number {
    return sumOf(this.#all);
  }

  /**
   * By when all of it had moved the cash: what was taken for a match that is not there had done so when it was shown,
   * and what a match was told of beside may be this one's as well, and the other one another's.
   */
  get movedByMs(): UnixMs | undefined {
    let latestMs: UnixMs | undefined;
    for (const each of this.#all) {
      const atMs = this.#movedByMs(each);
      if (latestMs === undefined || atMs > latestMs) latestMs = atMs;
    }
    return latestMs;
  }

  #movedByMs({ atMs, shownAtMs, isTakenOver }: Surprise): UnixMs {
    if (isTakenOver !== true) return atMs;
    return shownAtMs > this.#jumpedAtMs ? shownAtMs : this.#jumpedAtMs;
  }

  /** When it was shown, in whatever life. */
  get lastShownAtMs(): UnixMs | undefined {
    return this.#all.at(-1)?.shownAtMs;
  }

  /** What a next life shall be surprised by as well. */
  stored(): readonly StoredSurprise[] {
    return this.#all.map(({ nano, shownAtMs, isDoubted }) => ({ nano, shownAtMs, isDoubted }));
  }

  /** Those of an earlier life, as long as this one has not read anything itself. */
  restore(left: readonly StoredSurprise[]): void {
    const all = left.map((each) => ({ ...each, atMs: each.shownAtMs }));
    let open: readonly Surprise[] = [];
    // What explained each other then is over: one without the other would be explained by something else.
    for (let at = 0; at < all.length; at += 1) {
      const last = explainedBy(all, at);
      if (last !== undefined) at = last.index;
      else open = [...open, ...all.slice(at, at + 1)];
    }
    this.#all = open.slice(-SURPRISES_MAX);
  }

  /** This life shows them anew with its first read, and remembers them as long as what it finds itself. */
  showAnew(atMs: UnixMs): void {
    this.#all = this.#all.map((each) => ({ ...each, ...shownBy(each.shownAtMs, atMs) }));
  }

  /** Our clock is at once ahead of where it was: no time has passed in which anything was explained. */
  onJump(byMs: number, nowMs: UnixMs): void {
    this.#jumpedAtMs = nowMs;
    this.#all = this.#all.map((each) => ({ ...each, atMs: addMs(each.atMs, byMs) }));
  }

  /** A read has shown it. */
  add(nano: number, atMs: UnixMs): void {
    this.#add({ nano, atMs, shownAtMs: atMs, isDoubted: false });
  }

  /** What had explained it does no more. */
  addLetGo({ nano, shownAtMs }: StoredTaken, atMs: UnixMs, isTakenOver: boolean): void {
    const shown = shownBy(shownAtMs, atMs);
    this.#add({ nano, ...shown, isDoubted: false, isLetGo: true, isTakenOver });
  }

  #add(found: Surprise): void {
    const { nano, atMs } = found;
    // What was asked for before a jump is no older than that.
    const surprise = atMs < this.#jumpedAtMs ? { ...found, atMs: this.#jumpedAtMs } : found;
    if (!isNothing(nano)) this.#all = [...this.#all, surprise];
    this.#all = this.#all.slice(forgottenOf(this.#all, atMs)).slice(-SURPRISES_MAX);
  }

  /** Takes away those that turn out to be explained. */
  takeExplained(isExplained: (surprise: Surprise) => boolean): void {
    this.#all = this.#all.filter((each) => !isExplained(each));
  }

  /** Unexplained cash since a moment, by the time of the read that showed it. */
  since(shownAtMs: UnixMs): number {
    return sumOf(this.#all.filter((each) => each.shownAtMs >= shownAtMs));
  }

  /** Whether something from before a moment is unexplained that no doubt has followed from. */
  hasLasting(untilMs: number): boolean {
    return this.#all.some((each) => isLasting(each, untilMs));
  }

  /**
   * What is unexplained from before a moment and no doubt has followed from, and until when what explains the
   * last of it had been told of.
   */
  lasting(untilMs: number): { readonly nano: number; readonly lastAtMs: number } {
    const lasting = this.#all.filter((each) => isLasting(each, untilMs));
    const times = lasting.map(({ isLetGo, atMs, shownAtMs }) => (isLetGo ? atMs : shownAtMs));
    const lastAtMs = Math.max(...times);
    return { nano: sumOf(lasting), lastAtMs };
  }

  /** What was unexplained until a moment has been acted on. */
  noteDoubted(untilMs: number): void {
    this.#all = this.#all.map((each) =>
      each.atMs <= untilMs && !each.isDoubted ? { ...each, isDoubted: true } : each,
    );
  }

  /** What a read showed itself, and no life before it, needs no doubt. */
  noteShownAt(shownAtMs: UnixMs): void {
    this.#all = this.#all.map((each) =>
      each.shownAtMs === shownAtMs ? { ...each, isDoubted: true } : each,
    );
  }

  /**
   * What was unexplained since a moment is explained now. It is taken off the change that is most
   * like it, so that change and explanation are forgotten together.
   * @returns Whether anything was unexplained since then.
   */
  explain(nano: number, sinceMs: UnixMs): boolean {
    const distance = (each: Surprise) => Math.abs(each.nano - nano);
    const [nearest] = this.#all
      .filter((each) => each.shownAtMs >= sinceMs)
      .toSorted((one, other) => distance(one) - distance(other));
    if (nearest === undefined) return false;
    this.#all = this.#all
      .map((each) => (each === nearest ? { ...each, nano: each.nano - nano } : each))
      .filter((each) => Math.abs(each.nano) > EPSILON_NANO);
    return true;
  }
}

/** By a clock that was ahead then and has been put back it was shown later than now: nothing of now has shown it. */
function shownBy(shownAtMs: UnixMs, atMs: UnixMs): Pick<Surprise, 'atMs' | 'shownAtMs'> {
  return { atMs, shownAtMs: shownAtMs > atMs ? addMs(atMs, -1) : shownAtMs };
}

/** Whether what a read or a frame of a moment says is too old to be put together with anything. */
export function isForgotten(atMs: UnixMs, nowMs: UnixMs): boolean {
  return nowMs >= addMs(atMs, KEPT_MS);
}

function isLasting({ atMs, isDoubted }: Surprise, untilMs: number): boolean {
  return atMs <= untilMs && !isDoubted;
}

function sumOf(all: readonly Surprise[]): number {
  return all.reduce((total, { nano }) => total + nano, 0);
}

/**
 * How many of them are forgotten, oldest first. What a read has shown and what its frame said behind it go
 * together: one without the other would be cash that nothing explains, for a read or two.
 */
function forgottenOf(all: readonly Surprise[], nowMs: UnixMs): number {
  let count = 0;
  for (let first = all[0]; first && isForgotten(first.atMs, nowMs); first = all[count]) {
    const last = explainedBy(all, count);
    if (last === undefined) count += 1;
    else if (isForgotten(last.surprise.atMs, nowMs)) count = last.index + 1;
    else break;
  }
  return count;
}

/** The last of those that make up for one together, none between them left out. */
function explainedBy(
  all: readonly Surprise[],
  first: number,
): { readonly surprise: Surprise; readonly index: number } | undefined {
  const sinceMs = all[first]?.atMs ?? 0;
  let nano = 0;
  for (let index = first; index < all.length; index += 1) {
    const surprise = all[index];
    if (surprise === undefined || surprise.atMs - sinceMs > EXPLAINED_WITHIN_MS) break;
    nano += surprise.nano;
    if (isNothing(nano)) return { surprise, index };
  }
  return undefined;
}
