// What has been learnt of the venue where its document does not say: what is believed, since when, on what evidence.

import type { VenueBeliefView } from '../../domain/view.ts';
import type { MarketState } from '../sending/market.ts';
import type { SessionStores } from './stores.ts';

export function venueBeliefs(stores: SessionStores): readonly VenueBeliefView[] {
  return [booksBelief(stores), ...[...stores.markets.values()].flatMap(quantityBelief)];
}

function booksBelief({ settings, trust }: SessionStores): VenueBeliefView {
  const stated = settings?.book.unified ?? 'off';
  if (stated !== 'auto') {
    const value = stated === 'on' ? 'unified' : 'separate';
    return { what: 'books', value, evidence: `book.unified is ${stated}` };
  }
  const { known } = trust.unified;
  if (known === undefined) {
    return { what: 'books', value: 'unknown', evidence: 'no two own orders agree yet' };
  }
  const where = known.isUnified ? 'in both books' : 'in the book of its outcome alone';
  return {
    what: 'books',
    value: known.isUnified ? 'unified' : 'separate',
    evidence: `each of two own orders in a row showed ${where}`,
    sinceMs: known.sinceMs,
  };
}

/** Only where an order was rejected for it. */
function quantityBelief({ market, learntDecimals }: MarketState): readonly VenueBeliefView[] {
  if (learntDecimals === undefined) return [];
  const { decimals, refused, sinceMs } = learntDecimals;
  return [
    {
      what: 'quantityDecimals',
      marketId: market.id,
      value: String(decimals),
      evidence: `an order with ${refused} decimals was rejected with invalid_quantity`,
      sinceMs,
    },
  ];
}
