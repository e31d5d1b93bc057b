// The control token where nobody has configured one: a random one beside the journal, for commands of the
// same user on the same machine. Who may read it may end the daemon anyway.

import { randomBytes } from 'node:crypto';
import { chmod, mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Secret } from '../domain/secret.ts';
import { giveToOwner } from '../journal/files.ts';
import type { Log } from '../telemetry/logs.ts';

/** Where the token of a journal stands. */
export function controlTokenFile(journal: string): string {
  return `${journal}.token`;
}

type Given = {
  /** What the operator has configured. */
  readonly controlToken: Secret | undefined;
  /** Path of the journal. */
  readonly journal: string;
};

const BYTES = 32;
const TOKEN = /^[\w-]{43}$/;
const OTHERS = 0o077;
/** A start makes the token first, and with it the folder of the journal. */
const FOLDER_OWNER_ONLY = 0o700;

/** The configured token, or the one beside the journal, which is made where there is none. */
export async function controlTokenOf(
  { controlToken, journal }: Given,
  log: Pick<Log, 'warn'>,
): Promise<Secret | undefined> {
  if (controlToken !== undefined) return controlToken;
  const file = controlTokenFile(journal);
  try {
    return (await readOwn(file)) ?? (await made(file));
  } catch (error) {
    log.warn('http.no_token', { file, detail: String(error) });
    return undefined;
  }
}

/** As a command reads it: the configured token, or what a daemon of this journal has made. */
export async function localToken({ controlToken, journal }: Given): Promise<string | undefined> {
  if (controlToken !== undefined) return controlToken.reveal();
  const own = await readOwn(controlTokenFile(journal)).catch(() => undefined);
  return own?.reveal();
}

/** `undefined` for none, and for one that others could have read. */
async function readOwn(file: string): Promise<Secret | undefined> {
  const found = await stat(file).catch(() => undefined);
  if (found === undefined || !found.isFile() || found.size > 1_000) return undefined;
  if ((found.mode & OTHERS) !== 0) return undefined;
  const text = (await readFile(file, 'utf8')).trim();
  return TOKEN.test(text) ? new Secret(text) : undefined;
}

async function made(file: string): Promise<Secret> {
  await mkdir(dirname(file), { recursive: true, mode: FOLDER_OWNER_ONLY });
  const text = randomBytes(BYTES).toString('base64url');
  const draft = `${file}.${process.pid}.draft`;
  try {
    const handle = await open(draft, 'w', 0o600);
    await handle.writeFile(`${text}\n`);
    await handle.close();
    // A draft that was there before keeps its mode.
    await chmod(draft, 0o600);
    await giveToOwner(draft);
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true }).catch(() => undefined);
    throw error;
  }
  return new Secret(text);
}
