// What an open page is told, and what a page costs that does not read.

import { describe, expect, it } from 'vitest';
import { BEAT_MS, type Sink, STREAMS_MAX, Streams } from '../../../src/console/streams.ts';

type Told = { readonly name: string; readonly data: unknown };

class Reader implements Sink {
  writableLength = 0;
  text = '';
  isEnded = false;
  isDestroyed = false;
  #onClose: () => void = () => {};

  write(text: string): void {
    this.text += text;
  }

  end(): void {
    this.isEnded = true;
    this.#onClose();
  }

  destroy(): void {
    this.isDestroyed = true;
    this.#onClose();
  }

  once(_event: 'close', task: () => void): void {
    this.#onClose = task;
  }

  /** What it was told since it was last asked. */
  told(): readonly Told[] {
    const blocks = this.text.split('\n\n').filter((block) => block.startsWith('event: '));
    this.text = '';
    return blocks.map((block) => {
      const [name = '', data = ''] = block.split('\n');
      return { name: name.slice('event: '.length), data: JSON.parse(data.slice('data: '.length)) };
    });
  }

  named(name: string): readonly unknown[] {
    return this.told().flatMap((each) => (each.name === name ? [each.data] : []));
  }
}

function desk() {
  let next: (() => void) | undefined;
  const delaysMs: number[] = [];
  const timers = {
    after: (delayMs: number, task: () => void) => {
      delaysMs.push(delayMs);
      next = task;
      return () => {
        next = undefined;
      };
    },
  };
  const streams = new Streams({ timers, pulse: () => ({ status: 'alive' }) });
  const beat = (times = 1): void => {
    for (let at = 0; at < times; at += 1) {
      const task = next;
      next = undefined;
      task?.();
    }
  };
  return { streams, beat, delaysMs, isArmed: () => next !== undefined };
}

describe('a page that begins to listen', () => {
  it('is told everything that is known', () => {
    const { streams } = desk();
    streams.onHead('{"phase":"quoting"}');
    streams.onOrder(['a', 'b']);
    streams.onMarket('a', '{"marketId":"a"}');
    streams.onMarket('b', '{"marketId":"b"}');
    streams.onEvent('{"event":"phase.changed"}', false);
    streams.onEvent('{"event":"order.filled"}', true);
    const page = new Reader();
    expect(streams.open(page)).toBe(true);
    expect(page.told()).toEqual([
      { name: 'pulse', data: { status: 'alive' } },
      { name: 'order', data: ['a', 'b'] },
      { name: 'head', data: { phase: 'quoting' } },
      { name: 'markets', data: [{ marketId: 'a' }, { marketId: 'b' }] },
      { name: 'events', data: [{ event: 'phase.changed' }, { event: 'order.filled' }] },
    ]);
  });

  it('is refused beyond so many, and let in when another has gone', () => {
    const { streams } = desk();
    const pages = Array.from({ length: STREAMS_MAX }, () => new Reader());
    for (const page of pages) expect(streams.open(page)).toBe(true);
    expect(streams.open(new Reader())).toBe(false);
    pages[0]?.end();
    expect(streams.open(new Reader())).toBe(true);
    expect(streams.count).toBe(STREAMS_MAX);
  });
});

describe('a page that listens', () => {
  it('is told only what changed, once, and that the daemon is there', () => {
    const { streams, beat, delaysMs } = desk();
    streams.onOrder(['a', 'b']);
    const page = new Reader();
    streams.open(page);
    page.told();
    streams.onMarket('a', '{"bid":1}');
    streams.onMarket('a', '{"bid":2}');
    beat();
    expect(page.told().map(({ name, data }) => [name, data])).toEqual([
      ['pulse', { status: 'alive' }],
      ['markets', [{ bid: 2 }]],
    ]);
    streams.onMarket('a', '{"bid":2}');
    beat();
    expect(page.told().map(({ name }) => name)).toEqual(['pulse']);
    expect(new Set(delaysMs)).toEqual(new Set([BEAT_MS]));
  });

  it('is told a thousand markets in bounded parts, each of them once', () => {
    const { streams, beat } = desk();
    const ids = Array.from({ length: 1_000 }, (_, at) => `m${at}`);
    streams.onOrder(ids);
    for (const id of ids) streams.onMarket(id, JSON.stringify({ id }));
    const page = new Reader();
    streams.open(page);
    const told: unknown[] = [];
    for (let at = 0; at < 10; at += 1) {
      const part = page.named('markets').flat();
      expect(part.length).toBeLessThanOrEqual(200);
      told.push(...part);
      beat();
    }
    expect(told).toEqual(ids.map((id) => ({ id })));
  });

  it('is told events in the order in which they happened, fills among them', () => {
    const { streams, beat } = desk();
    const page = new Reader();
    streams.open(page);
    streams.onEvent('1', false);
    streams.onEvent('2', true);
    streams.onEvent('3', false);
    beat();
    expect(page.named('events')).toEqual([[1, 2, 3]]);
    beat();
    expect(page.named('events')).toEqual([]);
  });

  it('is told nothing while it does not read, and is ended when it goes on like that', () => {
    const { streams, beat } = desk();
    const page = new Reader();
    streams.open(page);
    page.told();
    page.writableLength = 10_000_000;
    streams.onHead('{}');
    beat(5);
    expect(page.told()).toEqual([]);
    page.writableLength = 0;
    beat();
    expect(page.named('head')).toEqual([{}]);
    page.writableLength = 10_000_000;
    beat(30);
    expect(page.isDestroyed).toBe(true);
    expect(streams.count).toBe(0);
  });

  it('is ended after ten minutes, so that it asks anew with the session that it has by then', () => {
    const { streams, beat, isArmed } = desk();
    const page = new Reader();
    streams.open(page);
    beat((10 * 60_000) / BEAT_MS);
    expect(page.isEnded).toBe(false);
    beat();
    expect(page.isEnded).toBe(true);
    expect(isArmed()).toBe(false);
  });
});

describe('events', () => {
  it('are kept within a bound, fills beside all others', () => {
    const { streams } = desk();
    streams.onEvent('"fill"', true);
    for (let at = 0; at < 5_000; at += 1) streams.onEvent(String(at), false);
    const page = new Reader();
    streams.open(page);
    const [events] = page.named('events');
    expect(events).toHaveLength(501);
    expect(events).toContain('fill');
    expect(events).toContain(4_999);
  });

  it('of a trader that says them again are not told twice', () => {
    const { streams, beat } = desk();
    const page = new Reader();
    streams.onEvent('1', false);
    streams.open(page);
    expect(page.named('events')).toEqual([[1]]);
    streams.onEvent('1', false);
    streams.onEvent('2', false);
    beat();
    expect(page.named('events')).toEqual([[2]]);
  });
});
