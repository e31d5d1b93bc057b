// What went wrong, as errors with a code. Codes are stable; texts are for people.

import { clipped } from './excerpt.ts';

export const BOT_ERRORS = {
  'wire.token_id': 'a token id is not hex text',
  'wire.order_hash': 'an order hash is not hex text',
  'wire.id': 'an id is not a short, non-empty text',
  'wire.off_tick': 'a price is not on the tick grid of its market',
  'wire.tick_size': 'a tick size is neither 0.01 nor 0.001',
  'wire.quantity': 'a quantity is not a whole number of micro-shares',
  'wire.usdc': 'an amount of USDC is not a number',
  'wire.field': 'a field is absent or of the wrong type',
  'settings.invalid': 'the configuration is not usable',
  'settings.write': 'the configuration cannot be written',
  'settings.credentials': 'the credentials are absent or not usable',
  'strategy.unknown': 'no strategy has this name',
  'strategy.shape': 'a strategy file is not usable',
  'strategy.params': 'a strategy parameter is not usable',
  'venue.read': 'the venue could not be read',
  'catalogue.unknown': 'an event or market is not on the venue',
  'replay.file': 'a recording is not usable',
  'journal.busy': 'another instance holds this journal',
  'journal.write': 'the journal cannot be written',
  'journal.copy': 'the journal could not be copied and read',
  'journal.absent': 'there is no journal, so nobody knows which orders are ours',
  'journal.damaged': 'the journal is not as it was left',
  'journal.venue': 'this journal belongs to another venue',
  'http.listen': 'the HTTP address cannot be used',
} as const;

export type BotErrorCode = keyof typeof BOT_ERRORS;

export class BotError extends Error {
  override readonly name: string = 'BotError';
  readonly code: BotErrorCode;

  constructor(code: BotErrorCode, detail: string, options?: ErrorOptions) {
    super(`${BOT_ERRORS[code]}: ${detail}`, options);
    this.code = code;
  }
}

/** A payload is of any length, and so is a value in it; a complaint about one is a line. */
const WIRE_DETAIL_LENGTH_MAX = 400;

/** A payload or frame of the venue that cannot be read; the detail carries the path, and is cut. */
export class WireError extends BotError {
  override readonly name = 'WireError';

  constructor(code: BotErrorCode, detail: string, options?: ErrorOptions) {
    super(code, clipped(detail, WIRE_DETAIL_LENGTH_MAX), options);
  }
}
