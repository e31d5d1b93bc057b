// Whether a ledger is the one that was left: by its chain, by the mark beside it, and by its rows.

import type { Chain } from './chain.ts';
import { stopsFile } from './kept-stops.ts';
import { type Marked, markFile } from './mark.ts';

export type Found = {
  readonly path: string;
  readonly mark: Marked | 'absent' | 'unreadable';
  /** Whether the stops of a ledger stand beside it. */
  readonly hasStops: boolean;
  /**
   * `absent`: there is no ledger · `empty`: a file without tables · `unsealed`: one without a chain, as an older
   * version left it.
   */
  readonly ledger: Chain | 'absent' | 'empty' | 'unsealed';
};

/** @returns What is damaged, in words; `undefined` for a first start and for a ledger that is whole. */
export function damageOf({ path, mark, ledger, hasStops }: Found): string | undefined {
  const file = markFile(path);
  if (mark === 'absent') return damageWithoutMark({ path, ledger, hasStops });
  if (mark === 'unreadable') return `${file} cannot be read`;
  const was = `${file} tells of ${mark.count} commits`;
  if (ledger === 'absent') return `the ledger is gone: ${was}`;
  if (ledger === 'empty') return `the ledger is empty, as without its -wal: ${was}`;
  if (ledger === 'unsealed')
    return `the ledger was replaced by one that tells of no commits: ${was}`;
  if (ledger.id !== mark.id) return `the ledger was replaced by another one: ${was} of ${mark.id}`;
  const lost = mark.count - ledger.count;
  if (lost > 0) {
    return `the ledger lacks its latest ${lost} commits, as without its -wal or from a backup: ${was}`;
  }
  if (lost === 0 && ledger.head !== mark.head) {
    return `the ledger has as many commits as ${file} tells of, and they are others`;
  }
  return undefined;
}

function damageWithoutMark({ path, ledger, hasStops }: Omit<Found, 'mark'>): string | undefined {
  const file = markFile(path);
  if (ledger === 'absent' && hasStops) {
    return `the ledger and ${file} are gone: ${stopsFile(path)} has the stops of one`;
  }
  if (typeof ledger !== 'string' && ledger.count > 1) {
    return `${file} is gone, which says whether this ledger of ${ledger.count} commits is the latest`;
  }
  // A process may have died between the first commit of a ledger and its mark; no stops are kept before that.
  return hasStops
    ? `${file} is gone, and the ledger is new: ${stopsFile(path)} has the stops of another`
    : undefined;
}

/** The ways on from there. */
export function waysOn(path: string): string {
  return [
    `1. put back what belongs there: ${path}, ${path}-wal and ${markFile(path)} of one moment, and start`,
    '2. `bookend kill --account`, then start once with --accept-loss: it goes on with what is there, halted until' +
      ' an operator resumes, and with pause, halts and loss limits as they were kept beside the ledger',
    '3. `bookend kill --account`, then give another journal.path: it begins with nothing',
  ].join('; ');
}
