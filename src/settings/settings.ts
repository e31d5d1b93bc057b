// The settings as the rest of the program sees them: read once, frozen, complete.

import type { Secret } from '../domain/secret.ts';
import type { ValuesOf } from './keys.ts';
import type { StrategySpecs } from './markets.ts';
import type { SettingsSchema } from './schema.ts';

/** Everything the file says, defaults filled in. It holds no credential. */
export type FileSettings = ValuesOf<SettingsSchema>;

export type Settings = FileSettings & {
  /** Opens the control routes; from `BOOKEND_CONTROL_TOKEN` only. */
  readonly controlToken: Secret | undefined;
  /** Who is notified of a kill, a halt and a death; from `BOOKEND_NOTIFY_URLS` only. */
  readonly notifyUrls: readonly Secret[];
};

export type Environment = Readonly<Record<string, string | undefined>>;

/** Where settings come from. */
export type SettingsSource = {
  readonly file: string;
  readonly env: Environment;
  readonly strategies: StrategySpecs;
};
