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
