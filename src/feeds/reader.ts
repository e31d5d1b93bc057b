// How the texts of a source become statements of the price of YES: as they are, as the books of another venue, or as
// a spot price that an option is worth something on.

import type { FeedChoice } from '../domain/feed.ts';
import type { Reader } from './arrival.ts';
import { DigitalReader } from './digital.ts';
import { readStatement, refusal } from './statement.ts';
import { venueReader } from './venues/mids.ts';

export function readerOf(choice: FeedChoice): Reader {
  const reader = plainReader(choice);
  return choice.isInverted === true ? inverted(reader) : reader;
}

function plainReader(choice: FeedChoice): Reader {
  if (choice.venue !== undefined) return venueReader(choice.venue);
  if (choice.digital !== undefined) return new DigitalReader(choice, choice.digital);
  return { read: ({ text, isStream }) => readStatement(text, choice, isStream) };
}

/** YES here is what does not happen there; its deviation is the same. */
function inverted(reader: Reader): Reader {
  return {
    read: (arrival) => {
      const reading = reader.read(arrival);
      if (reading.kind !== 'stated') return reading;
      const price = 1 - reading.price;
      // What is next to nothing there leaves nothing to it here.
      if (price < 1) return { ...reading, price };
      return refusal('the price', String(reading.price), 'one that leaves less than 1 here');
    },
    basis: () => reader.basis?.(),
    ...(reader.volatility === undefined ? {} : { volatility: reader.volatility.bind(reader) }),
  };
}
