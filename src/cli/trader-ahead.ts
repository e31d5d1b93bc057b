// The first process that trades loads while its guard still does, so that a start waits for the slower of the two, and
// not for one behind the other. As the one in reserve it does nothing before the guard has given its word.

import { traderPart } from '../app/trader-part.ts';
import { type Part, startPart } from '../guard/child.ts';
import type { CliIo } from './io.ts';
import { isScreenWanted, type SessionOptions, traderArgs } from './session-options.ts';

/** @param run - Given nothing at a terminal: who reads its keys is known once the guard has looked. */
export async function withTraderAhead<Result>(
  io: CliIo,
  options: SessionOptions,
  run: (ahead: Part | undefined) => Promise<Result>,
  start = startPart,
): Promise<Result> {
  const ahead = isScreenWanted(io, options)
    ? undefined
    : start(traderPart(traderArgs(options), io.env));
  try {
    return await run(ahead);
  } finally {
    ahead?.signal('SIGKILL');
  }
}
