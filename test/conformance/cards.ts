// All cards, in the order of their numbers.

import { ACCOUNT_CARDS } from '../../src/cli/doctor/cards-account.ts';
import { MARKET_CARDS } from '../../src/cli/doctor/cards-market.ts';
import { PUBLIC_CARDS } from '../../src/cli/doctor/cards-public.ts';
import type { AnywhereCard, Card } from './bench/bench.ts';
import { AUTHENTICATION_CARDS } from './cards/authentication.ts';
import { CLIENT_ASK_CARDS } from './cards/client-asks.ts';
import { CLIENT_DEPLOYMENT_CARDS } from './cards/client-deployments.ts';
import { CLIENT_FRAME_CARDS } from './cards/client-frames.ts';
import { CLIENT_READ_CARDS } from './cards/client-reads.ts';
import { CLIENT_TOLERANCE_CARDS } from './cards/client-tolerance.ts';
import { CODE_CARDS } from './cards/codes.ts';
import { DAEMON_CARDS } from './cards/daemon.ts';
import { DAEMON_CODE_CARDS } from './cards/daemon-codes.ts';
import { DAEMON_TRADE_CARDS } from './cards/daemon-trades.ts';
import { DEAL_AND_PING_CARDS } from './cards/deals.ts';
import { FEED_CARDS } from './cards/feeds.ts';
import { GENERATION_CARDS } from './cards/generations.ts';
import { LIMIT_CARDS } from './cards/limits.ts';
import { MARKET_ORDER_CARDS } from './cards/market-orders.ts';
import { MATCHING_CARDS } from './cards/matching.ts';
import { ORDER_CARDS } from './cards/orders.ts';
import { PAIR_CARDS } from './cards/pairs.ts';
import { SOCKET_CARDS } from './cards/sockets.ts';
import { STREAM_CARDS } from './cards/streams.ts';
import { VALUE_CARDS } from './cards/values.ts';

const ANYWHERE: readonly AnywhereCard[] = [
  ...PUBLIC_CARDS,
  ...MARKET_CARDS,
  ...ACCOUNT_CARDS,
  ...AUTHENTICATION_CARDS,
  ...SOCKET_CARDS,
  ...ORDER_CARDS,
  ...PAIR_CARDS,
  ...STREAM_CARDS,
  ...DEAL_AND_PING_CARDS,
];

export const CARDS: readonly Card[] = [
  ...ANYWHERE,
  ...MATCHING_CARDS,
  ...MARKET_ORDER_CARDS,
  ...FEED_CARDS,
  ...LIMIT_CARDS,
  ...GENERATION_CARDS,
  ...CODE_CARDS,
  ...DAEMON_CARDS,
  ...VALUE_CARDS,
  ...DAEMON_TRADE_CARDS,
  ...CLIENT_ASK_CARDS,
  ...CLIENT_DEPLOYMENT_CARDS,
  ...CLIENT_READ_CARDS,
  ...CLIENT_FRAME_CARDS,
  ...CLIENT_TOLERANCE_CARDS,
  ...DAEMON_CODE_CARDS,
];

export function isAnywhere(card: Card): card is AnywhereCard {
  return card.kind !== 'embedded';
}
