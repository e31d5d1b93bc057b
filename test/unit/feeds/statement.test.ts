import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { unixMs } from '../../../src/domain/time.ts';
import { Judge } from '../../../src/feeds/judge.ts';
import { valueAt } from '../../../src/feeds/pointer.ts';
import { lastWholeLine, readStatement, type Statement } from '../../../src/feeds/statement.ts';

const USUAL = {
  fields: { price: '/price', uncertainty: undefined, time: undefined },
  only: undefined,
};

const read = (text: string, wanted: object = {}, isStream = false) =>
  readStatement(text, { ...USUAL, ...wanted }, isStream);

describe('a statement of a source', () => {
  it.each([
    ['a JSON document', '{"price":0.42}', { price: 0.42 }],
    ['a price as text', '{"price":"0.42"}', { price: 0.42 }],
    ['a bare number', '0.42\n', { price: 0.42 }],
    ['a line of CSV', '0.42,0.01,1700000000', { price: 0.42, deviation: 0.01, atMs: 17e11 }],
    [
      'a line with an empty column',
      '0.42,,1700000000123',
      { price: 0.42, atMs: 1_700_000_000_123 },
    ],
    ['a time in ISO', '{"price":0.4,"time":"2023-11-14T22:13:20Z"}', { price: 0.4, atMs: 17e11 }],
    ['an uncertainty', '{"price":0.4,"uncertainty":0.02}', { price: 0.4, deviation: 0.02 }],
  ])('is %s', (_, text, expected) => {
    expect(read(text)).toMatchObject({ kind: 'stated', ...expected });
  });

  it.each([
    ['nothing', '', 'the text'],
    ['not a number', '{"price":"high"}', '/price'],
    ['NaN', 'NaN', 'column 1'],
    ['infinity', '1e999', 'the value'],
    ['certain', '{"price":1}', '/price'],
    ['impossible', '0', 'the value'],
    ['negative', '-0.2', 'the value'],
    ['in per cent', '{"price":42}', '/price'],
    ['absent', '{"value":0.4}', '/price'],
    ['with a time that is none', '{"price":0.4,"time":"soon"}', '/time'],
    ['with a time without its zone', '0.4,,2023-11-14T22:13:20', 'column 3'],
    ['certain to be right', '0.4,0', 'column 2'],
    ['a line of four columns', '0.4,0.1,1700000000,9', 'the line'],
  ])('that is %s is refused with its place and what would be right', (_, text, place) => {
    const refusal = read(text);
    expect(refusal).toMatchObject({ kind: 'refused', place });
    expect(refusal.kind === 'refused' && refusal.right).not.toBe('');
  });

  it('stands where the configuration says', () => {
    const fields = { price: '/data/0/p', uncertainty: undefined, time: '/data/0/t' };
    expect(read('{"data":[{"p":0.3,"t":1700000000}]}', { fields })).toMatchObject({ price: 0.3 });
    expect(read('{"data":[{"p":0.3}]}', { fields })).toMatchObject({ place: '/data/0/t' });
  });

  it('about another market, or a message without a price, is skipped', () => {
    const only = { field: '/symbol', value: 'A' };
    expect(read('{"symbol":"B","price":0.3}', { only })).toEqual({ kind: 'skipped' });
    expect(read('{"symbol":"A","price":0.3}', { only })).toMatchObject({ price: 0.3 });
    expect(read('{"type":"heartbeat"}', {}, true)).toEqual({ kind: 'skipped' });
  });

  it('never throws, and never says a price outside 0 to 1', () => {
    const price = fc.oneof(fc.double(), fc.double({ min: -0.5, max: 1.5 }));
    const close = fc.oneof(price.map(String), fc.json());
    const document = close.map((value) => `{"price":${value}}`);
    const text = fc.oneof(fc.string(), fc.json(), close, document);
    let stated = 0;
    fc.assert(
      fc.property(text, fc.boolean(), (said, isStream) => {
        const reading = read(said, {}, isStream);
        if (reading.kind !== 'stated') return;
        stated += 1;
        expect(reading.price).toBeGreaterThan(0);
        expect(reading.price).toBeLessThan(1);
      }),
      { numRuns: 1_000 },
    );
    expect(stated).toBeGreaterThan(50);
  });

  it('of a file of lines is the last that has its end', () => {
    expect(lastWholeLine('0.1\n0.2\n0.3')).toBe('0.2');
    expect(lastWholeLine('0.1\n\n')).toBe('0.1');
    expect(lastWholeLine('0.1')).toBeUndefined();
  });
});

describe('a pointer', () => {
  it('finds own fields only, escaped ones too', () => {
    expect(valueAt({ 'a/b': { '~': 1 } }, '/a~1b/~0')).toBe(1);
    expect(valueAt({ a: 1 }, '')).toEqual({ a: 1 });
    expect(valueAt({}, '/constructor')).toBeUndefined();
  });
});

describe('the judge of statements', () => {
  const NOW = 1_700_000_000_000;
  const judge = () => new Judge({ ageMsMax: 5_000, jumpMax: 0.1, jumpReadings: 3 });
  const say = (price: number, atMs?: number): Statement => ({
    kind: 'stated',
    price,
    deviation: undefined,
    atMs: atMs === undefined ? undefined : unixMs(atMs),
  });
  const at = (afterMs: number) => unixMs(NOW + afterMs);

  it('skips what is older than what is known, and refuses what has not come yet', () => {
    const one = judge();
    expect(one.judge(say(0.4, NOW), at(0), at(0)).kind).toBe('taken');
    expect(one.judge(say(0.5, NOW - 1), at(0), at(0)).kind).toBe('skipped');
    expect(one.judge(say(0.41, NOW + 61_000), at(0), at(0))).toMatchObject({ place: 'time' });
  });

  it('counts the age of a price of a clock that is ahead from when it was heard', () => {
    const one = judge();
    const first = one.judge(say(0.4, NOW + 50_000), at(0), at(0));
    expect(first).toMatchObject({ kind: 'taken', atMs: NOW });
    const next = one.judge(say(0.41, NOW + 51_000), at(1_000), at(1_000));
    expect(next).toMatchObject({ kind: 'taken', atMs: NOW + 1_000 });
    expect(one.judge(say(0.42, NOW + 50_500), at(1_500), at(1_500)).kind).toBe('skipped');
  });

  it('does not trust a glitch, and goes on when it has passed', () => {
    const one = judge();
    one.judge(say(0.4), at(0), at(0));
    expect(one.judge(say(0.9), at(100), at(100))).toMatchObject({
      kind: 'refused',
      place: 'price',
    });
    expect(one.judge(say(0.41), at(200), at(200)).kind).toBe('taken');
  });

  it('trusts a move that lasts', () => {
    const one = judge();
    one.judge(say(0.4), at(0), at(0));
    const kinds = [100, 200, 300].map((ms) => one.judge(say(0.9), at(ms), at(ms)).kind);
    expect(kinds).toEqual(['refused', 'refused', 'taken']);
  });

  it('compares with nothing after an outage', () => {
    const one = judge();
    one.judge(say(0.4), at(0), at(0));
    expect(one.judge(say(0.9), at(5_001), at(5_001)).kind).toBe('taken');
  });

  it('makes log-odds variance of a deviation', () => {
    const verdict = judge().judge({ ...say(0.5), deviation: 0.05 }, at(0), at(0));
    expect(verdict).toMatchObject({ logOddsVar: expect.closeTo(0.04, 10) });
  });
});
