// The play account of a paper run, as `paper` leaves it beside its journal: by it the other commands find
// the embedded venue and its account, with nothing in the environment.

import { readFileSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { z } from 'zod';
import { withoutEndSlashes } from '../domain/address.ts';
import { jsonOr } from '../domain/json.ts';
import { type Credentials, Secret } from '../domain/secret.ts';
import { cannotWrite } from '../journal/files.ts';
import type { Settings } from '../settings/settings.ts';
import type { PaperFacts } from './paper.ts';

/** Where the embedded venue listens, and who may trade there. */
export type PaperAccount = {
  readonly venue: Pick<Settings['venue'], 'baseUrl' | 'wsUrl'>;
  readonly credentials: Credentials;
};

/** A configuration as far as it says which paper run it is of. */
type Configured = {
  readonly venue: Pick<Settings['venue'], 'baseUrl'>;
  readonly journal: Pick<Settings['journal'], 'path'>;
};

const LENGTH_MAX = 65_536;

const left = z.object({
  apiKey: z.string().min(1),
  apiSecret: z.string().min(1),
  apiPassphrase: z.string().min(1),
  baseUrl: z.string().min(1),
  wsUrl: z.string().min(1),
  /** What the configuration had as `venue.baseUrl`: the embedded venue may listen at another port. */
  configuredBaseUrl: z.string(),
  journal: z.string(),
});

/**
 * Leaves the play account where the commands of a second terminal find it.
 * @returns The file, which only its owner may read.
 * @throws {BotError} `journal.write`
 */
export async function leaveAccount(
  { account, baseUrl, wsUrl }: PaperFacts,
  { venue, journal }: Configured,
): Promise<string> {
  const file = fileOf(journal.path);
  const kept = { configuredBaseUrl: venue.baseUrl, journal: resolve(journal.path) };
  const text = JSON.stringify({ ...account, baseUrl, wsUrl, ...kept });
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    await writeFile(file, `${text}\n`, { mode: 0o600 });
  } catch (error) {
    throw cannotWrite(file, error);
  }
  return file;
}

/**
 * The account that the last paper run of this configuration left; `undefined` where there was none, or where
 * venue or journal are others than those of that run.
 */
export function paperAccount({ venue, journal }: Configured): PaperAccount | undefined {
  const found = left.safeParse(read(fileOf(journal.path))).data;
  if (found === undefined) return undefined;
  const isSameVenue =
    withoutEndSlashes(found.configuredBaseUrl) === withoutEndSlashes(venue.baseUrl);
  if (!isSameVenue || found.journal !== resolve(journal.path)) return undefined;
  const { baseUrl, wsUrl, apiKey, apiSecret, apiPassphrase } = found;
  return {
    venue: { baseUrl, wsUrl },
    credentials: {
      apiKey: new Secret(apiKey),
      apiSecret: new Secret(apiSecret),
      apiPassphrase: new Secret(apiPassphrase),
    },
  };
}

/** A live run has the journal now: a kill that nobody can sign must not take its account for that of the paper run before. */
export async function forgetAccount(configured: Configured): Promise<void> {
  if (paperAccount(configured) === undefined) return;
  await rm(fileOf(configured.journal.path), { force: true }).catch(() => undefined);
}

function fileOf(journal: string): string {
  return join(dirname(journal), 'paper-account.json');
}

function read(file: string): unknown {
  try {
    const text = readFileSync(file, 'utf8');
    return text.length > LENGTH_MAX ? undefined : jsonOr(text, LENGTH_MAX);
  } catch {
    return undefined;
  }
}
