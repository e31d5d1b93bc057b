// The socket as the daemon will use it: it connects, is let in, and shows every configured book.

import { socketOptions, type VenueAccess, venueHttpOptions } from '../../app/venue-access.ts';
import type { TokenId } from '../../domain/ids.ts';
import type { Event } from '../../domain/market.ts';
import type { VenueMessage } from '../../domain/message.ts';
import { createVenue } from '../../venue/venue.ts';
import { BOOK_DEPTH_DEFAULT } from '../../wire/limits.ts';
import { type Finding, failed, ok, refused, skipped } from './finding.ts';

/** A venue that has not answered on the socket by then does not. */
const ANSWER_MS_MAX = 10_000;
/** Frames that are of no kind of ours, told at most. */
const ODD_MAX = 3;

type Seen = {
  isOpen: boolean;
  isLetIn: boolean;
  lost: string | undefined;
  refusal: string | undefined;
  readonly books: Set<TokenId>;
  readonly odd: string[];
};

/** Opens the socket, waits for the session and a snapshot of every token, and closes it. */
export async function socketFindings(
  access: VenueAccess,
  events: readonly Event[],
  hasCredentials: boolean,
): Promise<readonly Finding[]> {
  const tokens = events.flatMap(({ markets }) =>
    markets.flatMap(({ yes, no }) => [yes.tokenId, no.tokenId]),
  );
  const seen: Seen = {
    ...{ isOpen: false, isLetIn: false, lost: undefined, refusal: undefined },
    ...{ books: new Set(), odd: [] },
  };
  await watch(access, { events, tokens, seen, hasCredentials });
  return [
    connectionFinding(access, seen),
    sessionFinding(seen, hasCredentials),
    booksFinding(seen, tokens.length),
  ];
}

type Watch = {
  readonly events: readonly Event[];
  readonly tokens: readonly TokenId[];
  readonly seen: Seen;
  readonly hasCredentials: boolean;
};

async function watch(access: VenueAccess, { events, tokens, seen, hasCredentials }: Watch) {
  const port = createVenue({
    ...venueHttpOptions(access),
    wsUrl: access.settings.venue.wsUrl,
    wantedEvents: events.map(({ id }) => id),
    random: Math.random,
    socket: socketOptions(access.settings.venue),
  });
  const isAnswered = () =>
    seen.isOpen &&
    (seen.isLetIn || seen.refusal !== undefined || !hasCredentials) &&
    seen.books.size === tokens.length;
  await new Promise<void>((resolve) => {
    const callOff = access.timers.after(ANSWER_MS_MAX, resolve);
    port.start((message) => {
      note(seen, message);
      if (message.kind === 'catalogue' && message.outcome.kind === 'ok') {
        port.send({ kind: 'subscribe', tokenIds: tokens, depth: BOOK_DEPTH_DEFAULT });
      }
      if (!isAnswered()) return;
      callOff();
      resolve();
    });
  });
  await port.stop();
}

function note(seen: Seen, message: VenueMessage): void {
  switch (message.kind) {
    case 'socketOpened':
      seen.isOpen = true;
      return;
    case 'socketLost':
      seen.lost = message.reason;
      return;
    case 'authenticated':
      seen.isLetIn = true;
      return;
    case 'authRefused':
      seen.refusal = message.detail;
      return;
    case 'bookSnapshot':
      seen.books.add(message.tokenId);
      return;
    case 'unrecognised':
    case 'bookUnreadable':
      if (seen.odd.length < ODD_MAX) seen.odd.push(message.detail.slice(0, 120));
      return;
    default:
  }
}

function connectionFinding({ settings }: VenueAccess, { isOpen, lost, odd }: Seen): Finding {
  const { wsUrl } = settings.venue;
  if (!isOpen) {
    return failed(
      'socket',
      `${wsUrl}: ${lost ?? 'no answer'}`,
      'check venue.wsUrl and the network',
    );
  }
  if (odd.length === 0) return ok('socket', `${wsUrl} is open`);
  const cure = 'frames the interface does not show are left out; tell its maintainers';
  return failed('socket', `unreadable frames: ${odd.join(' · ')}`, cure);
}

function sessionFinding({ isLetIn, refusal }: Seen, hasCredentials: boolean): Finding {
  if (!hasCredentials) return skipped('socket session', 'needs credentials');
  if (isLetIn) return ok('socket session', 'own orders and trades will be told');
  if (refusal !== undefined) {
    return refused('socket session', refusal, 'the same credentials as for requests are needed');
  }
  return failed('socket session', 'the auth frame got no answer', 'check venue.wsUrl');
}

function booksFinding({ books }: Seen, wanted: number): Finding {
  const detail = `${books.size} of ${wanted} came`;
  if (books.size === wanted) return ok('book snapshots', detail);
  return failed('book snapshots', detail, 'a token without its book is not quoted');
}
