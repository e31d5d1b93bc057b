// Sources of external prices as lines for people.

import { PLAIN } from './paint.ts';
import type { ShownFeed, ShownState } from './state-schema.ts';
import { duration, type Shown } from './status-lines.ts';
import { clip, harmless } from './text.ts';

/** For each source of external prices: how it is doing. */
export function feedLines(
  state: Pick<ShownState, 'atMs' | 'feeds'>,
  shown: Shown,
): readonly string[] {
  const paint = shown.paint ?? PLAIN;
  return (state.feeds ?? []).map((feed) => {
    const line = clip(harmless(feedText(feed, state.atMs)), shown.width);
    return feed.state === 'ok' ? paint.good(line) : paint.careful(line);
  });
}

function feedText(feed: ShownFeed, atMs: number): string {
  const { name, from, state, detail, basis, price, ageMs } = feed;
  const age = ageMs === undefined ? '' : `, ${(ageMs / 1_000).toFixed(1)} s old`;
  const of = basis === undefined ? '' : ` (${basis})`;
  const last = price === undefined ? 'no price' : `${price}${of}${age}`;
  const why = detail === '' ? '' : `: ${detail}`;
  const since = duration(Math.max(0, atMs - feed.sinceMs));
  return `feed ${name} ${state} for ${since}${why}; ${last}; from ${from}`;
}
