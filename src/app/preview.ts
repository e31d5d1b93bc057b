// What a changed configuration would do to this daemon: read as a reload would read it, worked out by
// the core on its state, and nothing of it applied.

import type { QuotesPreview } from '../domain/preview.ts';
import type { Change } from '../settings/diff.ts';
import { running, settingsChange } from '../settings/diff.ts';
import { coreSettings, parseSettings } from '../settings/load.ts';
import { type Problem, SettingsError } from '../settings/problems.ts';
import type { Settings } from '../settings/settings.ts';
import type { DaemonOptions, DaemonParts } from './compose.ts';

export type ConfigPreview =
  | { readonly kind: 'refused'; readonly problems: readonly Problem[] }
  | ({
      readonly kind: 'previewed';
      readonly limits: readonly Change[];
      /** Everything else that takes effect at once, parameters apart. */
      readonly others: readonly Change[];
      readonly needsRestart: readonly Change[];
    } & QuotesPreview);

/**
 * @param text - A whole configuration file.
 * @param current - What runs now.
 */
export function previewConfig(
  { source, adjust = (settings) => settings }: Pick<DaemonOptions, 'source' | 'adjust'>,
  { engine }: Pick<DaemonParts, 'engine'>,
  { text, current }: { readonly text: string; readonly current: Settings },
): ConfigPreview {
  try {
    const next = adjust(parseSettings(text, source));
    const { applied, needsRestart } = settingsChange(current, next);
    const quotes = engine.preview(coreSettings(running(current, next)));
    return {
      kind: 'previewed',
      limits: applied.filter(isLimit),
      others: applied.filter((change) => !isLimit(change) && !isParam(change)),
      needsRestart,
      ...quotes,
    };
  } catch (error) {
    if (error instanceof SettingsError) return { kind: 'refused', problems: error.problems };
    throw error;
  }
}

function isLimit({ path }: Change): boolean {
  return /^(?:risk|capital)\./.test(path);
}

/** A market that is new or gone as a whole is no parameter. */
function isParam({ path }: Change): boolean {
  return /^markets\[\d+\]\.params\./.test(path);
}
