// What a source is asked and told: addresses, bodies and headers, by what kind of source it is.

import type { FeedChoice, VenueMids } from '../domain/feed.ts';
import { STATEMENT_BYTES_MAX } from './source.ts';
import { BETFAIR_PATH, betfairBody } from './venues/betfair.ts';
import { kalshiQuery } from './venues/kalshi.ts';
import { VENUE_BYTES_MAX } from './venues/mids.ts';
import { POLYMARKET_PROBE, polymarketBody, polymarketSubscription } from './venues/polymarket.ts';

export type Question = {
  readonly url: string;
  readonly method: 'GET' | 'POST';
  readonly body: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly bytesMax: number;
  /** Asked now and then, so that a session does not end. */
  readonly keepAlive: string | undefined;
};

export type Line = {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly bytesMax: number;
  /** Sent when it opens, and with every probe. */
  readonly subscribe: string | undefined;
  readonly probe: string | undefined;
};

export function questionOf(choice: FeedChoice): Question {
  const { from, venue } = choice;
  const accept = 'application/json, text/plain;q=0.9, text/csv;q=0.8';
  const headers = { accept, ...authHeaders(choice) };
  if (venue === undefined) {
    const bytesMax = STATEMENT_BYTES_MAX;
    return { url: from, method: 'GET', body: undefined, headers, bytesMax, keepAlive: undefined };
  }
  const { path, body } = askedOf(venue);
  const typed = body === undefined ? headers : { ...headers, 'content-type': 'application/json' };
  return {
    url: `${from.replace(/\/$/, '')}${path}`,
    method: body === undefined ? 'GET' : 'POST',
    body,
    headers: typed,
    bytesMax: VENUE_BYTES_MAX,
    keepAlive: venue.keepAlive,
  };
}

/** @param url - Of the socket, which is `from` or the second address of a venue. */
export function lineOf(choice: FeedChoice, url: string): Line {
  const headers = authHeaders(choice);
  if (choice.venue === undefined) {
    const { subscribe } = choice;
    return { url, headers, bytesMax: STATEMENT_BYTES_MAX, subscribe, probe: undefined };
  }
  const subscribe = polymarketSubscription(choice.venue);
  return { url, headers, bytesMax: VENUE_BYTES_MAX, subscribe, probe: POLYMARKET_PROBE };
}

function askedOf(venue: VenueMids): { readonly path: string; readonly body: string | undefined } {
  switch (venue.name) {
    case 'polymarket':
      return { path: '/books', body: polymarketBody(venue) };
    case 'kalshi':
      return { path: `/markets${kalshiQuery(venue)}`, body: undefined };
    case 'betfair':
      return { path: BETFAIR_PATH, body: betfairBody(venue) };
  }
}

function authHeaders({ auth, venue }: FeedChoice): Record<string, string> {
  return {
    ...(auth === undefined ? {} : { [auth.header]: auth.secret.reveal() }),
    ...(venue?.appKey === undefined ? {} : { 'x-application': venue.appKey.reveal() }),
  };
}
