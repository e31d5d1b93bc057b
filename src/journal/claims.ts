// Claims on a journal: one file for each process that wants it, under a name that is never used
// again. So anybody may remove a dead claim without ever hitting a living one.

import { constants } from 'node:fs';
import { open, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { errorCode, OWNER_ONLY } from './files.ts';
import type { Holder } from './holder.ts';

export type Claim = {
  readonly file: string;
  /** `undefined` when the file cannot be read, as after a power cut. */
  readonly holder: Holder | undefined;
  /** The claim was granted; until then its process still looks around. */
  readonly isHeld: boolean;
  /** Its process is ending, and gives the journal free soon. */
  readonly isStopping: boolean;
};

const HELD = 'held\n';
const STOPPING = 'stopping\n';

/** Writes a claim that nobody else can have. */
export async function writeClaim(
  journal: string,
  claim: { readonly id: string; readonly holder: Holder },
): Promise<string> {
  const file = `${journal}.lock.${claim.id}`;
  try {
    await writeFile(file, `${JSON.stringify(claim.holder)}\n`, { flag: 'wx', mode: OWNER_ONLY });
    return file;
  } catch (error) {
    // A full disk takes its name all the same: each later start would watch an empty claim for a sign of activity.
    await removeClaim(file).catch(() => undefined);
    throw error;
  }
}

/** @throws {Error} `ENOENT` where somebody has removed the claim: it is nobody's any more. */
export async function markHeld(file: string): Promise<void> {
  await append(file, HELD);
}

/** @throws {Error} As `markHeld`. */
export async function markStopping(file: string): Promise<void> {
  await append(file, STOPPING);
}

/** To a file that is there: one made anew would look like a claim, to its own process as well. */
async function append(file: string, words: string): Promise<void> {
  const handle = await open(file, constants.O_WRONLY | constants.O_APPEND);
  try {
    await handle.writeFile(words);
  } finally {
    await handle.close();
  }
}

/** Shows whoever cannot see our process that it runs. */
export async function touchClaim(file: string): Promise<void> {
  const now = new Date();
  await utimes(file, now, now);
}

export async function removeClaim(file: string): Promise<void> {
  await rm(file, { force: true });
}

/** Every claim on a journal but our own. */
export async function otherClaims(journal: string, own: string): Promise<readonly Claim[]> {
  const prefix = `${basename(journal)}.lock.`;
  // A folder that is not there has nobody's claim in it.
  const names = await readdir(dirname(journal)).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return [];
    throw error;
  });
  const files = names
    .filter((name) => name.startsWith(prefix))
    .map((name) => join(dirname(journal), name))
    .filter((file) => file !== own);
  const claims = await Promise.all(files.map(readClaim));
  return claims.filter((claim) => claim !== undefined);
}

/**
 * The moment of the last sign of activity; `undefined` when the claim is gone.
 * @throws {Error} Of the system, where it does not say whether it is: nobody may take it for gone.
 */
export async function touchedAt(file: string): Promise<number | undefined> {
  try {
    return (await stat(file)).mtimeMs;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

async function readClaim(file: string): Promise<Claim | undefined> {
  const text = await readFile(file, 'utf8').catch(() => '');
  if (text === '' && (await touchedAt(file)) === undefined) return undefined;
  const end = text.indexOf('\n');
  const holder = end === -1 ? undefined : parseHolder(text.slice(0, end));
  const words = text.slice(end + 1);
  return { file, holder, isHeld: words.startsWith(HELD), isStopping: words.includes(STOPPING) };
}

function parseHolder(line: string): Holder | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isHolder(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isHolder(value: unknown): value is Holder {
  if (typeof value !== 'object' || value === null) return false;
  const fields = new Map<string, unknown>(Object.entries(value));
  const isText = (name: string): boolean => typeof fields.get(name) === 'string';
  const mayBeText = (name: string): boolean => isText(name) || fields.get(name) === undefined;
  return (
    Number.isSafeInteger(fields.get('pid')) &&
    isText('host') &&
    isText('at') &&
    ['startTicks', 'bootId', 'pidNamespace'].every(mayBeText)
  );
}
