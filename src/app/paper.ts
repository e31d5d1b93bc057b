// `paper`: the embedded venue and a daemon against it, over real sockets and with separate accounts.

import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Secret } from '../domain/secret.ts';
import type { CredentialsProvider } from '../settings/credentials.ts';
import { deepFreeze } from '../settings/freeze.ts';
import type { Settings } from '../settings/settings.ts';
import type { Embedded } from './embedded.ts';

/** The settings of a daemon that can only reach the embedded venue, whatever the file says. */
export function paperAdjustment(
  embedded: Pick<Embedded, 'venue' | 'events' | 'progress'>,
  httpPort: number,
): (settings: Settings) => Settings {
  const { baseUrl, wsUrl } = embedded.venue;
  const isRecorded = embedded.progress !== undefined;
  return (settings) =>
    deepFreeze({
      ...settings,
      venue: { ...settings.venue, baseUrl, wsUrl },
      http: { ...settings.http, port: httpPort },
      markets: isRecorded ? recordedMarkets(settings, embedded.events) : settings.markets,
    });
}

/** The ready-made account of the embedded venue. */
export function embeddedCredentials({ venue }: Pick<Embedded, 'venue'>): CredentialsProvider {
  const { apiKey, apiSecret, apiPassphrase } = venue.account;
  const credentials = {
    apiKey: new Secret(apiKey),
    apiSecret: new Secret(apiSecret),
    apiPassphrase: new Secret(apiPassphrase),
  };
  return {
    source: 'environment',
    current: () => credentials,
    reload: () => Promise.resolve(false),
  };
}

/**
 * Leaves the play account where `VENUE_CREDENTIALS_FILE` can name it, so that `bookend kill` and
 * the like work from a second terminal. Returns the file.
 */
export async function leaveAccount(embedded: Pick<Embedded, 'venue'>, journal: string) {
  const file = join(dirname(journal), 'paper-account.json');
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, `${JSON.stringify(embedded.venue.account)}\n`, { mode: 0o600 });
  return file;
}

/** A recording brings its own markets; they are quoted as the first market of the file is. */
function recordedMarkets(settings: Settings, events: Embedded['events']): Settings['markets'] {
  const [first] = settings.markets;
  if (!first) return [];
  return events.map((event) => ({ ...first, event: event.slug, market: undefined }));
}
