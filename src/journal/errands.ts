// What commands did that must not open the ledger, as a kill beside nobody: lines in a file of their own, until
// the next start takes them on record.

import { appendFile, readFile, rename, rm, stat } from 'node:fs/promises';
import { z } from 'zod';
import type { OperatorAction } from '../domain/action.ts';
import { jsonOr } from '../domain/json.ts';
import { redacted } from '../domain/redact.ts';
import { unixMs } from '../domain/time.ts';
import { cannotRead, cannotWrite, errorCode, giveToOwner, OWNER_ONLY, readPath } from './files.ts';

const SUFFIX = '.errands';
/** Under this name it is taken on record: what is noted meanwhile begins a new file. */
const TAKING = '.taking';
/** Some thousand errands; whoever kills in a loop must not fill the disk. */
const BYTES_MAX = 1_000_000;
/** Names, and the detail of a proof. */
const LINE_LENGTH_MAX = 20_000;

const ACTION = z.object({
  atMs: z.number().transform(unixMs),
  by: z.string(),
  action: z.string(),
  target: z.string(),
  result: z.string(),
  detail: z.string(),
});

/**
 * Notes an errand. Nothing is made for it: where there is no such folder no daemon has a record.
 * @throws {BotError} `journal.write`
 */
export async function noteErrand(journal: string, action: OperatorAction): Promise<void> {
  const file = `${await readPath(journal)}${SUFFIX}`;
  try {
    const size = await stat(file).then((found) => found.size, whereAbsent(0));
    if (size > BYTES_MAX) throw new Error('it is full');
    const { by, detail } = action;
    const line = JSON.stringify({ ...action, by: redacted(by), detail: redacted(detail) });
    // Of the line before there may be a part alone: this one is whole all the same.
    await appendFile(file, `\n${line}\n`, { mode: OWNER_ONLY, flush: true });
    await giveToOwner(file);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw cannotWrite(file, error);
  }
}

/** Those that no start has taken on record yet, oldest first. @throws {BotError} `journal.copy` */
export async function readErrands(journal: string): Promise<readonly OperatorAction[]> {
  const file = `${await readPath(journal)}${SUFFIX}`;
  return [...(await linesOf(`${file}${TAKING}`)), ...(await linesOf(file))];
}

/**
 * Gives those of one file at a time to `take`, and takes the file away behind it. A process that ends in between
 * gives them once more.
 * @throws {BotError} `journal.copy`, `journal.write`
 */
export async function takeErrands(
  journal: string,
  take: (actions: readonly OperatorAction[]) => void,
): Promise<void> {
  const file = `${await readPath(journal)}${SUFFIX}`;
  const taking = `${file}${TAKING}`;
  const takeOne = async (): Promise<void> => {
    const actions = await linesOf(taking);
    if (actions.length > 0) take(actions);
    await rm(taking, { force: true });
  };
  try {
    await takeOne();
    await rename(file, taking);
    await takeOne();
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw cannotWrite(file, error);
  }
}

/** A part of a line, or what was changed by hand, is left out. */
async function linesOf(file: string): Promise<readonly OperatorAction[]> {
  const text = await readFile(file, 'utf8')
    .catch(whereAbsent(''))
    .catch((error: unknown) => {
      throw cannotRead(file, error);
    });
  return text
    .slice(0, 2 * BYTES_MAX)
    .split('\n')
    .flatMap((line) => {
      const action = ACTION.safeParse(jsonOr(line, LINE_LENGTH_MAX)).data;
      return action === undefined ? [] : [action];
    });
}

function whereAbsent<Value>(value: Value): (error: unknown) => Value {
  return (error) => {
    if (errorCode(error) === 'ENOENT') return value;
    throw error;
  };
}
