// How the texts of a source become statements of the price of YES: as they are, as the books of another venue, or as
// a spot price that an option is worth something on.

import type { FeedChoice } from '../domain/feed.ts';
import type { Reader } from './arrival.ts';
import { DigitalReader } from './digital.ts';
import { readStatement } from './statement.ts';
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
      return reading.kind === 'stated' ? { ...reading, price: 1 - reading.price } : reading;
    },
    basis: () => reader.basis?.(),
    ...(reader.volatility === undefined ? {} : { volatility: reader.volatility.bind(reader) }),
  };
}
