// `paper`: a daemon against the embedded venue, over real sockets and with separate accounts.

import { z } from 'zod';
import { Secret } from '../domain/secret.ts';
import type { CredentialsProvider } from '../settings/credentials.ts';
import { deepFreeze } from '../settings/freeze.ts';
import type { Settings } from '../settings/settings.ts';

const paperFacts = z.object({
  baseUrl: z.string(),
  wsUrl: z.string(),
  account: z.object({ apiKey: z.string(), apiSecret: z.string(), apiPassphrase: z.string() }),
  eventSlugs: z.array(z.string()).readonly(),
  isRecorded: z.boolean(),
  /** The real venue whose books and trades it shows; absent where nothing of it is real. */
  dryRunOf: z.string().optional(),
});

/** What a process must know of an embedded venue that runs in another one. */
export type PaperFacts = Readonly<z.infer<typeof paperFacts>>;

/** `undefined` for anything else. */
export function readPaperFacts(value: unknown): PaperFacts | undefined {
  return paperFacts.safeParse(value).data;
}

/** The settings of a daemon that can only reach the embedded venue, whatever the file says. */
export function paperAdjustment({
  baseUrl,
  wsUrl,
  isRecorded,
  eventSlugs,
}: PaperFacts): (settings: Settings) => Settings {
  return (settings) =>
    deepFreeze({
      ...settings,
      venue: { ...settings.venue, baseUrl, wsUrl },
      markets: isRecorded ? recordedMarkets(settings, eventSlugs) : settings.markets,
    });
}

/** The ready-made account of the embedded venue. */
export function embeddedCredentials({ account }: PaperFacts): CredentialsProvider {
  const credentials = {
    apiKey: new Secret(account.apiKey),
    apiSecret: new Secret(account.apiSecret),
    apiPassphrase: new Secret(account.apiPassphrase),
  };
  return {
    source: 'environment',
    current: () => credentials,
    reload: () => Promise.resolve(false),
  };
}

/** A recording brings its own markets: each event is quoted as the file says of it, else as its first market is. */
function recordedMarkets({ markets }: Settings, slugs: readonly string[]): Settings['markets'] {
  const [first] = markets;
  if (!first) return [];
  return slugs.flatMap((event) => {
    const own = markets.filter((each) => each.event === event);
    if (own.length > 0) return own;
    return { ...first, select: undefined, event, market: undefined };
  });
}
