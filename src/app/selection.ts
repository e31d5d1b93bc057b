// Markets that the configuration selects by a filter: the venue's listing is read at a stated pace, and the core is
// configured with the events that came of it. The core itself knows named events alone.

import type { Event } from '../domain/market.ts';
import type { Failure, ReadOutcome } from '../domain/message.ts';
import type { SelectionView } from '../domain/selection.ts';
import type { Clock, Timers, UnixMs } from '../domain/time.ts';
import {
  isNamed,
  isSelected,
  type NamedSettings,
  type Select,
  type SelectedEvent,
  type SelectQuery,
  selectKey,
  selectText,
  withSelected,
} from '../settings/selected.ts';
import type { Settings } from '../settings/settings.ts';
import type { Log } from '../telemetry/logs.ts';
import type { EventCalls, Listing } from '../venue/http/events.ts';
import { failure } from './preflight.ts';

/** Reads every event that fits; `isCut` where the venue has more than anybody reads. */
export type ReadFitting = (query: SelectQuery) => Promise<ReadOutcome<FittingListing>>;

/** `unheeded`: the words of the filter that the venue does not narrow its listing by. */
export type FittingListing = Listing & { readonly unheeded?: readonly Word[] };

type Word = (typeof WORDS)[number];

export type SelectionOptions = {
  readonly read: ReadFitting;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Pick<Log, 'info' | 'warn'>;
  /** Events with shares or orders of this account in them: each stays for as long, once it has closed. One look tells of all. */
  readonly held: () => ReadonlySet<string>;
  /** What was chosen by the run before. */
  readonly before?: SelectedBefore;
  /** Other events are chosen now. */
  readonly onChange: (chosen: SelectedBefore) => void;
};

/** Chosen events by the key of their filter, as they outlive a process. */
export type SelectedBefore = Readonly<Record<string, readonly SelectedEvent[]>>;

const WORDS = ['tag', 'category', 'search'] as const;
/** What nobody calls an event, a category or a tag. */
const NOBODYS_WORD = 'no-event-is-called-this-7f3a9c';
/** 2,000 events: a filter that fits more is no choice. */
export const SELECT_PAGES_MAX = 20;
/** One listing without an event may be a slip of the venue; it costs no quote. */
const MISSING_READS = 2;

/** Events that have closed with shares of ours in them; each is redeemed and goes. */
const KEPT_MAX = 500;

/** One filter, and what is known of it. */
type Known = {
  readonly key: string;
  select: Select;
  strategy: string;
  chosen: readonly SelectedEvent[];
  fitting: readonly Event[];
  /** Reads in a row that did not show a chosen event, by its slug. */
  missing: ReadonlyMap<string, number>;
  readAtMs: UnixMs | undefined;
  fault: string | undefined;
  isReading: boolean;
  callOff: () => void;
};

export class MarketSelection {
  readonly #options: SelectionOptions;
  #known: ReadonlyMap<string, Known> = new Map();
  /** Events that the file names: they are none of a filter. */
  #named: ReadonlySet<string> = new Set();
  #isStopped = false;

  constructor(options: SelectionOptions) {
    this.#options = options;
  }

  /** Takes the filters of these settings; one that is new has no events until it was read. */
  want(markets: Settings['markets']): void {
    const next = new Map<string, Known>();
    this.#named = new Set(markets.filter(isNamed).map(({ event }) => event));
    for (const { select, strategy } of markets.filter(isSelected)) {
      const key = selectKey(select);
      const known = this.#known.get(key) ?? this.#unread(key, { select, strategy });
      const isOther = known.select.max !== select.max;
      Object.assign(known, { select, strategy });
      if (isOther && known.readAtMs !== undefined) known.chosen = this.#chosen(known);
      next.set(key, known);
    }
    for (const [key, { callOff }] of this.#known) if (!next.has(key)) callOff();
    this.#known = next;
  }

  /**
   * Reads each filter that was never read, and from then on at its pace. @returns The first that failed, but for those
   * that go on with what the run before had chosen by them: they keep no start from what else is quoted.
   */
  async start(): Promise<Failure | undefined> {
    const { before = {} } = this.#options;
    const unread = [...this.#known.values()].filter(
      ({ readAtMs, isReading }) => readAtMs === undefined && !isReading,
    );
    const failures = await Promise.all(
      unread.map(async (known) => {
        const failed = await this.#refresh(known);
        return known.key in before ? undefined : failed;
      }),
    );
    return failures.find((each) => each !== undefined);
  }

  /** Settings in which every market is named. */
  applied(settings: Settings): NamedSettings {
    return withSelected(
      settings,
      new Map([...this.#known].map(([key, { chosen }]) => [key, chosen])),
    );
  }

  views(): readonly SelectionView[] {
    return [...this.#known.values()].map((known) => {
      const { select, strategy, chosen, fitting, readAtMs, fault } = known;
      return {
        select: selectText(select),
        strategy,
        events: chosen.filter(({ isKept = false }) => !isKept).map(({ slug }) => slug),
        marketCount: marketsIn(chosen.filter(({ isKept = false }) => !isKept)),
        kept: chosen.filter(({ isKept = false }) => isKept).length,
        marketsMax: select.max,
        fitting: fitting.length,
        ...(readAtMs === undefined ? {} : { readAtMs }),
        ...(fault === undefined ? {} : { fault }),
      };
    });
  }

  stop(): void {
    this.#isStopped = true;
    for (const { callOff } of this.#known.values()) callOff();
  }

  #unread(key: string, of: Pick<Known, 'select' | 'strategy'>): Known {
    return {
      ...{ key, ...of, chosen: this.#options.before?.[key] ?? [], fitting: [] },
      ...{ missing: new Map(), readAtMs: undefined, fault: undefined, isReading: false },
      callOff: () => undefined,
    };
  }

  /** One read, and the next one planned; a filter that is wanted no more is let go. */
  async #refresh(known: Known): Promise<Failure | undefined> {
    known.isReading = true;
    const outcome = await this.#options.read(known.select);
    known.isReading = false;
    if (this.#isStopped || this.#known.get(known.key) !== known) return undefined;
    known.callOff();
    known.callOff = this.#options.timers.after(known.select.refreshSec * 1_000, () => {
      void this.#refresh(known);
    });
    if (outcome.kind !== 'ok') return this.#onFailure(known, outcome);
    const { unheeded = [] } = outcome.value;
    // Every event of the venue is no choice of anybody: what was chosen before stays, and nothing joins.
    if (unheeded.length > 0) return this.#onUnheeded(known, unheeded);
    known.fault = outcome.value.isCut === true ? TOO_MANY : undefined;
    this.#take(known, outcome.value);
    return undefined;
  }

  #onFailure(known: Known, outcome: Failure): Failure {
    this.#onFault(known, failure(outcome));
    return outcome;
  }

  /** It was read, so that a start does not wait for it. */
  #onUnheeded(known: Known, words: readonly Word[]): undefined {
    known.readAtMs = this.#options.clock.nowMs();
    this.#onFault(known, `the venue lists every event, whatever the ${words.join(' and the ')}`);
  }

  #onFault(known: Known, fault: string): void {
    known.fault = fault;
    const { select, chosen } = known;
    this.#options.log.warn('selection.unread', {
      select: selectText(select),
      detail: fault,
      events: chosen.length,
    });
  }

  #take(known: Known, { events: listed, skipped }: FittingListing): void {
    const before = known.chosen;
    const isFirst = known.readAtMs === undefined;
    known.readAtMs = this.#options.clock.nowMs();
    known.chosen = underNamesOf(listed, before);
    const chosen = new Set(known.chosen.map(({ slug }) => slug));
    known.fitting = listed.filter(
      (event) => fits(event, known.select, chosen.has(event.slug)) && !this.#isNamed(event),
    );
    const fitting = new Set(known.fitting.map(({ slug }) => slug));
    // There, and in a shape that is not understood: it stays as an event does that the file names.
    const whole = skipped.filter(({ path }) => !path.includes('.'));
    const unread = new Set(whole.flatMap(({ names = [] }) => names));
    known.missing = new Map(
      known.chosen
        .filter(({ id, slug }) => !fitting.has(slug) && !unread.has(id) && !unread.has(slug))
        .map(({ slug }) => [slug, (known.missing.get(slug) ?? 0) + 1]),
    );
    known.chosen = this.#chosen(known, isFirst);
    if (!isFirst && isSame(before, known.chosen)) return;
    const now = new Set(known.chosen.map(({ slug }) => slug));
    const was = new Set(before.map(({ slug }) => slug));
    this.#options.log.info('selection.changed', {
      select: selectText(known.select),
      joined: [...now].filter((slug) => !was.has(slug)),
      left: [...was].filter((slug) => !now.has(slug)),
      markets: marketsIn(known.chosen),
      fitting: known.fitting.length,
    });
    this.#options.onChange(
      Object.fromEntries([...this.#known.values()].map(({ key, chosen }) => [key, chosen])),
    );
  }

  /**
   * What is quoted stays; then whole events in the order of the listing, as many as there is room for. An event that fits
   * no more, or that has grown beyond the room, is kept beside them while something of it is held.
   */
  #chosen({ chosen, fitting, missing, select }: Known, isFirst = false): readonly SelectedEvent[] {
    const counts = new Map(chosen.map(({ slug, marketCount }) => [slug, marketCount]));
    const listed = new Map(
      fitting.map((event) => [event.slug, selectedOf(event, counts.get(event.slug))]),
    );
    const isQuoted = ({ slug, isKept = false }: SelectedEvent): boolean =>
      listed.has(slug) || (!isKept && (missing.get(slug) ?? 0) < MISSING_READS);
    const stayed = chosen.filter(isQuoted).map((each) => listed.get(each.slug) ?? each);
    const quoted = within(select.max, stayed);
    const known = new Set(quoted.map(({ slug }) => slug));
    const others = [...listed.values()].filter(({ slug }) => !known.has(slug));
    const joined = within(select.max - marketsIn(quoted), others);
    for (const { slug } of joined) known.add(slug);
    const left = chosen.filter(({ slug }) => !known.has(slug));
    const kept = isFirst ? left : this.#kept(left, missing);
    return [
      ...quoted,
      ...joined,
      ...kept.slice(0, KEPT_MAX).map((each) => ({ ...each, isKept: true })),
    ];
  }

  #isNamed({ id, slug }: Event): boolean {
    return this.#named.has(id) || this.#named.has(slug);
  }

  /** A run that has just begun does not know yet of which it has shares, and asks from its second read on. */
  #kept(gone: readonly SelectedEvent[], missing: Known['missing']): readonly SelectedEvent[] {
    const isNew = ({ slug }: SelectedEvent) => (missing.get(slug) ?? MISSING_READS) < MISSING_READS;
    if (gone.every(isNew)) return gone;
    const held = this.#options.held();
    return gone.filter((each) => isNew(each) || held.has(each.slug));
  }
}

/** The venue as the filters ask it. */
export function readFittingBy(http: Pick<EventCalls, 'readAllEvents'>): ReadFitting {
  return async ({ status, ...words }) => {
    const found = await readAnyCase(http, status, words);
    if (found.kind !== 'ok' || found.value.events.length === 0) return found;
    const unheeded = await unheededOf(http, words);
    if (unheeded.kind !== 'ok') return unheeded;
    if (unheeded.value.length === 0) return found;
    return { kind: 'ok', value: { ...found.value, unheeded: unheeded.value } };
  };
}

/** The words that change nothing: the venue lists events for one that nobody uses. */
async function unheededOf(
  http: Pick<EventCalls, 'readAllEvents'>,
  words: Omit<SelectQuery, 'status'>,
): Promise<ReadOutcome<readonly Word[]>> {
  const unheeded: Word[] = [];
  for (const word of WORDS.filter((each) => words[each] !== undefined)) {
    const nobodys = await http.readAllEvents({ [word]: NOBODYS_WORD }, 1);
    // What refuses the word narrows by it; what fails otherwise says nothing, and is a failed read.
    if (nobodys.kind !== 'ok' && !isAboutTheWord(nobodys)) return nobodys;
    if (nobodys.kind === 'ok' && nobodys.value.events.length > 0) unheeded.push(word);
  }
  return { kind: 'ok', value: unheeded };
}

async function readAnyCase(
  http: Pick<EventCalls, 'readAllEvents'>,
  status: SelectQuery['status'],
  words: Omit<SelectQuery, 'status'>,
): Promise<ReadOutcome<Listing>> {
  if (status === 'any') return await http.readAllEvents(words, SELECT_PAGES_MAX);
  const open = await http.readAllEvents({ ...words, status }, SELECT_PAGES_MAX);
  // A venue that writes statuses in capitals knows none of `open`, or refuses it.
  const isOfNoUse = open.kind === 'ok' ? open.value.events.length === 0 : isInvalid(open);
  return isOfNoUse ? await http.readAllEvents(words, SELECT_PAGES_MAX) : open;
}

function isInvalid(outcome: Failure): boolean {
  return outcome.kind === 'refused' && outcome.refusal.httpStatus === 400;
}

function isAboutTheWord(outcome: Failure): boolean {
  return outcome.kind === 'refused' && [400, 404, 422].includes(outcome.refusal.httpStatus ?? 0);
}

const TOO_MANY = `more than ${SELECT_PAGES_MAX * 100} events fit: those listed first are chosen from`;

/** One that is chosen stays where its markets are there and cannot be read: they are quoted as they were read last. */
function fits({ status, markets, unread = 0 }: Event, select: Select, isChosen: boolean): boolean {
  const count = markets.length + (isChosen ? unread : 0);
  return count > 0 && (status === 'open' || (select.status === 'any' && status === 'closed'));
}

/** Each goes on under the name that its id has now, once: another one may have the name that it had. */
function underNamesOf(
  listed: readonly Event[],
  chosen: readonly SelectedEvent[],
): readonly SelectedEvent[] {
  const names = new Map<string, string>(listed.map(({ id, slug }) => [id, slug]));
  const now = chosen.map((each) => ({ ...each, slug: names.get(each.id) ?? each.slug }));
  return [...new Map(now.map((each) => [each.slug, each])).values()];
}

/** Of markets that cannot be read as many count as were counted before. */
function selectedOf({ id, slug, markets, unread = 0 }: Event, counted = 0): SelectedEvent {
  const marketCount = Math.max(markets.length, Math.min(counted, markets.length + unread));
  return { id, slug, marketCount };
}

/** Events one after the other, each whole or not at all. */
function within(marketsMax: number, events: readonly SelectedEvent[]): readonly SelectedEvent[] {
  let room = marketsMax;
  return events.filter(({ marketCount }) => {
    if (marketCount > room) return false;
    room -= marketCount;
    return true;
  });
}

function marketsIn(events: readonly SelectedEvent[]): number {
  return events.reduce((sum, { marketCount }) => sum + marketCount, 0);
}

function isSame(one: readonly SelectedEvent[], other: readonly SelectedEvent[]): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
