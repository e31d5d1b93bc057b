// Markets that filters of the configuration choose, in a line each.

import type { SelectionView } from '../domain/selection.ts';

type Shown = Omit<SelectionView, 'readAtMs'> & { readonly readAtMs?: number };

/** Events that one line names; `--json` names all. */
const EVENTS_NAMED_MAX = 5;

/** `tag=politics: 12 of at most 50 markets in 9 events (31 fit): a, b, c, d, e and 4 more`. */
export function selectionText(view: Shown): string {
  const { select, events, marketCount, marketsMax, fitting, kept } = view;
  const named = events.slice(0, EVENTS_NAMED_MAX).join(', ');
  const more = events.length - EVENTS_NAMED_MAX;
  const names = events.length === 0 ? '' : `: ${named}${more > 0 ? ` and ${more} more` : ''}`;
  const held = kept === 0 ? '' : `, ${kept} more known until nothing of them is held`;
  const counts = `${marketCount} of at most ${marketsMax} markets in ${events.length} events`;
  return `${select}: ${counts} (${fitting} fit${held})${names}`;
}
