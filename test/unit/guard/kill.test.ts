import { describe, expect, it } from 'vitest';
import type { CancelOutcome, ReadOutcome } from '../../../src/domain/message.ts';
import type { OrderReport } from '../../../src/domain/order.ts';
import { type Clock, type Timers, unixMs } from '../../../src/domain/time.ts';
import { killOrders } from '../../../src/guard/kill.ts';
import type { KillDoor, KillStep } from '../../../src/guard/sweep.ts';
import { report } from './support.ts';

/** A venue's cancel and list with a book of open orders, and faults on demand. */
class SmallVenue implements KillDoor {
  readonly open = new Set<string>();
  readonly committed = new Set<string>();
  cancels = 0;
  onCancel: () => CancelOutcome | undefined = () => undefined;
  onList: () => ReadOutcome<readonly OrderReport[]> | undefined = () => undefined;

  async cancelAll(): Promise<CancelOutcome> {
    this.cancels += 1;
    const fault = this.onCancel();
    if (fault) return fault;
    const gone = [...this.open].filter((hash) => !this.committed.has(hash));
    for (const hash of gone) this.open.delete(hash);
    return { kind: 'accepted', cancelled: gone.length, failed: this.open.size };
  }

  async readOpenOrders(): Promise<ReadOutcome<readonly OrderReport[]>> {
    return this.onList() ?? { kind: 'ok', value: [...this.open].map(report) };
  }
}

/** Time that passes only while somebody waits for it. */
function steppedTime(): { clock: Clock; timers: Timers } {
  let nowMs = 1_000_000;
  let waiting: { atMs: number; task: () => void }[] = [];
  const wake = () => {
    waiting.sort((a, b) => a.atMs - b.atMs);
    const next = waiting.shift();
    if (!next) return;
    nowMs = Math.max(nowMs, next.atMs);
    next.task();
  };
  return {
    clock: { nowMs: () => unixMs(nowMs) },
    timers: {
      after(delayMs, task) {
        const entry = { atMs: nowMs + delayMs, task };
        waiting.push(entry);
        setTimeout(wake, 1);
        return () => {
          waiting = waiting.filter((other) => other !== entry);
        };
      },
    },
  };
}

async function kill(venue: KillDoor, over: { deadlineMs?: number; withinMs?: number } = {}) {
  const steps: KillStep[] = [];
  const result = await killOrders({
    door: venue,
    scope: { kind: 'account' },
    ...steppedTime(),
    quietMs: 1_000,
    deadlineMs: over.deadlineMs ?? 10_000,
    withinMs: over.withinMs,
    onProgress: (step) => steps.push(step),
  });
  return { result, steps };
}

const refused = (httpStatus: number, code: string): CancelOutcome => ({
  kind: 'refused',
  refusal: { code, message: 'no', httpStatus, retryAfterMs: undefined },
});

describe('the independent kill path', () => {
  it('cancels everything and confirms it over the quiet time', async () => {
    const venue = new SmallVenue();
    venue.open.add('0x01').add('0x02');
    const { result } = await kill(venue);
    expect(result).toMatchObject({ kind: 'confirmed', cancelled: 2 });
    expect(result.tookMs).toBeGreaterThanOrEqual(1_000);
    expect(venue.open.size).toBe(0);
  });

  it.each([0, -100])('cancels and looks once where it is given %d ms', async (withinMs) => {
    const venue = new SmallVenue();
    venue.open.add('0x01');
    const { result } = await kill(venue, { withinMs });
    expect(venue.open.size).toBe(0);
    expect(result).toMatchObject({ kind: 'unconfirmed', cancelled: 1, left: [] });
  });

  it('does not wait for orders that are matched and only settle', async () => {
    const venue = new SmallVenue();
    venue.open.add('0x01').add('0x02');
    venue.committed.add('0x02');
    venue.onList = () => {
      const [matched] = [...venue.open].map(report);
      if (!matched || venue.open.size > 1) return undefined;
      return { kind: 'ok', value: [{ ...matched, executed: matched.quantity }] };
    };
    const { result } = await kill(venue);
    expect(result).toMatchObject({ kind: 'confirmed', cancelled: 1, settling: 1 });
  });

  it('counts what is matched and only settles beside what is left', async () => {
    const venue = new SmallVenue();
    for (const hash of ['0x01', '0x02', '0x03']) venue.open.add(hash);
    venue.onCancel = () => ({ kind: 'accepted', cancelled: 0, failed: 3 });
    venue.onList = () => {
      const [matched, ...others] = [...venue.open].map(report);
      if (matched === undefined) throw new Error('three are open');
      return { kind: 'ok', value: [{ ...matched, executed: matched.quantity }, ...others] };
    };
    const { result } = await kill(venue, { deadlineMs: 2_000 });
    expect(result).toMatchObject({ kind: 'unconfirmed', settling: 1, left: ['0x02', '0x03'] });
  });

  it('cancels again when an order under way lands after the first cancel', async () => {
    const venue = new SmallVenue();
    let looks = 0;
    venue.onList = () => {
      looks += 1;
      if (looks === 3) venue.open.add('0x0b');
      return undefined;
    };
    const { result } = await kill(venue);
    expect(result).toMatchObject({ kind: 'confirmed', cancelled: 1 });
    expect(venue.cancels).toBe(2);
  });

  it('names the orders that cannot be cancelled', async () => {
    const venue = new SmallVenue();
    venue.open.add('0x01').add('0x02');
    venue.committed.add('0x02');
    const { result } = await kill(venue, { deadlineMs: 3_000 });
    expect(result).toMatchObject({ kind: 'unconfirmed', cancelled: 1, left: ['0x02'] });
  });

  it('names what the venue refuses to cancel in its own words, and asks at a pace that does no harm', async () => {
    const venue = new SmallVenue();
    venue.open.add('0x02');
    venue.committed.add('0x02');
    const named: string[] = [];
    const door: KillDoor = {
      cancelAll: () => venue.cancelAll(),
      readOpenOrders: () => venue.readOpenOrders(),
      cancelOrders: async (hashes) => {
        named.push(...hashes);
        return { kind: 'accepted', cancelled: 0, failed: hashes.length };
      },
    };
    const { result } = await kill(door, { deadlineMs: 30_000 });
    expect(result).toMatchObject({ kind: 'unconfirmed', left: ['0x02'] });
    const detail = result.kind === 'unconfirmed' ? result.detail : '';
    expect(detail).toContain('refuses to cancel');
    expect(detail).toContain('cancelled 0, failed 1');
    expect(named.length).toBeGreaterThan(3);
    expect(venue.cancels).toBeLessThan(30);
  });

  it.each([
    [
      'a refused list',
      {
        kind: 'refused',
        refusal: { code: 'rate_limited', message: '', httpStatus: 429, retryAfterMs: 1_000 },
      },
    ],
    ['a list without an answer', { kind: 'unknown', cause: 'timeout', detail: '' }],
    ['a list that was never asked for', { kind: 'notSent', detail: 'no connection' }],
  ] as const)('does not take %s for an empty one', async (_, outcome) => {
    const venue = new SmallVenue();
    venue.onList = () => outcome;
    const { result } = await kill(venue);
    expect(result).toMatchObject({ kind: 'unconfirmed', left: undefined });
  });

  it.each([
    ['a server error', refused(503, 'service_unavailable')],
    ['refused credentials', refused(401, 'unknown_api_key')],
    ['a time-out', { kind: 'unknown', cause: 'timeout', detail: '' } as const],
  ])('tries again after %s of the cancel', async (_, fault) => {
    const venue = new SmallVenue();
    venue.open.add('0x01');
    venue.onCancel = () => (venue.cancels <= 2 ? fault : undefined);
    const { result } = await kill(venue);
    expect(result).toMatchObject({ kind: 'confirmed', cancelled: 1 });
  });

  it('confirms nothing while no cancel was ever accepted, even over an empty list', async () => {
    const venue = new SmallVenue();
    venue.onCancel = () => refused(503, 'maintenance');
    const { result } = await kill(venue);
    expect(result).toMatchObject({ kind: 'unconfirmed', left: [] });
  });

  it('ends by its deadline when the venue never answers', async () => {
    const venue: KillDoor = {
      cancelAll: async () => await new Promise(() => {}),
      readOpenOrders: async () => await new Promise(() => {}),
    };
    const { result } = await kill(venue, { deadlineMs: 2_000 });
    expect(result).toMatchObject({ kind: 'unconfirmed', left: undefined });
    expect(result.tookMs).toBeLessThanOrEqual(2_100);
  });

  it('survives a door that throws', async () => {
    const venue = new SmallVenue();
    venue.onList = () => {
      throw new Error('broken');
    };
    const { result } = await kill(venue, { deadlineMs: 1_000 });
    expect(result).toMatchObject({ kind: 'unconfirmed' });
  });

  it('keeps a wait that the venue asks for, without spending all its time on it', async () => {
    const venue = new SmallVenue();
    let looks = 0;
    venue.onList = () => {
      looks += 1;
      if (looks > 1) return undefined;
      const refusal = { code: 'rate_limited', message: '', httpStatus: 429, retryAfterMs: 60_000 };
      return { kind: 'refused', refusal };
    };
    const { result } = await kill(venue);
    expect(result).toMatchObject({ kind: 'confirmed' });
  });

  it('cancels by name what a cancel of everything leaves', async () => {
    const venue = new SmallVenue();
    venue.open.add('0x01').add('0x02');
    venue.committed.add('0x02');
    const asked: string[] = [];
    const door: KillDoor = {
      cancelAll: async () => await venue.cancelAll(),
      readOpenOrders: async () => await venue.readOpenOrders(),
      cancelOrders: async (hashes) => {
        asked.push(...hashes);
        venue.open.clear();
        return { kind: 'accepted', cancelled: hashes.length, failed: 0 };
      },
    };
    const { result } = await kill(door);
    expect(asked).toEqual(['0x02']);
    expect(result).toMatchObject({ kind: 'confirmed', cancelled: 2 });
  });

  it('counts a cancel whose answer comes after it went on', async () => {
    const venue = new SmallVenue();
    venue.open.add('0x01');
    const time = steppedTime();
    const door: KillDoor = {
      cancelAll: async () => {
        await new Promise<void>((resolve) => time.timers.after(3_000, resolve));
        return await venue.cancelAll();
      },
      readOpenOrders: async () => await venue.readOpenOrders(),
    };
    const result = await killOrders({
      ...{ door, ...time, scope: { kind: 'account' }, quietMs: 1_000, deadlineMs: 20_000 },
    });
    expect(result).toMatchObject({ kind: 'confirmed', cancelled: 1 });
  });

  it('watches an empty list until nothing can arrive any more, and cancels what does', async () => {
    const venue = new SmallVenue();
    const time = steppedTime();
    const untilMs = time.clock.nowMs() + 45_000;
    let looks = 0;
    venue.onList = () => {
      looks += 1;
      if (looks === 60) venue.open.add('0x0b');
      return undefined;
    };
    const waited: string[] = [];
    const result = await killOrders({
      ...{ door: venue, ...time, scope: { kind: 'account' }, quietMs: 1_000, deadlineMs: 10_000 },
      inFlightUntilMs: () => untilMs,
      onProgress: ({ doing, detail }) => void (doing === 'wait' && waited.push(detail)),
    });
    expect(result).toMatchObject({ kind: 'confirmed', cancelled: 1 });
    expect(result.tookMs).toBeGreaterThanOrEqual(45_000);
    expect(waited[0]).toBe('nothing is open; what was sent before may arrive for 45 s more');
  });

  it('says for how long something may arrive where its time is over before', async () => {
    const time = steppedTime();
    const untilMs = time.clock.nowMs() + 45_000;
    const result = await killOrders({
      ...{ door: new SmallVenue(), ...time, scope: { kind: 'account' } },
      ...{ quietMs: 1_000, deadlineMs: 10_000, withinMs: 5_000 },
      inFlightUntilMs: () => untilMs,
    });
    expect(result).toMatchObject({
      kind: 'unconfirmed',
      detail: expect.stringMatching(/may still arrive for (?:39|40) s more$/),
    });
  });

  it('begins its quiet time anew with the late answer of a cancel that found one order', async () => {
    const venue = new SmallVenue();
    const time = steppedTime();
    let isFirst = true;
    const cancelAll = async (): Promise<CancelOutcome> => {
      if (!isFirst) return { kind: 'accepted', cancelled: 0, failed: 0 };
      isFirst = false;
      await new Promise<void>((resolve) => time.timers.after(2_500, resolve));
      return { kind: 'accepted', cancelled: 1, failed: 0 };
    };
    const result = await killOrders({
      door: { cancelAll, readOpenOrders: async () => await venue.readOpenOrders() },
      ...{ ...time, scope: { kind: 'account' }, quietMs: 3_000, deadlineMs: 30_000 },
    });
    expect(result).toMatchObject({ kind: 'confirmed', cancelled: 1 });
    expect(result.tookMs).toBeGreaterThanOrEqual(5_500);
  });

  it('does not wait on when a proof comes from elsewhere', async () => {
    const venue = new SmallVenue();
    const time = steppedTime();
    const startedAtMs = time.clock.nowMs();
    const result = await killOrders({
      ...{ door: venue, ...time, scope: { kind: 'account' }, quietMs: 1_000, deadlineMs: 10_000 },
      inFlightUntilMs: () =>
        time.clock.nowMs() - startedAtMs > 3_000 ? undefined : startedAtMs + 45_000,
    });
    expect(result.kind).toBe('confirmed');
    expect(result.tookMs).toBeLessThan(5_000);
  });
});
