// Which order a record of the daemon calls over, where placements alike had no answer.

import { describe, expect, it } from 'vitest';
import { type IntentId, intentId, marketId, orderHash, tokenId } from '../../src/domain/ids.ts';
import type { LedgerRecord, StoredOrder } from '../../src/domain/record.ts';
import { shares } from '../../src/domain/shares.ts';
import { tickGrid, ticks } from '../../src/domain/ticks.ts';
import { unixMs } from '../../src/domain/time.ts';
import { type Claimed, Claims } from './audit/claims.ts';

const GRID = tickGrid('0.01');
const OLDER = intentId('i-1');
const YOUNGER = intentId('i-2');

/** An order of the venue, of which something rests. */
function accepted(intent: IntentId, price = 47): Claimed {
  const outcome = { tokenId: tokenId('0x01') };
  const terms = { side: 'SELL', price: ticks(GRID, price), quantityMicro: shares(15) } as const;
  return {
    owner: 'intent',
    intentId: intent,
    order: { restingMicro: () => shares(2), terms: { ...terms, outcome, grid: GRID } },
  };
}

function recorded(intent: IntentId, state: StoredOrder['state'], hash?: string): LedgerRecord {
  const order: StoredOrder = {
    intentId: intent,
    marketId: marketId('m-1'),
    tokenId: tokenId('0x01'),
    leg: 'yes',
    side: 'SELL',
    price: ticks(GRID, 47),
    ticksPerUnit: 100,
    quantity: shares(15),
    sentAtMs: unixMs(0),
    isExternal: false,
    orderHash: hash === undefined ? undefined : orderHash(hash),
    state,
    stateSinceMs: unixMs(0),
    executed: shares(0),
    failed: shares(0),
    confirmedAtMs: undefined,
    settingsVersion: undefined,
    expiresAtMs: undefined,
  };
  return { kind: 'order', order };
}

const nobody = () => undefined;

describe('an order that comes late', () => {
  it('was called over where its own intent was', () => {
    const claims = new Claims<Claimed>();
    claims.onRecord(recorded(OLDER, 'absent'), nobody);
    expect(claims.onAccepted(accepted(OLDER))).toBe('absent');
  });

  it("is of the placement alike that still waits, where the daemon gave that one's order to its own", () => {
    const claims = new Claims<Claimed>();
    const first = accepted(YOUNGER);
    claims.onAccepted(first);
    first.order.restingMicro = () => 0;
    claims.onRecord(recorded(OLDER, 'resting', '0xaa'), () => first);
    claims.onRecord(recorded(OLDER, 'cancelled', '0xaa'), () => first);
    expect(claims.onAccepted(accepted(OLDER))).toBeUndefined();
  });

  it('was called over where that one was, too', () => {
    const claims = new Claims<Claimed>();
    const first = accepted(YOUNGER);
    claims.onAccepted(first);
    claims.onRecord(recorded(OLDER, 'resting', '0xaa'), () => first);
    claims.onRecord(recorded(YOUNGER, 'absent'), nobody);
    expect(claims.onAccepted(accepted(OLDER))).toBe('absent');
  });

  it('was called over where its placement was given the order of one that had ended', () => {
    const claims = new Claims<Claimed>();
    const ended = accepted(OLDER);
    claims.onAccepted(ended);
    ended.order.restingMicro = () => 0;
    claims.onRecord(recorded(OLDER, 'cancelled', '0xaa'), () => ended);
    claims.onRecord(recorded(YOUNGER, 'cancelled', '0xaa'), () => ended);
    expect(claims.onAccepted(accepted(YOUNGER))).toBe('cancelled');
  });

  it('may wait on where the end of that one was forgotten with a ledger', () => {
    const claims = new Claims<Claimed>();
    const ended = accepted(OLDER);
    claims.onAccepted(ended);
    ended.order.restingMicro = () => 0;
    claims.onRecord(recorded(OLDER, 'cancelled', '0xaa'), () => ended);
    claims.onProcessStarts(false);
    claims.onRecord(recorded(YOUNGER, 'cancelled', '0xaa'), () => ended);
    expect(claims.onAccepted(accepted(YOUNGER))).toBeUndefined();
  });

  it('is of no other placement than its own where they differ', () => {
    const claims = new Claims<Claimed>();
    const first = accepted(YOUNGER, 48);
    claims.onAccepted(first);
    claims.onRecord(recorded(OLDER, 'cancelled', '0xaa'), () => first);
    expect(claims.onAccepted(accepted(OLDER))).toBe('cancelled');
  });
});

describe('a record that calls an order over', () => {
  it('is wrong when the order of the one that it took the place of rests', () => {
    const claims = new Claims<Claimed>();
    const first = accepted(YOUNGER);
    const second = accepted(OLDER);
    claims.onAccepted(first);
    claims.onAccepted(second);
    claims.onRecord(recorded(OLDER, 'resting', '0xaa'), () => first);
    expect(claims.onRecord(recorded(OLDER, 'cancelled', '0xaa'), () => first)?.fact).toBe(first);
    expect(claims.onRecord(recorded(YOUNGER, 'absent'), nobody)?.fact).toBe(second);
  });
});

describe('a record beside a placement', () => {
  const beside = intentId(`${OLDER}-0xb1`);
  const born = () => {
    const claims = new Claims<Claimed>();
    const order = accepted(OLDER);
    claims.onAccepted(order);
    return { claims, find: (hash: string) => (hash === '0xb1' ? order : undefined) };
  };

  it('that was never live says whose its hash is, and calls nothing over', () => {
    const { claims, find } = born();
    expect(claims.onRecord(recorded(beside, 'absent', '0xb1'), find)).toBeUndefined();
    expect(claims.onRecord(recorded(OLDER, 'absent', '0xb1'), find)).toMatchObject({
      state: 'absent',
    });
  });

  it('that was live calls over what it stood for', () => {
    const { claims, find } = born();
    expect(claims.onRecord(recorded(beside, 'resting', '0xb1'), find)).toBeUndefined();
    expect(claims.onRecord(recorded(beside, 'absent', '0xb1'), find)).toMatchObject({
      state: 'absent',
    });
  });
});
