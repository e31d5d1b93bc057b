// What a guard has read at its start holds for every trader below it, whatever the file says by then:
// both act on one venue, one journal and one patience.

import { running, settingsChange } from './diff.ts';
import { deepFreeze } from './freeze.ts';
import { isMap } from './keys.ts';
import type { GuardSettings } from './load.ts';
import { Problems } from './problems.ts';
import { heldSchema } from './schema.ts';
import type { Settings } from './settings.ts';
import { readSection } from './tree.ts';

/** The sections that take effect at a start only, and that guard and trader share. */
export type HeldSettings = Pick<GuardSettings, 'venue' | 'http' | 'journal' | 'logging' | 'guard'>;

/** As plain values, which may be told to another process. */
export function heldOf({ venue, http, journal, logging, guard }: GuardSettings): HeldSettings {
  return { venue, http, journal, logging, guard };
}

/** @throws {Error} For anything that no guard of this build tells. */
export function readHeld(value: unknown): HeldSettings {
  const problems = new Problems();
  const schema = heldSchema();
  const isWhole = isMap(value) && Object.keys(schema.keys).every((name) => name in value);
  // What the environment says is in what the guard has read.
  const held = isWhole ? readSection(schema, value, [], { problems, env: {} }) : undefined;
  if (held !== undefined && problems.count === 0) return deepFreeze(held);
  const texts = problems.all().map(({ path, message }) => `${path}: ${message}`);
  throw new Error(`the guard has told no settings to trade with; ${texts.join(', ')}`);
}

/** The settings of a file below such a guard, and whether something of the file waits for its restart. */
export function holding(
  settings: Settings,
  held: HeldSettings,
): { readonly settings: Settings; readonly waits: boolean } {
  const below = running({ ...settings, ...held }, settings);
  return { settings: below, waits: settingsChange(below, settings).needsRestart.length > 0 };
}
