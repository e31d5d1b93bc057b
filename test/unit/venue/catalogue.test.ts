// The listing as it is known where a part of it is there in a shape that is not understood.

import { expect, it } from 'vitest';
import type { Event } from '../../../src/domain/market.ts';
import type { VenueMessage } from '../../../src/domain/message.ts';
import { Catalogue } from '../../../src/venue/catalogue.ts';
import type { EventCalls } from '../../../src/venue/http/events.ts';
import { parseNamedEvent } from '../../../src/wire/events.ts';
import { WIRE_EVENT, YES } from '../../support/http-double-fixtures.ts';

const OTHER = {
  ...WIRE_EVENT.markets[0],
  id: 'm2',
  outcomes: [
    { id: 'o3', name: 'Yes', tokenId: '0xb1', outcomeIndex: 1 },
    { id: 'o2', name: 'No', tokenId: '0xb0', outcomeIndex: 0 },
  ],
};

/** Each load is given the next of these markets. */
async function loaded(...answers: readonly (readonly object[])[]): Promise<readonly Event[]> {
  const told: VenueMessage[] = [];
  const catalogue = new Catalogue(['rain'], (message) => told.push(message));
  for (const markets of answers) {
    const { event, skipped } = parseNamedEvent({ ...WIRE_EVENT, markets }, 'rain');
    const value = { events: event === undefined ? [] : [event], skipped };
    const calls: Pick<EventCalls, 'readNamedEvents'> = {
      readNamedEvents: async () => ({ kind: 'ok', value }),
    };
    await catalogue.load(calls as EventCalls);
  }
  expect(catalogue.tokens.gridOf(YES)).toBeDefined();
  const last = told.findLast(({ kind }) => kind === 'catalogue');
  return last?.kind === 'catalogue' && last.outcome.kind === 'ok' ? last.outcome.value : [];
}

const RAIN = WIRE_EVENT.markets[0] ?? {};

it('keeps a market as it was read last while it cannot be read, and lets one go that is not there', async () => {
  const odd = { ...RAIN, title: 7 };
  const [kept] = await loaded([RAIN, OTHER], [odd, OTHER], [odd, OTHER]);
  expect(kept?.markets.map(({ id }) => id).toSorted()).toEqual(['m1', 'm2']);
  expect(kept?.unread ?? 0).toBe(0);
  const [without] = await loaded([RAIN, OTHER], [RAIN]);
  expect(without?.markets.map(({ id }) => id)).toEqual(['m1']);
});

it('counts a market that it never could read', async () => {
  const [event] = await loaded([RAIN, { ...OTHER, title: 7 }]);
  expect(event?.markets.map(({ id }) => id)).toEqual(['m1']);
  expect(event?.unread).toBe(1);
});

/** The venue answers to an id, and to the names that it has of it now; all of `names` are wanted. */
async function renamed(names: readonly string[], slugs: readonly string[], answersTo = slugs) {
  const told: VenueMessage[] = [];
  const asked: (readonly string[])[] = [];
  const catalogue = new Catalogue(names, (message) => told.push(message));
  for (const [index, slug] of slugs.entries()) {
    const known = new Set([WIRE_EVENT.id, slug, answersTo[index]]);
    const calls: Pick<EventCalls, 'readNamedEvents'> = {
      readNamedEvents: async (of) => {
        asked.push(of);
        const { event } = parseNamedEvent({ ...WIRE_EVENT, slug }, slug);
        const isThere = event !== undefined && of.some((name) => known.has(name));
        return { kind: 'ok', value: { events: isThere ? [event] : [], skipped: [] } };
      },
    };
    await catalogue.load(calls as EventCalls);
  }
  const last = told.findLast(({ kind }) => kind === 'catalogue');
  const events = last?.kind === 'catalogue' && last.outcome.kind === 'ok' ? last.outcome.value : [];
  return { events, asked, told };
}

it('finds an event by its id where the venue calls it otherwise, and says so', async () => {
  const { events, told } = await renamed(['rain'], ['rain', 'showers']);
  expect(events).toMatchObject([{ id: WIRE_EVENT.id, slug: 'rain' }]);
  const said = told.filter(({ kind }) => kind === 'unrecognised');
  expect(said).toMatchObject([{ detail: 'event[rain]: the venue calls it showers now' }]);
});

it('takes an event that answers to its old name for the same', async () => {
  const { events } = await renamed(['rain'], ['rain', 'showers'], ['rain', 'rain']);
  expect(events).toMatchObject([{ id: WIRE_EVENT.id, slug: 'rain' }]);
});

it('leaves an event its new name where that one is wanted', async () => {
  const { events, asked } = await renamed(['rain', 'showers'], ['rain', 'showers']);
  expect(events).toMatchObject([{ slug: 'showers' }]);
  expect(asked).toHaveLength(2);
});

it('knows no event by an id that nobody has asked for by its name', async () => {
  const { events } = await renamed(['hail'], ['rain', 'showers']);
  expect(events).toEqual([]);
});

it('keeps one that cannot be asked for by its id as it was, and reads the others', async () => {
  const told: VenueMessage[] = [];
  const catalogue = new Catalogue(['rain', 'snow'], (message) => told.push(message));
  const { event: rain } = parseNamedEvent(WIRE_EVENT, 'rain');
  const { event: snow } = parseNamedEvent({ ...WIRE_EVENT, id: 'e2', slug: 'snow' }, 'snow');
  if (rain === undefined || snow === undefined) throw new Error('both can be read');
  const failed = { kind: 'unknown', cause: 'serverError', detail: '500' } as const;
  const answers = [
    { kind: 'ok', value: { events: [rain, snow], skipped: [] } },
    { kind: 'ok', value: { events: [{ ...snow, title: 'new' }], skipped: [] } },
    failed,
  ] as const;
  let asked = 0;
  const calls: Pick<EventCalls, 'readNamedEvents'> = {
    readNamedEvents: async () => answers[asked++] ?? failed,
  };
  expect(await catalogue.load(calls as EventCalls)).toBe(true);
  expect(await catalogue.load(calls as EventCalls)).toBe(true);
  expect(told.at(-1)).toMatchObject({
    outcome: { value: [{ slug: 'snow', title: 'new' }, { slug: 'rain' }] },
  });
  expect(told.some(({ kind }) => kind === 'unrecognised')).toBe(false);
});
