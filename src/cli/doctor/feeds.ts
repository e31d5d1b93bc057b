// Sources of external prices: each is read once, as the daemon would read it.

import type { SystemClock } from '../../clock/system.ts';
import type { FeedChoice, FeedView } from '../../domain/feed.ts';
import { FairFeeds } from '../../feeds/feeds.ts';
import { boundedLookup } from '../../telemetry/bounded-lookup.ts';
import { type Finding, failed, note, ok, refused } from './finding.ts';

/** A socket may be silent for a while; nobody waits for it longer than this. */
const WAIT_MS_MAX = 6_000;
const LOOK_MS = 50;

/** What each feed says, or why it says nothing. */
export async function feedFindings(
  choices: readonly FeedChoice[],
  clock: SystemClock,
): Promise<readonly Finding[]> {
  if (choices.length === 0) return [];
  const feeds = new FairFeeds({
    clock,
    timers: clock,
    fromTimeOfDay: clock.fromTimeOfDay,
    random: Math.random,
    lookup: boundedLookup().lookup,
    onUpdate: () => undefined,
    onState: () => undefined,
  });
  feeds.apply(choices);
  try {
    await allKnown(feeds, clock);
    return feeds.views().map(findingOf);
  } finally {
    feeds.stop();
  }
}

async function allKnown(feeds: FairFeeds, clock: SystemClock): Promise<void> {
  const untilMs = clock.nowMs() + WAIT_MS_MAX;
  while (clock.nowMs() < untilMs && feeds.views().some(({ state }) => state === 'waiting')) {
    await new Promise<void>((resolve) => clock.after(LOOK_MS, resolve));
  }
}

function findingOf(view: FeedView): Finding {
  const check = `feed ${view.name}`;
  const said = `${view.from}: ${view.price ?? 'no price'}`;
  switch (view.state) {
    case 'ok':
      return ok(check, `${said}, ${((view.ageMs ?? 0) / 1_000).toFixed(1)} s old`);
    case 'stale':
      return note(check, `${said}; ${view.detail}`, 'its market is not quoted until a newer comes');
    case 'refused':
      return refused(
        check,
        `${said}; ${view.detail}`,
        'mend the source, or its fields under feeds',
      );
    case 'down':
      return failed(check, `${said}; ${view.detail}`, 'check the address and the source');
    case 'waiting': {
      const cure = 'check feeds[].subscribe and the fields; nothing about this market was heard';
      return failed(check, `${view.from}: nothing within ${WAIT_MS_MAX / 1_000} s`, cure);
    }
  }
}
