import { describe, expect, it } from 'vitest';
import { WireError } from '../../../src/domain/errors.ts';
import { marketId, tokenId } from '../../../src/domain/ids.ts';
import { parseEvent, parseEventsPage } from '../../../src/wire/events.ts';
import { NO_TOKENS, tokenLookup } from '../../../src/wire/tokens.ts';
import { WIRE_EVENT } from '../../support/http-double-fixtures.ts';

const [WIRE_MARKET] = WIRE_EVENT.markets;
const [YES, NO] = WIRE_MARKET?.outcomes ?? [];

function withMarket(over: object): unknown {
  return { ...WIRE_EVENT, markets: [{ ...WIRE_MARKET, ...over }] };
}

describe('an event', () => {
  it('reads the same in both generations', () => {
    const older = {
      ...WIRE_EVENT,
      status: 'OPEN',
      tickSize: 0.01,
      markets: [{ ...WIRE_MARKET, status: 'OPEN', outcomes: [{ ...NO, lastPrice: 0.5 }, YES] }],
    };
    expect(parseEvent(older)).toEqual(parseEvent(WIRE_EVENT));
    expect(parseEventsPage([older])).toEqual({
      ...parseEventsPage({ items: [WIRE_EVENT], total: 1, limit: 20, offset: 0 }),
      total: undefined,
    });
  });

  it('finds yes and no by outcomeIndex, whatever their order and names', () => {
    const swapped = withMarket({
      outcomes: [
        { ...YES, name: 'No' },
        { ...NO, name: 'Yes' },
      ],
    });
    const [market] = parseEvent(swapped).event.markets;
    expect([market?.yes.tokenId, market?.no.tokenId]).toEqual(['0xa1', '0xa0']);
  });

  it('may have ids that are whole numbers', () => {
    const outcomes = [
      { ...YES, id: 31 },
      { ...NO, id: 30 },
    ];
    const { event } = parseEvent({
      ...WIRE_EVENT,
      id: 7,
      markets: [{ ...WIRE_MARKET, id: 12, outcomes }],
    });
    const [market] = event.markets;
    expect([event.id, market?.id, market?.yes.id, market?.no.id]).toEqual(['7', '12', '31', '30']);
  });

  it.each([1.5, '', true, {}])('has no id that is %j', (id) => {
    expect(() => parseEvent({ ...WIRE_EVENT, id })).toThrow('event.id');
  });

  it('gives a market without a title the title of the event', () => {
    expect(parseEvent(WIRE_EVENT).event.markets[0]?.title).toBe('Will it rain?');
    expect(parseEvent(withMarket({ title: 'Rain' })).event.markets[0]?.title).toBe('Rain');
  });

  it.each([
    ['absent', undefined, undefined],
    ['null', null, undefined],
    ['empty', '', undefined],
    ['given', '2030-01-01T00:00:00Z', 1_893_456_000_000],
    ['a date far away', '9999-12-31T23:59:59.000Z', 253_402_300_799_000],
    ['given with an offset', '2030-01-01T01:00:00+01:00', 1_893_456_000_000],
  ])('may have an expiry that is %s', (_name, expiryTime, expected) => {
    expect(parseEvent({ ...WIRE_EVENT, expiryTime }).event.expiryAtMs).toBe(expected);
  });

  it('keeps quotes off under a status word it does not know, and says so', () => {
    const { event, skipped } = parseEvent({ ...WIRE_EVENT, status: 'HALTED' });
    expect(event.status).toBe('closed');
    expect(skipped).toEqual([{ path: 'event.status', detail: 'unknown word HALTED' }]);
  });

  it('tolerates fields it has never reported for', () => {
    const odd = { ...WIRE_EVENT, volume24h: { usd: 1 }, markets: [{ ...WIRE_MARKET, fee: null }] };
    expect(parseEvent(odd)).toEqual(parseEvent(WIRE_EVENT));
  });

  it.each([
    ['another tick size', { ...WIRE_EVENT, tickSize: '0.02' }, 'event.tickSize'],
    ['no id', { ...WIRE_EVENT, id: undefined }, 'event.id'],
    ['markets that are no list', { ...WIRE_EVENT, markets: {} }, 'event.markets'],
    ['an expiry that is no time', { ...WIRE_EVENT, expiryTime: 'soon' }, 'event.expiryTime'],
    ['nothing at all', null, 'event'],
  ])('with %s is refused with the path', (_name, wire, path) => {
    expect(() => parseEvent(wire)).toThrow(WireError);
    expect(() => parseEvent(wire)).toThrow(path);
  });
});

describe('a market that is not exactly binary', () => {
  it.each([
    ['one outcome', [YES]],
    ['three outcomes', [YES, NO, { ...NO, outcomeIndex: 2 }]],
    ['two outcomes of one index', [YES, { ...NO, outcomeIndex: 1 }]],
    ['two outcomes of one token', [YES, { ...NO, tokenId: YES?.tokenId }]],
    ['a token id that is not hex', [YES, { ...NO, tokenId: '12' }]],
    ['an outcome without an index', [YES, { ...NO, outcomeIndex: undefined }]],
    ['no outcomes', []],
  ])('is skipped and named: %s', (_name, outcomes) => {
    const { event, skipped } = parseEvent(withMarket({ outcomes }));
    expect(event.markets).toEqual([]);
    expect(skipped).toHaveLength(1);
    expect(skipped[0]?.path).toBe('event.markets[0]');
    expect(skipped[0]?.detail).toContain('event.markets[0].outcomes');
  });

  it('does not stop its neighbours', () => {
    const markets = [{ ...WIRE_MARKET, outcomes: [] }, WIRE_MARKET];
    expect(parseEvent({ ...WIRE_EVENT, markets }).event.markets).toHaveLength(1);
  });
});

describe('a page of events', () => {
  it('skips an event it cannot read and keeps the rest', () => {
    const page = parseEventsPage({ items: [null, WIRE_EVENT, { id: 'x' }], total: 3 });
    expect(page.items.map(({ id }) => id)).toEqual(['e1']);
    expect(page.skipped.map(({ path }) => path)).toEqual(['events[0]', 'events[2]']);
    expect([page.itemCount, page.total]).toEqual([3, 3]);
  });

  it.each([['text'], [null], [{}], [{ items: 5 }]])('is refused when it is %j', (data) => {
    expect(() => parseEventsPage(data)).toThrow(WireError);
  });
});

describe('the lookup of a catalogue', () => {
  it('knows the grid of each token and the tokens of each market', () => {
    const lookup = tokenLookup(parseEventsPage([WIRE_EVENT]).items);
    expect(lookup.gridOf(tokenId('0xA1'))?.tickSize).toBe('0.01');
    expect(lookup.tokensOf(marketId('m1'))).toEqual(['0xa1', '0xa0']);
    expect(lookup.gridOf(tokenId('0xff'))).toBeUndefined();
    expect(lookup.tokensOf(marketId('m2'))).toEqual([]);
    expect(NO_TOKENS.gridOf(tokenId('0xa1'))).toBeUndefined();
  });
});
