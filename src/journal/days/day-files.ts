// The files of past days beside a journal, one for each day of UTC, and a second one for its orders, of which there
// may be very many: what there is, and what is too old or too much.

import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '../files.ts';

const DAY_MS = 86_400_000;
const NAME = /^(\d{4}-\d{2}-\d{2})(\.orders)?\.jsonl$/;

export type DayFile = {
  readonly name: string;
  /** As `2026-11-23`. */
  readonly day: string;
  readonly isOfOrders: boolean;
  readonly bytes: number;
};

export type DaysKept = {
  readonly days: number;
  /** Of all files. */
  readonly bytes: number;
};

/** @param journal - Its true path. */
export function daysFolder(journal: string): string {
  return `${journal}.days`;
}

export function dayOf(atMs: number): string {
  return new Date(atMs).toISOString().slice(0, 10);
}

export function dayFileName(day: string, isOfOrders: boolean): string {
  return `${day}${isOfOrders ? '.orders' : ''}.jsonl`;
}

/** Files of days, the oldest first; none where there is no folder. */
export async function dayFiles(folder: string): Promise<readonly DayFile[]> {
  const names = await readdir(folder).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return [];
    throw error;
  });
  const found = names.toSorted().flatMap((name) => {
    const [, day, orders] = NAME.exec(name) ?? [];
    return day === undefined ? [] : [{ name, day, isOfOrders: orders !== undefined }];
  });
  const sized = found.map(async (file) => {
    const bytes = await stat(join(folder, file.name)).then(
      ({ size }) => size,
      () => 0,
    );
    return { ...file, bytes };
  });
  return await Promise.all(sized);
}

/**
 * What has to go: days that are too old, and while all of them are too large, the oldest files of orders before the
 * oldest of the rest. The day of now stays.
 */
export function daysToDrop(
  files: readonly DayFile[],
  kept: DaysKept,
  nowMs: number,
): readonly DayFile[] {
  const today = dayOf(nowMs);
  const first = dayOf(nowMs - (kept.days - 1) * DAY_MS);
  const old = files.filter(({ day }) => day < first);
  const young = files.filter(({ day }) => day >= first);
  let excess = young.reduce((sum, { bytes }) => sum + bytes, 0) - kept.bytes;
  const past = young.filter(({ day }) => day < today);
  const inOrder = [
    ...past.filter(({ isOfOrders }) => isOfOrders),
    ...past.filter(({ isOfOrders }) => !isOfOrders),
  ];
  const tooMuch: DayFile[] = [];
  for (const file of inOrder) {
    if (excess <= 0) break;
    excess -= file.bytes;
    tooMuch.push(file);
  }
  return [...old, ...tooMuch];
}

/** Removes what `kept` leaves no room for. @returns What is left, in bytes. */
export async function pruneDays(folder: string, kept: DaysKept, nowMs: number): Promise<number> {
  const files = await dayFiles(folder);
  const dropped = new Set(daysToDrop(files, kept, nowMs));
  for (const { name } of dropped) await rm(join(folder, name), { force: true });
  return files.filter((file) => !dropped.has(file)).reduce((sum, { bytes }) => sum + bytes, 0);
}
