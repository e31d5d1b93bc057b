// The settings of a run that follows another one below the same guard. Both are of one run: it begins with
// what the run before had taken last, and what the file says by then is a change like any other.

import { setTimeout } from 'node:timers/promises';
import { cutProblems } from './cut-file.ts';
import { type Change, settingsChange } from './diff.ts';
import { type HeldSettings, holding } from './held.ts';
import { parseSettings, readSettingsText } from './load.ts';
import { SettingsError } from './problems.ts';
import type { Settings, SettingsSource } from './settings.ts';

/** A text, what it says, and what of that is not as in the run before. */
export type Begun = {
  readonly text: string;
  readonly settings: Settings;
  /** Something of the text waits for a restart of the guard. */
  readonly waits: boolean;
  readonly applied: readonly Change[];
};

/**
 * A file is trusted when two looks at it, so long apart, see the same text: an editor truncates and writes
 * in two steps, and nobody waits for a tenth of a second.
 */
export const SETTLE_MS = 100;
/** One that is written all the time keeps nobody from quoting: who watches it reads it later. */
const LOOKS_MAX = 5;

/** @throws {SettingsError} With every problem of a text that is not to follow the one in force. */
export function parseNext(text: string, before: string, source: SettingsSource): Settings {
  const next = parseSettings(text, source);
  const problems = cutProblems(before, text);
  if (problems.length > 0) throw new SettingsError({ file: source.file, problems });
  return next;
}

/** What a file says that may be written right now; `undefined` where nothing of it holds still. */
export async function readSettled(file: string, before: string): Promise<string | undefined> {
  let seen: string | undefined;
  for (let looks = 0; looks < LOOKS_MAX; looks += 1) {
    const text = attempt(() => readSettingsText(file)).value;
    if (text === before || (text !== undefined && text === seen)) return text;
    seen = text;
    await setTimeout(SETTLE_MS);
  }
  return undefined;
}

/**
 * What the next run begins with: the file where it may follow, and else what was in force. That a file is
 * refused is left to who watches it.
 *
 * @param told - The text in force in the run before, what the file says if anything, and what the guard holds.
 * @throws {SettingsError} When this build can read neither, as after a strategy was replaced.
 */
export function nextRun(
  told: {
    readonly before: string;
    readonly now: string | undefined;
    readonly held: HeldSettings;
  },
  source: SettingsSource,
): Begun {
  const { before, now = before, held } = told;
  const kept = attempt(() => holding(parseSettings(before, source), held));
  const next = now === before ? kept : attempt(() => holding(parseNext(now, before, source), held));
  if (next.value !== undefined) {
    const { settings } = next.value;
    const applied = kept.value && settingsChange(kept.value.settings, settings).applied;
    return { text: now, ...next.value, applied: applied ?? [] };
  }
  if (kept.value === undefined) throw next.error;
  return { text: before, ...kept.value, applied: [] };
}

type Attempt<Value> =
  | { readonly value: Value; readonly error?: undefined }
  | { readonly value?: undefined; readonly error: SettingsError };

function attempt<Value>(read: () => Value): Attempt<Value> {
  try {
    return { value: read() };
  } catch (error) {
    if (error instanceof SettingsError) return { error };
    throw error;
  }
}
