import { describe, expect, it } from 'vitest';
import { keptSelection } from '../../../src/app/selected-before.ts';
import {
  type FittingListing,
  MarketSelection,
  type ReadFitting,
  readFittingBy,
  type SelectedBefore,
} from '../../../src/app/selection.ts';
import { VirtualClock } from '../../../src/clock/virtual.ts';
import type { Event, MarketStatus } from '../../../src/domain/market.ts';
import type { Failure, ReadOutcome } from '../../../src/domain/message.ts';
import type { Listing } from '../../../src/venue/http/events.ts';
import { parseEventsPage } from '../../../src/wire/events.ts';
import { WIRE_EVENT } from '../../support/http-double-fixtures.ts';
import { listedEvent } from '../../support/listed-event.ts';
import { load, paths, problemsOf } from '../settings/support.ts';

const settingsOf = (select: string, more = '') =>
  load(
    `venue: {}\nmarkets:\n${more}  - { select: { ${select} }, strategy: steps, capitalWeight: 6 }\n`,
  );

function selecting(
  settings = settingsOf('tag: rain, max: 3'),
  more: { readonly before?: SelectedBefore; readonly held?: ReadonlySet<string> } = {},
) {
  const clock = new VirtualClock();
  const venue: { listing: FittingListing; failure: Failure | undefined } = {
    listing: { events: [], skipped: [] },
    failure: undefined,
  };
  const changes: SelectedBefore[] = [];
  const looks = { count: 0 };
  const read: ReadFitting = async (): Promise<ReadOutcome<FittingListing>> =>
    venue.failure ?? { kind: 'ok', value: venue.listing };
  const selection = new MarketSelection({
    ...{ clock, timers: clock, log: { info() {}, warn() {} }, read },
    held: () => {
      looks.count += 1;
      return more.held ?? new Set();
    },
    onChange: (chosen) => void changes.push(chosen),
    ...(more.before === undefined ? {} : { before: more.before }),
  });
  selection.want(settings.markets);
  return {
    ...{ selection, clock, changes, venue, looks },
    list: (...events: readonly Event[]) => {
      venue.listing = { events, skipped: [] };
    },
    /** Until the next read and its answer. */
    later: async (sec = 60) => {
      clock.advance(sec * 1_000);
      for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
    },
    quoted: (of = settings) => selection.applied(of).markets.map(({ event }) => event),
  };
}

const event = (slug: string, markets = 1, status: MarketStatus = 'open'): Event => ({
  ...listedEvent(slug, markets),
  status,
});

describe('markets that a filter selects', () => {
  it('join and leave while the daemon runs, at the stated pace', async () => {
    const { selection, list, later, quoted, changes } = selecting();
    list(event('rain'), event('snow'));
    await selection.start();
    expect(quoted()).toEqual(['rain', 'snow']);
    list(event('snow'), event('hail'));
    await later(59);
    expect(quoted()).toEqual(['rain', 'snow']);
    await later(1);
    // One listing without it may be a slip of the venue.
    expect(quoted()).toEqual(['rain', 'snow', 'hail']);
    await later();
    expect(quoted()).toEqual(['snow', 'hail']);
    expect(changes).toHaveLength(3);
    await later();
    expect(changes).toHaveLength(3);
  });

  it('stay when the venue does not answer, and the fault is shown', async () => {
    const { selection, list, later, quoted, venue } = selecting();
    list(event('rain'));
    await selection.start();
    venue.failure = { kind: 'unknown', cause: 'timeout', detail: 'no answer in 5 s' };
    for (let reads = 0; reads < 5; reads += 1) await later();
    expect(quoted()).toEqual(['rain']);
    expect(selection.views()).toMatchObject([
      { select: 'tag=rain', events: ['rain'], fault: 'timeout: no answer in 5 s' },
    ]);
  });

  it('stay while their event is listed and cannot be read, as those that are named do', async () => {
    const { selection, venue, later, quoted } = selecting();
    const listed = (expiryTime: string): FittingListing => {
      const { items, skipped } = parseEventsPage([{ ...WIRE_EVENT, expiryTime }]);
      return { events: items, skipped };
    };
    venue.listing = listed('2030-01-01T00:00:00Z');
    await selection.start();
    // A day alone is no time of the interface.
    venue.listing = listed('2030-01-01');
    for (let reads = 0; reads < 5; reads += 1) await later();
    expect(quoted()).toEqual(['rain']);
    venue.listing = { events: [], skipped: [] };
    for (let reads = 0; reads < 2; reads += 1) await later();
    expect(quoted()).toEqual([]);
  });

  it('stay while their only market cannot be read, which the catalogue knows as it was read last', async () => {
    const { selection, venue, later, quoted } = selecting();
    const listed = (more: object): FittingListing => {
      const markets = [{ ...WIRE_EVENT.markets[0], ...more }];
      const { items, skipped } = parseEventsPage([{ ...WIRE_EVENT, markets }]);
      return { events: items, skipped };
    };
    venue.listing = listed({ title: 7 });
    await selection.start();
    // What nobody ever could read takes no room.
    expect(quoted()).toEqual([]);
    venue.listing = listed({});
    await later();
    venue.listing = listed({ title: 7 });
    for (let reads = 0; reads < 5; reads += 1) await later();
    expect(quoted()).toEqual(['rain']);
  });

  it('take as much room as before while some of an event cannot be read', async () => {
    const { selection, list, later, quoted } = selecting();
    const whole = event('rain', 3);
    list(whole, event('snow'));
    await selection.start();
    list({ ...whole, markets: whole.markets.slice(1), unread: 1 }, event('snow'));
    await later();
    expect(quoted()).toEqual(['rain']);
    // A market that is not there any more leaves its room to others.
    list({ ...whole, markets: whole.markets.slice(1) }, event('snow'));
    await later();
    expect(quoted()).toEqual(['rain', 'snow']);
  });

  it('leave as their event does, also where a market under its name cannot be read', async () => {
    const { selection, list, later, quoted, venue } = selecting();
    list(event('rain'));
    await selection.start();
    const path = 'events[0].markets[0]';
    venue.listing = { events: [], skipped: [{ path, detail: 'odd', names: ['rain'] }] };
    for (let reads = 0; reads < 2; reads += 1) await later();
    expect(quoted()).toEqual([]);
  });

  it('are never more than max, whole events in the order of the listing, and those quoted stay', async () => {
    const { selection, list, later, quoted } = selecting();
    list(event('one'), event('three', 3), event('two', 2), event('last'));
    await selection.start();
    expect(quoted()).toEqual(['one', 'two']);
    list(event('fresh'), event('two', 2), event('one'), event('last'));
    await later();
    expect(quoted()).toEqual(['one', 'two']);
  });

  it('stay under another name where the venue gives their event one, also where there is no room for two', async () => {
    const { selection, list, later, quoted, changes } = selecting(settingsOf('tag: rain, max: 2'));
    list(event('rain'), event('snow'), event('hail'));
    await selection.start();
    expect(quoted()).toEqual(['rain', 'snow']);
    list({ ...event('rain'), slug: 'showers' }, event('snow'), event('hail'));
    await later();
    expect(quoted()).toEqual(['showers', 'snow']);
    expect(Object.values(changes.at(-1) ?? {})).toMatchObject([[{ slug: 'showers' }, {}]]);
  });

  it('are counted once where the venue gives an event the name that another one had', async () => {
    const { selection, list, later, quoted } = selecting(settingsOf('tag: rain, max: 2'));
    list(event('today'), event('tomorrow'));
    await selection.start();
    list({ ...event('today'), slug: 'yesterday' }, { ...event('tomorrow'), slug: 'today' });
    await later();
    expect(quoted()).toEqual(['yesterday', 'today']);
    expect(selection.views()).toMatchObject([{ marketCount: 2 }]);
    // The one whose name it has now is not listed any more.
    list({ ...event('today'), slug: 'today' });
    await later();
    expect(quoted()).toEqual(['today']);
  });

  it('are open ones, with what is closed for now where the file says any', async () => {
    const listing = [event('open'), event('shut', 1, 'closed'), event('over', 1, 'resolved')];
    const open = selecting();
    open.list(...listing);
    await open.selection.start();
    expect(open.quoted()).toEqual(['open']);
    const any = selecting(settingsOf('tag: rain, status: any'));
    any.list(...listing);
    await any.selection.start();
    expect(any.quoted()).toEqual(['open', 'shut']);
  });

  it('are known beyond their close while something is held there, and take no room then', async () => {
    const held = new Set(['rain']);
    const { selection, list, later, quoted } = selecting(settingsOf('tag: rain, max: 1'), { held });
    list(event('rain'));
    await selection.start();
    list(event('snow'));
    await later();
    await later();
    expect(quoted()).toEqual(['snow', 'rain']);
    expect(
      selection.applied(settingsOf('tag: rain, max: 1')).markets.map((each) => each.capitalWeight),
    ).toEqual([6, 0]);
    expect(selection.views()).toMatchObject([{ events: ['snow'], kept: 1, marketCount: 1 }]);
    held.clear();
    await later();
    expect(quoted()).toEqual(['snow']);
  });

  it('are known beyond max where they have grown while something is held there', async () => {
    const held = new Set(['rain']);
    const settings = settingsOf('tag: rain, max: 2');
    const { selection, list, later, quoted, changes } = selecting(settings, { held });
    list(event('rain', 2), event('snow'), event('hail'));
    await selection.start();
    expect(quoted()).toEqual(['rain']);
    list(event('rain', 3), event('snow'), event('hail'));
    await later();
    expect(quoted()).toEqual(['snow', 'hail', 'rain']);
    expect(selection.applied(settings).markets.map((each) => each.capitalWeight)).toEqual([
      3, 3, 0,
    ]);
    // The next run does not know what is held before its second read.
    const next = selecting(settings, { before: changes.at(-1) ?? {}, held: new Set() });
    next.list(event('rain', 3), event('snow'), event('hail'));
    await next.selection.start();
    expect(next.quoted()).toEqual(['snow', 'hail', 'rain']);
    await next.later();
    expect(next.quoted()).toEqual(['snow', 'hail']);
    list(event('rain', 2));
    await later();
    await later();
    expect(selection.views()).toMatchObject([{ events: ['rain'], kept: 0 }]);
  });

  it('cost one look at what is held, however many have closed: each look takes as long as all markets', async () => {
    const many = Array.from({ length: 50 }, (_, index) => `rain-${index}`);
    const held = new Set(many);
    const { selection, list, later, looks } = selecting(settingsOf('tag: rain, max: 100'), {
      held,
    });
    list(...many.map((slug) => event(slug)));
    await selection.start();
    list(event('snow'));
    await later();
    await later();
    expect(selection.views()).toMatchObject([{ events: ['snow'], kept: 50 }]);
    expect(looks.count).toBe(1);
  });

  it('are those of the run before, until two reads have shown otherwise', async () => {
    const first = selecting();
    first.list(event('b'), event('a'));
    await first.selection.start();
    const next = selecting(undefined, { before: first.changes.at(-1) ?? {} });
    expect(next.quoted()).toEqual(['b', 'a']);
    next.list(event('z'), event('y'), event('a'));
    await next.selection.start();
    expect(next.quoted()).toEqual(['b', 'a', 'z']);
    await next.later();
    expect(next.quoted()).toEqual(['a', 'z', 'y']);
  });

  it.each<Failure>([
    { kind: 'unknown', cause: 'timeout', detail: 'no answer in 5 s' },
    {
      kind: 'refused',
      refusal: { code: 'internal_error', message: '', httpStatus: 500, retryAfterMs: undefined },
    },
  ])(
    'are those of the run before where the venue fails at the filter alone: $kind',
    async (failure) => {
      const first = selecting();
      first.list(event('rain'));
      await first.selection.start();
      const next = selecting(undefined, { before: first.changes.at(-1) ?? {} });
      next.venue.failure = failure;
      expect(await next.selection.start()).toBeUndefined();
      expect(next.quoted()).toEqual(['rain']);
      expect(next.selection.views()).toMatchObject([{ fault: expect.any(String) }]);
      next.venue.failure = undefined;
      next.list(event('rain'), event('snow'));
      await next.later();
      expect(next.quoted()).toEqual(['rain', 'snow']);
    },
  );

  it('keep a start waiting that nobody has read before', async () => {
    const next = selecting(undefined, { before: { 'tag=snow': [] } });
    next.venue.failure = { kind: 'unknown', cause: 'timeout', detail: 'no answer in 5 s' };
    expect(await next.selection.start()).toBe(next.venue.failure);
  });

  it('leave alone what the file names, whatever of it', async () => {
    const settings = settingsOf('tag: rain', '  - { event: rain, market: m-1, strategy: still }\n');
    const { selection, list, quoted } = selecting(settings);
    list(event('rain'), event('snow'));
    await selection.start();
    expect(quoted()).toEqual(['rain', 'snow']);
    expect(selection.applied(settings).markets.map(({ strategy }) => strategy)).toEqual([
      'still',
      'steps',
    ]);
  });

  it('follow a file that changes: a smaller max at once, another filter when it was read', async () => {
    const { selection, list, later, quoted } = selecting();
    list(event('a'), event('b'));
    await selection.start();
    const smaller = settingsOf('tag: rain, max: 1');
    selection.want(smaller.markets);
    expect(quoted(smaller)).toEqual(['a']);
    const other = settingsOf('search: "will it"');
    selection.want(other.markets);
    expect(quoted(other)).toEqual([]);
    await selection.start();
    expect(quoted(other)).toEqual(['a', 'b']);
    await later(1_000);
    expect(selection.views()).toHaveLength(1);
  });
});

describe('what filters have chosen', () => {
  it.each([
    [
      'outlives the process in the ledger',
      undefined,
      { 'tag=rain': [{ id: 'e', slug: 'rain', marketCount: 2, isKept: true }] },
    ],
    ['is nothing where the ledger has no such text', 'no JSON', {}],
  ] as [string, string | undefined, SelectedBefore][])('%s', (_, damage, expected) => {
    const facts = new Map<string, string>();
    const ledger = {
      fact: (name: string) => (facts.has(name) ? (damage ?? facts.get(name)) : undefined),
      setFact: (name: string, value: string) => void facts.set(name, value),
    };
    const log = { warn() {} };
    let told = 0;
    const first = keptSelection(ledger, log, () => {
      told += 1;
    });
    expect(first.before).toEqual({});
    first.onChange({ 'tag=rain': [{ id: 'e', slug: 'rain', marketCount: 2, isKept: true }] });
    expect(told).toBe(1);
    expect(keptSelection(ledger, log, () => {}).before).toEqual(expected);
  });

  it.each([
    ['select: {}', 'markets[0].select'],
    ['select: { tag: a }, event: rain', 'markets[0].event'],
    ['select: { tag: a }, market: m-1', 'markets[0].market'],
    ['params: {}', 'markets[0].event'],
    ['select: { tag: a, max: 0 }', 'markets[0].select.max'],
  ])('has a filter that says what it means: { %s } is refused', (item, path) => {
    expect(paths(problemsOf(`venue: {}\nmarkets: [{ ${item}, strategy: steps }]\n`))).toContain(
      path,
    );
  });

  it('has one filter for one question', () => {
    const one = '{ select: { tag: a, max: 2 }, strategy: steps }';
    const [problem] = problemsOf(`venue: {}\nmarkets: [${one}, ${one}]\n`);
    expect(problem).toMatchObject({
      path: 'markets[1]',
      message: 'markets[0] already selects tag=a',
    });
  });
});

describe('limits over what is selected', () => {
  it('divide evenly: orders by market, losses by event, the weight of the filter by its markets', async () => {
    const settings = settingsOf('tag: rain, max: 50', '  - { event: fog, strategy: steps }\n');
    const { selection, list } = selecting(settings);
    list(event('rain', 3), event('snow', 3), event('hail', 1));
    await selection.start();
    const { risk, markets } = selection.applied(settings);
    expect(risk.maxMarketOpenOrders).toBe(25); // 200 over 8 markets
    expect(risk.maxEventLossUsdc).toBe(62.5); // 250 over 4 events
    expect(markets.map(({ capitalWeight }) => capitalWeight)).toEqual([1, 6 / 7, 6 / 7, 6 / 7]);
  });

  it('leave a market two orders at least, and a lower limit of the file as it is', async () => {
    const settings = load(
      'venue: {}\nrisk: { maxOpenOrders: 3, maxEventLossUsdc: 7 }\nmarkets: [{ select: { tag: a }, strategy: steps }]\n',
    );
    const { selection, list } = selecting(settings);
    list(event('rain'), event('snow'));
    await selection.start();
    const { risk } = selection.applied(settings);
    expect(risk).toMatchObject({ maxMarketOpenOrders: 2, maxEventLossUsdc: 7 });
  });

  it('are the file’s own where it selects nothing', () => {
    const settings = load('venue: {}\nmarkets: [{ event: rain, strategy: steps }]\n');
    const { selection } = selecting(settings);
    expect(selection.applied(settings)).toEqual(settings);
  });
});

describe('a filter that the venue does not narrow its listing by', () => {
  it('chooses nothing, says so, and keeps no start waiting', async () => {
    const { selection, venue, quoted } = selecting();
    venue.listing = { events: [event('rain'), event('snow')], skipped: [], unheeded: ['tag'] };
    expect(await selection.start()).toBeUndefined();
    expect(quoted()).toEqual([]);
    expect(selection.views()).toMatchObject([
      { events: [], fault: 'the venue lists every event, whatever the tag' },
    ]);
  });

  it('keeps what it chose while the venue did', async () => {
    const { selection, venue, list, later, quoted } = selecting();
    list(event('rain'));
    await selection.start();
    venue.listing = { events: [event('rain'), event('snow')], skipped: [], unheeded: ['tag'] };
    await later();
    await later();
    await later();
    expect(quoted()).toEqual(['rain']);
    list(event('rain'), event('hail'));
    await later();
    expect(quoted()).toEqual(['rain', 'hail']);
  });
});

describe('the listing behind a filter', () => {
  const asking = (answers: (query: object) => ReadOutcome<Listing>) => {
    const asked: object[] = [];
    const read = readFittingBy({
      readAllEvents: async (query = {}) => {
        asked.push(query);
        return answers(query);
      },
    });
    return { asked, read };
  };
  const query = { tag: 'rain', category: undefined, search: undefined, status: 'open' } as const;
  const listing = (...events: readonly Event[]): ReadOutcome<Listing> => ({
    kind: 'ok',
    value: { events, skipped: [] },
  });

  const heeds = (word: 'tag' | 'category' | 'search', wanted: string) => (query: object) =>
    Object.entries(query).some(([name, value]) => name === word && value !== wanted)
      ? listing()
      : listing(event('rain'));

  it('is asked once where the venue knows the status, and for a word that nobody uses', async () => {
    const { asked, read } = asking(heeds('tag', 'rain'));
    expect(await read(query)).toEqual(listing(event('rain')));
    expect(asked).toEqual([
      { tag: 'rain', category: undefined, search: undefined, status: 'open' },
      { tag: expect.not.stringMatching('rain') },
    ]);
  });

  it.each(['tag', 'category', 'search'] as const)(
    'names the %s that the venue does not narrow it by',
    async (word) => {
      const words = { tag: undefined, category: undefined, search: undefined, [word]: 'rain' };
      const { read } = asking(() => listing(event('rain'), event('snow')));
      expect(await read({ ...words, status: 'open' })).toMatchObject({
        value: { unheeded: [word] },
      });
      const heeding = asking(heeds(word, 'rain'));
      expect(await heeding.read({ ...words, status: 'open' })).toEqual(listing(event('rain')));
    },
  );

  it.each([
    [400, 'ok'],
    [404, 'ok'],
    [429, 'refused'],
  ] as const)('where a word that nobody uses is answered %i, is %s', async (httpStatus, kind) => {
    const refusal = { code: undefined, message: '', httpStatus, retryAfterMs: undefined };
    const { read } = asking((asked) =>
      'status' in asked ? listing(event('rain')) : { kind: 'refused', refusal },
    );
    expect(await read(query)).toMatchObject({ kind });
  });

  it.each([
    [
      'refuses it',
      { kind: 'refused', refusal: { code: 'invalid_parameter', message: '', httpStatus: 400 } },
    ],
    ['finds nothing by it', listing()],
  ] as [string, ReadOutcome<Listing>][])(
    'is asked without the status at a venue that %s, as where statuses are in capitals',
    async (_, answer) => {
      const { read } = asking((asked) =>
        'status' in asked ? answer : heeds('tag', 'rain')(asked),
      );
      expect(await read(query)).toMatchObject({ value: { events: [{ slug: 'rain' }] } });
    },
  );

  it('is not asked again where the venue is down', async () => {
    const { asked, read } = asking(() => ({ kind: 'notSent', detail: 'ECONNREFUSED' }));
    expect(await read(query)).toMatchObject({ kind: 'notSent' });
    expect(asked).toHaveLength(1);
  });
});
