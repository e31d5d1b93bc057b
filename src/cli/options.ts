// What several commands read before they begin: the configuration, and how the venue is reached.

import { paperAccount } from '../app/paper-account.ts';
import { type StrategyMap, strategiesFor } from '../app/strategies.ts';
import type { VenueAccess } from '../app/venue-access.ts';
import { type SystemClock, systemClock } from '../clock/system.ts';
import { BotError } from '../domain/errors.ts';
import { credentialsProvider } from '../settings/credentials.ts';
import { parseSettings, readSettingsText } from '../settings/load.ts';
import type { Settings, SettingsSource } from '../settings/settings.ts';
import type { CliIo } from './io.ts';
import { complain } from './io.ts';

export type Configured = {
  readonly settings: Settings;
  /** The text that they were read from. */
  readonly text: string;
  readonly source: SettingsSource;
  readonly strategies: StrategyMap;
};

/**
 * Loads strategies and settings as the environment and the file give them.
 * @throws {BotError} `strategy.shape` or, with every problem of the file, `settings.invalid`.
 */
export async function configured(io: CliIo, file: string): Promise<Configured> {
  const strategies = await strategiesFor(file);
  const source = { file, env: io.env, strategies };
  const text = readSettingsText(file);
  return { settings: parseSettings(text, source), text, source, strategies };
}

type AccessSettings = VenueAccess['settings'] & Pick<Settings, 'journal'>;

export type ErrandAccess<Own extends AccessSettings> = VenueAccess & {
  readonly settings: Own;
  readonly clock: SystemClock;
  /** The venue is the embedded one of a paper run. */
  readonly isPaper: boolean;
};

/**
 * What a short errand at the venue needs. Without credentials in the environment, a configuration that `paper`
 * was started with leads to the embedded venue and its account.
 *
 * @param isDry - Of a dry run, whose account is simulated whatever the environment says.
 * @throws {BotError} `settings.credentials`
 */
export function venueAccess<Own extends AccessSettings>(
  io: CliIo,
  settings: Own,
  isDry = false,
): ErrandAccess<Own> {
  const clock = systemClock();
  const credentials = isDry ? NO_CREDENTIALS : credentialsOf(io);
  const known = { credentials, clock, timers: clock };
  const paper = credentials.source === 'none' ? paperAccount(settings) : undefined;
  if (isDry && paper === undefined) {
    throw new BotError('settings.credentials', 'no dry run of this configuration has left one');
  }
  if (paper === undefined) return { ...known, settings, isPaper: false };
  const venue = { ...settings.venue, ...paper.venue };
  const account = { ...credentials, source: 'file', current: () => paper.credentials } as const;
  return { ...known, settings: { ...settings, venue }, credentials: account, isPaper: true };
}

const NO_CREDENTIALS: ReturnType<typeof credentialsOf> = {
  source: 'none',
  current: () => undefined,
  reload: () => Promise.resolve(false),
};

export function credentialsOf(io: CliIo) {
  return credentialsProvider({
    env: io.env,
    onWarning: ({ file, detail }) => complain(io, `${file}: ${detail}`),
  });
}
