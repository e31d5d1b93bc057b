// JSON of others costs what its length allows, and never more.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { excerpt, standalone } from '../../../src/domain/excerpt.ts';
import { JSON_DEPTH_MAX, jsonOr, readJson, shownJson } from '../../../src/domain/json.ts';
import { decimalOf } from '../../../src/domain/ticks.ts';
import { FRAME_LENGTH_MAX } from '../../../src/wire/limits.ts';

const LENGTH = 1_000_000;
const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);

describe('JSON of others', () => {
  it('is what JSON is, wherever it is not deep', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 6 }), (text) => {
        expect(jsonOr(text, LENGTH)).toEqual(JSON.parse(text));
      }),
    );
  });

  it('is refused where it is deeper than anybody needs, in arrays and in objects', () => {
    expect(readJson(nested(JSON_DEPTH_MAX), LENGTH).isRead).toBe(true);
    const why = `is deeper than ${JSON_DEPTH_MAX} levels`;
    expect(readJson(nested(JSON_DEPTH_MAX + 1), LENGTH)).toEqual({ isRead: false, why });
    expect(readJson('{"a":'.repeat(200_000), LENGTH)).toEqual({ isRead: false, why });
    expect(readJson(`{"ü":${nested(100)}}`, LENGTH)).toEqual({ isRead: false, why });
  });

  it('may have brackets in its texts and many values side by side', () => {
    const value = { text: `${'['.repeat(500)}"\\`, list: Array(500).fill({ a: [] }), ü: '{{' };
    expect(jsonOr(JSON.stringify(value), LENGTH)).toEqual(value);
    expect(jsonOr(JSON.stringify(Array(50_000).fill([])), LENGTH)).toHaveLength(50_000);
  });

  it('is refused unread where it is too long', () => {
    expect(readJson('[]  ', 3)).toEqual({ isRead: false, why: 'is longer than 3 characters' });
    expect(readJson('[}', 3)).toEqual({ isRead: false, why: 'is no JSON' });
  });

  it('is shown in part, also where it cannot be written at all', () => {
    let deep: unknown = 1;
    for (let level = 0; level < 50_000; level += 1) deep = [deep];
    expect(shownJson(deep, 20)).toBe('object');
    expect(shownJson({ a: 'xxxxxxxxxxxxxxx' }, 8)).toBe('{"a":"xx');
  });
});

describe('a number of others', () => {
  it('costs no more than a look, however long it is', () => {
    for (const text of ['9'.repeat(LENGTH), `${'0'.repeat(LENGTH)}E`, `1e${'1'.repeat(LENGTH)}`]) {
      const start = performance.now();
      expect(decimalOf(text)).toBeUndefined();
      expect(performance.now() - start).toBeLessThan(50);
    }
  });

  it.each(['1', '1.', '.5', '-1.5', '+2e3', '1E-7', '0012.50'])('may be written as %s', (text) => {
    expect(decimalOf(text)?.toNumber()).toBe(Number(text));
  });
});

describe('a part of a long text', () => {
  it('is what stands there', () => {
    expect(excerpt('rain 💥 or sun', 6)).toBe('rain 💥'.slice(0, 6));
    expect(excerpt('rain', 6)).toBe('rain');
    expect(standalone('💥 a')).toBe('💥 a');
  });
});

describe('a list of very many small things', () => {
  it('is refused before one of them is built', () => {
    const text = `[${Array(200_000).fill('{}')}]`;
    const why = 'has more than 100000 objects and lists';
    expect(readJson(text, LENGTH)).toEqual({ isRead: false, why });
    // A text that may be longer has room for more values, not for more work.
    expect(readJson(text, 8 * LENGTH)).toEqual({ isRead: false, why });
    const texts = `[${Array(500_000).fill('""')}]`;
    expect(readJson(texts, 4_000_000)).toEqual({
      ...{ isRead: false, why: 'has more than 400000 values' },
    });
    expect(readJson(`[${Array(390_000).fill('""')}]`, 4_000_000).isRead).toBe(true);
    // A frame of the socket may have fewer of them than a body.
    const frame = `[${'[],'.repeat(80_000)}0]`;
    expect(readJson(frame, FRAME_LENGTH_MAX)).toMatchObject({ isRead: false });
    expect(readJson(frame, LENGTH).isRead).toBe(true);
  });
});
