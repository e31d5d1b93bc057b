// What the venue says of markets that are over: who won decides the last profit and loss, and what is claimable
// whether a redeem is sent. Where it says neither, shares are redeemed as ever, and cash tells who won.
// @spec Endpoints › Conditional tokens (all Auth)

import { LEGS } from '../../domain/market.ts';
import type { MessageOf } from '../../domain/message.ts';
import { addMs } from '../../domain/time.ts';
import { failureText } from '../kernel/connection.ts';
import type { PositionStores } from '../positions/stores.ts';
import type { QuotedMarket } from '../quoting/market.ts';
import type { SetsStores } from './stores.ts';

/** Markets are looked at for one that is over this often. */
const LOOK_MS = 1_000;
/** Questions of one look. */
const ASKED_AT_ONCE = 4;
/** What is not claimable yet may only not be indexed: asked again so late at first, then ever more slowly. */
const AGAIN_MS_MIN = 60_000;
const AGAIN_MS_MAX = 600_000;
/** Asks about markets that are over, at a pace. */
export function askResolutions(stores: SetsStores): void {
  const { nowMs, resolutions } = stores;
  if (nowMs - resolutions.lookedAtMs < LOOK_MS) return;
  resolutions.lookedAtMs = nowMs;
  for (const id of resolutions.asked.keys()) {
    if (!stores.markets.has(id)) resolutions.asked.delete(id);
  }
  let left = ASKED_AT_ONCE;
  for (const market of stores.markets.values()) {
    if (left === 0) return;
    if (isOpenQuestion(stores, market) && ask(stores, market)) left -= 1;
  }
}

/** Takes in an answer; one that failed says nothing. */
export function onResolution(
  stores: SetsStores,
  { requestId, marketId, outcome }: MessageOf<'resolutionRead'>,
): void {
  const asked = stores.resolutions.asked.get(marketId);
  const market = stores.markets.get(marketId);
  if (asked === undefined || market === undefined || asked.requestId !== requestId) return;
  asked.requestId = undefined;
  if (outcome.kind !== 'ok') {
    if (asked.claim === 'asking') asked.claim = 'unsaid';
    const detail = failureText(outcome);
    stores.outbox.report({ event: 'venue.read_failed', what: 'resolution', detail });
    return;
  }
  const { isClaimable, winner } = outcome.value;
  if (isClaimable === undefined) asked.claim = 'unsaid';
  else asked.claim = isClaimable ? 'claimable' : 'nothing';
  const leg = LEGS.find((each) => market.tokenOf(each) === winner);
  if (leg === undefined) return;
  // Shares of the other outcome alone pay nothing, whatever is claimable.
  if (stores.positions.confirmed(market.tokenOf(leg)) <= 0) asked.claim = 'nothing';
  market.onWinner(leg);
  stores.touched.flows.add(marketId);
}

function ask(stores: SetsStores, market: QuotedMarket): boolean {
  const { id } = market.market;
  const { nowMs, resolutions } = stores;
  const asked = resolutions.asked.get(id);
  if (asked !== undefined && nowMs < addMs(asked.askedAtMs, asked.againMs)) return false;
  const requestId = stores.outbox.nextRequestId();
  resolutions.asked.set(id, {
    requestId,
    sinceMs: asked?.sinceMs ?? nowMs,
    askedAtMs: nowMs,
    againMs: asked === undefined ? AGAIN_MS_MIN : Math.min(2 * asked.againMs, AGAIN_MS_MAX),
    claim: asked?.claim ?? 'asking',
  });
  stores.outbox.send({
    kind: 'readResolution',
    requestId,
    eventId: market.event.id,
    marketId: id,
  });
  return true;
}

/** It is over, and something of it is held that no redeem has settled. */
function isOpenQuestion(stores: PositionStores, market: QuotedMarket): boolean {
  if (market.status !== 'resolved' || stores.sets.hasRedeemed(market.market.id)) return false;
  if (!stores.positions.isBaselined) return false;
  return LEGS.some((leg) => stores.positions.confirmed(market.tokenOf(leg)) > 0);
}
