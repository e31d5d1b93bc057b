// What the filters of a configuration choose right now, for errands that ask the venue once.

import type { Failure } from '../domain/message.ts';
import type { SelectionView } from '../domain/selection.ts';
import type { Clock, Timers } from '../domain/time.ts';
import type { NamedSettings } from '../settings/selected.ts';
import type { Settings } from '../settings/settings.ts';
import type { EventCalls } from '../venue/http/events.ts';
import { MarketSelection, readFittingBy } from './selection.ts';

export type SelectedNow = {
  /** With every market named. */
  readonly settings: NamedSettings;
  readonly views: readonly SelectionView[];
  /** Why a filter could not be read; it has chosen nothing then. */
  readonly failed: Failure | undefined;
};

/** Asks once. A daemon that has run for a while may quote other markets: those that it quotes stay. */
export async function selectedNow(
  http: Pick<EventCalls, 'readAllEvents'>,
  settings: Settings,
  time: { readonly clock: Clock; readonly timers: Timers },
): Promise<SelectedNow> {
  const selection = new MarketSelection({
    ...time,
    log: { info: () => undefined, warn: () => undefined },
    read: readFittingBy(http),
    held: () => new Set(),
    onChange: () => undefined,
  });
  selection.want(settings.markets);
  try {
    const failed = await selection.start();
    return { settings: selection.applied(settings), views: selection.views(), failed };
  } finally {
    selection.stop();
  }
}
