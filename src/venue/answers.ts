// The one answer to each command, whatever becomes of it.

import type { AgeMs, VenueCommand } from '../domain/command.ts';
import type { EventId, MarketId } from '../domain/ids.ts';
import type {
  Failure,
  PlaceOutcome,
  ReadOutcome,
  Resolution,
  SetsOutcome,
  VenueMessage,
} from '../domain/message.ts';
import type { SetsChange } from '../domain/sets.ts';
import type { UnixMs } from '../domain/time.ts';
import { isClaimableIn, winnerOf } from '../wire/resolution.ts';
import type { VenueHttp } from './http/venue-http.ts';

/** Commands that are answered by a message of their own. */
export type AskingCommand = Extract<VenueCommand, { readonly requestId: unknown }>;

type Asked = {
  readonly command: AskingCommand;
  readonly askedAtMs: UnixMs;
  /** How long ago it was decided on. */
  readonly ageMs?: AgeMs | undefined;
};

/** Carries a command out over REST and says what came of it. */
export async function answerTo(
  { command, askedAtMs, ageMs }: Asked,
  http: VenueHttp,
): Promise<VenueMessage> {
  const { requestId } = command;
  switch (command.kind) {
    case 'placeOrders':
      return placed(command, await http.placeOrders(command.orders, ageMs));
    case 'cancelOrders': {
      const outcome = await http.cancelOrders(command.orderHashes, ageMs);
      return { kind: 'cancelled', requestId, outcome };
    }
    case 'cancelAll':
      return { kind: 'cancelled', requestId, outcome: await http.cancelAll(command.scope) };
    case 'changeSets':
      return {
        kind: 'setsChanged',
        requestId,
        outcome: await changeSets(command.change, http, ageMs),
      };
    case 'readOpenOrders':
      return { kind: 'openOrders', requestId, askedAtMs, outcome: await http.readOpenOrders() };
    case 'readBalances':
      return { kind: 'balances', requestId, askedAtMs, outcome: await http.readBalances() };
    case 'readTrades':
      return { kind: 'trades', requestId, askedAtMs, outcome: await http.readTrades() };
    case 'readResolution': {
      const { eventId, marketId } = command;
      const outcome = await readResolution(http, eventId, marketId);
      return { kind: 'resolutionRead', requestId, marketId, outcome };
    }
    case 'readBook': {
      const { tokenId } = command;
      const outcome = await http.readBook(tokenId);
      return { kind: 'bookRead', requestId, tokenId, askedAtMs, outcome };
    }
  }
}

/** Two questions; what one of them leaves open the other may still say. */
async function readResolution(
  http: VenueHttp,
  eventId: EventId,
  marketId: MarketId,
): Promise<ReadOutcome<Resolution>> {
  const [told, claims] = await Promise.all([
    http.readResolution(eventId, marketId),
    http.readClaimable(),
  ]);
  if (told.kind !== 'ok' && claims.kind !== 'ok') return claims;
  const winner = told.kind === 'ok' ? winnerOf(told.value, marketId) : undefined;
  const isClaimable = claims.kind === 'ok' ? isClaimableIn(claims.value, marketId) : undefined;
  return { kind: 'ok', value: { winner, isClaimable } };
}

async function changeSets(
  change: SetsChange,
  http: VenueHttp,
  ageMs: AgeMs | undefined,
): Promise<SetsOutcome> {
  switch (change.kind) {
    case 'split':
      return await http.splitSets(change, ageMs);
    case 'merge':
      return await http.mergeSets(change, ageMs);
    case 'redeem':
      return await http.redeem(change.marketId, ageMs);
  }
}

/** The answer to a command that failed as a whole. */
export function failedAnswer({ command, askedAtMs }: Asked, outcome: Failure): VenueMessage {
  const { requestId } = command;
  switch (command.kind) {
    case 'placeOrders':
      return placed(
        command,
        command.orders.map(() => outcome),
      );
    case 'cancelOrders':
    case 'cancelAll':
      return { kind: 'cancelled', requestId, outcome };
    case 'changeSets':
      return { kind: 'setsChanged', requestId, outcome };
    case 'readOpenOrders':
      return { kind: 'openOrders', requestId, askedAtMs, outcome };
    case 'readBalances':
      return { kind: 'balances', requestId, askedAtMs, outcome };
    case 'readTrades':
      return { kind: 'trades', requestId, askedAtMs, outcome };
    case 'readResolution':
      return { kind: 'resolutionRead', requestId, marketId: command.marketId, outcome };
    case 'readBook':
      return { kind: 'bookRead', requestId, tokenId: command.tokenId, askedAtMs, outcome };
  }
}

function placed(
  command: Extract<VenueCommand, { readonly kind: 'placeOrders' }>,
  outcomes: readonly PlaceOutcome[],
): VenueMessage {
  const missing: Failure = { kind: 'unknown', cause: 'missing', detail: 'no outcome' };
  return {
    kind: 'placed',
    requestId: command.requestId,
    outcomes: command.orders.map(({ intentId }, index) => ({
      intentId,
      outcome: outcomes[index] ?? missing,
    })),
  };
}
