// What a changed configuration would do to this daemon: worked out by the core on its state, and nothing of
// it applied.

import { performance } from 'node:perf_hooks';
import { setImmediate } from 'node:timers/promises';
import type { QuotesPreview } from '../domain/preview.ts';
import type { Change } from '../settings/diff.ts';
import { running, settingsChange } from '../settings/diff.ts';
import { coreSettings } from '../settings/load.ts';
import type { FileSettings, Settings } from '../settings/settings.ts';
import type { DaemonOptions, DaemonParts } from './compose.ts';

export type ConfigPreview = {
  readonly kind: 'previewed';
  readonly limits: readonly Change[];
  /** Everything else that takes effect at once, parameters apart. */
  readonly others: readonly Change[];
  readonly needsRestart: readonly Change[];
} & QuotesPreview;

/**
 * @param next - What a whole configuration file says, read where it takes no time of the trader.
 * @param current - What runs now.
 */
export async function previewSettings(
  { adjust = (settings) => settings }: Pick<DaemonOptions, 'adjust'>,
  { engine, selection }: Pick<DaemonParts, 'engine' | 'selection'>,
  { next: read, current }: { readonly next: FileSettings; readonly current: Settings },
): Promise<ConfigPreview> {
  const next = adjust({
    ...read,
    controlToken: current.controlToken,
    notifyUrls: current.notifyUrls,
  });
  const { applied, needsRestart } = settingsChange(current, next);
  // A filter that is new has no markets yet: which they are only the venue says.
  const quotes = await inParts(
    engine.preview(coreSettings(selection.applied(running(current, next)))),
  );
  return {
    kind: 'previewed',
    limits: applied.filter(isLimit),
    others: applied.filter((change) => !isLimit(change) && !isParam(change)),
    needsRestart,
    ...quotes,
  };
}

/** Of the loop that quotes, for so long at once: behind it are turns, frames and the signs of activity to a guard. */
const PART_MS = 20;

async function inParts<Result>(steps: Generator<undefined, Result>): Promise<Result> {
  for (;;) {
    const beganMs = performance.now();
    while (performance.now() - beganMs < PART_MS) {
      const { done, value } = steps.next();
      if (done === true) return value;
    }
    await setImmediate();
  }
}

function isLimit({ path }: Change): boolean {
  return /^(?:risk|capital)\./.test(path);
}

/** A market that is new or gone as a whole is no parameter. */
function isParam({ path }: Change): boolean {
  return /^markets\[\d+\]\.params\./.test(path);
}
