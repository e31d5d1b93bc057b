// Matches of earlier lives whose settlement nobody may have heard of, by the cash that each moves: which of
// them cash has shown to have settled, and which may still do.

import type { StoredTaken } from '../../domain/record.ts';
import type { UnixMs } from '../../domain/time.ts';
import { among, isNothing, onlyPartOf, PARTS_OF_MAX, partOf, sum } from './sums.ts';

/** A match that an earlier life left, and when it was told of. */
export type LeftMatch = { readonly nano: number; readonly atMs: UnixMs };

/** What waits now, as far as anybody knows. */
export type Waiting = {
  readonly earlierNano: readonly number[];
  /** Of this life: the frame of one may have been taken for an earlier one's. */
  readonly laterNano: readonly number[];
  /** Settlements told of that no read has met: what was taken for one may still be heard late. */
  readonly unreadNano: readonly number[];
};

export class Unheard {
  /** Oldest first, and behind them in the order of lists what a start found. */
  #mayHaveSettled: readonly number[] = [];
  /** Those of them that a read showed to have settled, for as long as they wait for the word of it. */
  #taken: readonly StoredTaken[] = [];

  get isAny(): boolean {
    return this.#taken.length + this.#mayHaveSettled.length > 0;
  }

  /** Cash that settlements nobody heard of have moved. */
  get takenNano(): number {
    return sum(this.#taken.map(({ nano }) => nano));
  }

  stored(): readonly StoredTaken[] {
    return this.#taken;
  }

  /**
   * Takes over what an earlier life left matched.
   * @returns What it had taken for the settlement of a match that it has not left: nothing explains that.
   */
  restore(left: readonly LeftMatch[], taken: readonly StoredTaken[]): readonly StoredTaken[] {
    const isLeft = among(left.map(({ nano }) => nano));
    const [known, lost] = parted(taken, ({ nano }) => isLeft(nano));
    const isTaken = among(known.map(({ nano }) => nano));
    this.#taken = known;
    this.#mayHaveSettled = left.map(({ nano }) => nano).filter((nano) => !isTaken(nano));
    return lost;
  }

  /** A start finds another one. */
  add(nano: number): void {
    this.#mayHaveSettled = [...this.#mayHaveSettled, nano];
  }

  /** It has settled, and the word of it has come. */
  onHeard(nano: number): void {
    const at = this.#mayHaveSettled.indexOf(nano);
    if (at !== -1) this.#mayHaveSettled = this.#mayHaveSettled.toSpliced(at, 1);
  }

  /** Balances showed the shares of one. @returns Whether its cash had shown before. */
  onShown(nano: number): boolean {
    const at = this.#taken.findIndex((each) => isNothing(each.nano - nano));
    if (at !== -1) this.#taken = this.#taken.toSpliced(at, 1);
    return at !== -1;
  }

  /**
   * Whether a change of cash is just that of some of them, and of no others: then they have settled.
   * @param mayBe - Which of them may have moved it at all; all, unless it is given.
   * @param besidesNano - Settlements that it may be of as well.
   */
  take(change: StoredTaken, mayBe = this.#mayHaveSettled, besidesNano: readonly number[] = []) {
    const found = onlyPartOf([...mayBe, ...besidesNano], change.nano);
    if (found === undefined) return false;
    const isThere = among(mayBe);
    if (!found.every((nano) => isThere(nano))) return false;
    const isFound = among(found);
    const { shownAtMs } = change;
    this.#taken = [...this.#taken, ...found.map((nano) => ({ nano, shownAtMs }))];
    this.#mayHaveSettled = this.#mayHaveSettled.filter((nano) => !isFound(nano));
    return true;
  }

  /** Those of what an earlier life left that it had heard of by a moment, and that have not settled yet. */
  leftBefore(left: readonly LeftMatch[], untilMs: UnixMs): readonly number[] {
    const isOpen = among(this.#mayHaveSettled);
    // Of several that moved as much the oldest ones have settled.
    const open = left.toReversed().filter(({ nano }) => isOpen(nano));
    const before = open.toReversed().filter(({ atMs }) => atMs < untilMs);
    return before.map(({ nano }) => nano);
  }

  /**
   * Whether a read lacks just what was told of since to have settled, and had been shown before: the frames
   * of matches that were taken for settled came after all.
   */
  isHeardLate(change: number, toldNano: readonly number[]): boolean {
    if (this.#taken.length === 0) return false;
    const heard = [...toldNano];
    const mayBe = this.#taken.filter(({ nano }) => {
      const at = heard.findIndex((each) => isNothing(each - nano));
      if (at !== -1) heard.splice(at, 1);
      return at !== -1;
    });
    // Another match of as much may have been told of beside them, and just settled.
    const nanos = mayBe.map(({ nano }) => nano).slice(0, PARTS_OF_MAX);
    const late = partOf(nanos, -change);
    if (late === undefined) return false;
    const isLate = among(late);
    this.#taken = this.#taken.filter(({ nano }) => !isLate(nano));
    return true;
  }

  /**
   * Forgets what waits no more: no cash is its any more. One that was told of in parts is several from then on: each
   * may still be heard late, and what is left is paid as well.
   * @returns What had been taken for the settlement of such a match, and is another's: no read shows both it
   *   and what was heard of that match.
   */
  letGo({ earlierNano, laterNano, unreadNano }: Waiting): readonly StoredTaken[] {
    const waits = among([...earlierNano, ...unreadNano]);
    const waitsNow = among(laterNano);
    const [kept, others] = parted(this.#taken, ({ nano }) => waits(nano) || waitsNow(nano));
    this.#mayHaveSettled = this.#mayHaveSettled.filter(waits);
    const isKept = among(kept.map(({ nano }) => nano));
    let parts: readonly number[] = unreadNano.filter((nano) => !isKept(nano));
    let rests: readonly number[] = earlierNano.filter((nano) => !isKept(nano));
    const gone: StoredTaken[] = [];
    this.#taken = [
      ...kept,
      ...others.flatMap((each) => {
        const found = partsOf(each.nano, { parts, rests });
        if (found === undefined) gone.push(each);
        parts = without(parts, found?.told);
        rests = without(rests, found?.rest);
        const { shownAtMs } = each;
        return [...(found?.rest ?? []), ...(found?.told ?? [])].map((nano) => ({
          nano,
          shownAtMs,
        }));
      }),
    ];
    return gone;
  }

  /** Asks for one match after the other whether its cash has moved. */
  isTaken(): (nano: number) => boolean {
    return among(this.#taken.map(({ nano }) => nano));
  }
}

type Parts = { readonly told: readonly number[]; readonly rest: readonly number[] };

/** A match of which parts are told to have settled: all of it, or what is left waits. */
function partsOf(
  nano: number,
  { parts, rests }: { readonly parts: readonly number[]; readonly rests: readonly number[] },
): Parts | undefined {
  const latest = parts.slice(-PARTS_OF_MAX);
  for (const rest of [[], ...rests.map((each) => [each])]) {
    const told = partOf(latest, nano - sum(rest));
    if (told !== undefined) return { told, rest };
  }
  return undefined;
}

/** All but these, each as often as it is named. */
function without(all: readonly number[], gone: readonly number[] = []): readonly number[] {
  const isGone = among(gone);
  return all.filter((nano) => !isGone(nano));
}

function parted<Each>(
  all: readonly Each[],
  isKept: (each: Each) => boolean,
): readonly [readonly Each[], readonly Each[]] {
  const kept: Each[] = [];
  const others: Each[] = [];
  for (const each of all) (isKept(each) ? kept : others).push(each);
  return [kept, others];
}
