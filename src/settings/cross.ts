// Rules that bind more than one key.

import { checkFeeds } from './feed-check.ts';
import type { Reading } from './keys.ts';
import { isZonedTime } from './schema-feeds.ts';
import { VENUE_WRITES_PER_10_S } from './schema-orders.ts';
import { isSelected, selectKey, selectText } from './selected.ts';
import type { FileSettings } from './settings.ts';

type Complain = Reading['problems'];

/** Reports keys that are right alone and wrong together. */
export function checkTogether(values: FileSettings, reading: Reading): void {
  const { problems } = reading;
  checkAddresses(values.venue, problems);
  checkMarkets(values.markets, problems);
  checkWrites(values, problems);
  checkProof(values.timing, problems);
  checkGuard(values.guard, problems);
  checkRenewal(values.orders, problems);
  checkScope(values.orders, problems);
  checkPaper(values.paper, problems);
  checkFeeds(values, reading);
}

/** No rule of a key, since a kill goes as far as it comes with an address that is none: it latches, and tells the daemon. */
function checkAddresses(venue: FileSettings['venue'], problems: Complain): void {
  for (const name of ['baseUrl', 'wsUrl'] as const) {
    if (URL.canParse(venue[name])) continue;
    const message = `must be an address with a host and, if any, a port up to 65535, not ${venue[name]}`;
    problems.add(['venue', name], message);
  }
}

function checkMarkets(markets: FileSettings['markets'], problems: Complain): void {
  const before = new Map<string, number[]>();
  markets.forEach((choice, index) => {
    checkSets(choice, index, problems);
    checkQuiet(choice, index, problems);
    checkNews(choice, index, problems);
    // Two strategies on one market would cancel and cross each other's quotes.
    const source = isSelected(choice) ? selectKey(choice.select) : choice.event;
    const alike = before.get(source) ?? [];
    const earlier = alike.find((at) => overlap(markets[at], choice));
    before.set(source, alike);
    alike.push(index);
    if (earlier === undefined) return;
    const what = isSelected(choice)
      ? `selects ${selectText(choice.select)}`
      : `quotes this market of ${choice.event}`;
    problems.add(['markets', index], `markets[${earlier}] already ${what}`);
  });
}

type Choice = FileSettings['markets'][number];

/** What is split must not be merged again. */
function checkSets({ sets }: Choice, index: number, problems: Complain): void {
  const { workingMin, workingMax } = sets;
  if (workingMin <= workingMax) return;
  problems.add(
    ['markets', index, 'sets', 'workingMax'],
    `must be at least sets.workingMin (${workingMin}), not ${workingMax}`,
  );
}

/** Hours that end as they begin are none: whoever means the whole day would be quoting all of it. */
function checkQuiet({ overlays }: Choice, index: number, problems: Complain): void {
  overlays.quiet.hours.forEach(({ from, to }, at) => {
    if (from !== to) return;
    const path = ['markets', index, 'overlays', 'quiet', 'hours', at, 'to'];
    const message = `must differ from from (${from}); a whole day is 00:00 to 12:00 and 12:00 to 00:00`;
    problems.add(path, message);
  });
}

/** A window that is no stretch of time, as of a month that there is not, would pull no quote. */
function checkNews({ overlays }: Choice, index: number, problems: Complain): void {
  overlays.news.windows.forEach(({ from, to }, at) => {
    if (isZonedTime(from) && isZonedTime(to) && Date.parse(from) < Date.parse(to)) return;
    const path = ['markets', index, 'overlays', 'news', 'windows', at, 'to'];
    problems.add(path, `must be a time after from (${from}), and both of them real; not ${to}`);
  });
}

/** Of two that name one source; a choice without `market` means all markets of its event. */
function overlap(one: Choice | undefined, other: Choice): boolean {
  if (one === undefined || isSelected(one) !== isSelected(other)) return false;
  return one.market === undefined || other.market === undefined || one.market === other.market;
}

/** What a share of the account's order writes comes to. */
export function writesAllowed({ writeShare }: Pick<FileSettings['venue'], 'writeShare'>): number {
  return Math.floor(VENUE_WRITES_PER_10_S * writeShare);
}

function checkWrites({ orders, venue }: FileSettings, problems: Complain): void {
  const allowed = writesAllowed(venue);
  if (orders.writesPer10s <= allowed) return;
  problems.add(
    ['orders', 'writesPer10s'],
    `must be at most ${allowed}, since venue.writeShare is ${venue.writeShare} of ` +
      `${VENUE_WRITES_PER_10_S}; not ${orders.writesPer10s}`,
  );
}

function checkProof(timing: FileSettings['timing'], problems: Complain): void {
  if (timing.proofQuietMs * 2 <= timing.proofDeadlineMs) return;
  problems.add(
    ['timing', 'proofDeadlineMs'],
    `must be at least twice timing.proofQuietMs (${timing.proofQuietMs}), not ${timing.proofDeadlineMs}`,
  );
}

/** One sign of activity that comes late is no death. */
const SIGNS_MISSED_MIN = 3;

function checkGuard(guard: FileSettings['guard'], problems: Complain): void {
  const { heartbeatMs, silenceMs, backoffMsMin, backoffMsMax } = guard;
  if (silenceMs < heartbeatMs * SIGNS_MISSED_MIN) {
    problems.add(
      ['guard', 'silenceMs'],
      `must be at least ${SIGNS_MISSED_MIN} times guard.heartbeatMs (${heartbeatMs}), not ${silenceMs}`,
    );
  }
  if (backoffMsMax >= backoffMsMin) return;
  problems.add(
    ['guard', 'backoffMsMax'],
    `must be at least guard.backoffMsMin (${backoffMsMin}), not ${backoffMsMax}`,
  );
}

/** A quote that is renewed as soon as it rests would write without end. */
function checkRenewal({ gtd }: FileSettings['orders'], problems: Complain): void {
  const shortestMs = gtd.lifetimeMs * (1 - gtd.staggerPart);
  if (gtd.renewMs * 2 <= shortestMs) return;
  problems.add(
    ['orders', 'gtd', 'renewMs'],
    `must be at most half of the shortest lifetime (${shortestMs}), not ${gtd.renewMs}`,
  );
}

function checkScope({ scope, externalOrders }: FileSettings['orders'], problems: Complain): void {
  if (scope !== 'own' || externalOrders !== 'adopt') return;
  const message = 'must be cancel where orders.scope is own, which leaves such orders alone';
  problems.add(['orders', 'externalOrders'], message);
}

function checkPaper(paper: FileSettings['paper'], problems: Complain): void {
  const pairs = [
    ['settlementMsMin', 'settlementMsMax'],
    ['positionLagMsMin', 'positionLagMsMax'],
  ] as const;
  for (const [least, most] of pairs) {
    if (paper[least] <= paper[most]) continue;
    problems.add(
      ['paper', most],
      `must be at least paper.${least} (${paper[least]}), not ${paper[most]}`,
    );
  }
  const slugs = paper.events.map((event) => event.slug);
  slugs.forEach((slug, index) => {
    if (slugs.indexOf(slug) === index) return;
    problems.add(['paper', 'events', index, 'slug'], `is used twice: ${slug}`);
  });
}
