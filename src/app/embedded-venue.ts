// An embedded venue on a port of its own, with the settings that every embedded venue has.

import { BotError } from '../domain/errors.ts';
import type { Event } from '../domain/market.ts';
import type { Clock } from '../domain/time.ts';
import { errorCode } from '../journal/files.ts';
import type { PaperOptions } from '../paper/options.ts';
import { type PaperVenue, startPaperVenue } from '../paper/server.ts';
import type { Settings } from '../settings/settings.ts';

/** The ready-made account of the daemon. */
export const MAKER = 'maker';

export type EmbeddedVenueOptions = {
  readonly paper: Settings['paper'];
  readonly port: number;
  /** One that never runs backwards: budgets would be used up until it is where it was, and crowds stand still. */
  readonly clock: Clock;
};

/**
 * Starts it with these events listed and the daemon's account funded.
 * @throws {BotError} `http.listen` when the port cannot be used.
 */
export async function listenEmbedded(
  { paper, port, clock }: EmbeddedVenueOptions,
  events: readonly Event[],
  { rules, timing, ...more }: Pick<PaperOptions, 'rules' | 'timing' | 'sockets'> = {},
): Promise<PaperVenue> {
  const { host, seed } = paper;
  try {
    return await startPaperVenue({
      host,
      port,
      clock,
      seed,
      events,
      startingCash: paper.startingCashUsdc,
      accountName: MAKER,
      rules: {
        partiallyFilledCancellable: paper.partlyFilled === 'cancellable',
        books: paper.books,
        ...rules,
      },
      timing: {
        settleMsMin: paper.settlementMsMin,
        settleMsMax: paper.settlementMsMax,
        indexLagMsMin: paper.positionLagMsMin,
        indexLagMsMax: paper.positionLagMsMax,
        ...timing,
      },
      ...more,
    });
  } catch (error) {
    throw cannotListen(`${host}:${port}`, error);
  }
}

function cannotListen(where: string, cause: unknown): BotError {
  const detail = `the embedded venue on ${where} (${errorCode(cause)})`;
  return new BotError('http.listen', detail, { cause });
}
