import { describe, expect, it } from 'vitest';
import { createLoop } from '../../../src/app/loop.ts';
import { VirtualClock } from '../../../src/clock/virtual.ts';
import type { Command, VenueCommand } from '../../../src/domain/command.ts';
import { intentId, orderHash, requestId, tokenId } from '../../../src/domain/ids.ts';
import { shares } from '../../../src/domain/shares.ts';
import { tickGrid, ticks } from '../../../src/domain/ticks.ts';
import { addMs, unixMs } from '../../../src/domain/time.ts';

const place = (id: number): Command => ({
  kind: 'venue',
  command: {
    kind: 'placeOrders',
    requestId: requestId(id),
    orders: [
      {
        intentId: intentId(`i-${id}`),
        tokenId: tokenId('0x01'),
        side: 'BUY',
        price: ticks(tickGrid('0.01'), 48),
        quantity: shares(50),
        lifetime: { timeInForce: 'GTC' },
      },
    ],
  },
});
const CANCEL: Command = {
  kind: 'venue',
  command: {
    kind: 'cancelOrders',
    requestId: requestId(90),
    orderHashes: [orderHash('0x0a')],
  },
};
const CANCEL_ALL: Command = {
  kind: 'venue',
  command: { kind: 'cancelAll', requestId: requestId(91), scope: { kind: 'account' } },
};
const READ: Command = { kind: 'venue', command: { kind: 'readCatalogue' } };
const RECORD: Command = {
  kind: 'record',
  record: { kind: 'cash', cashNano: 1, atMs: unixMs(1) },
};
const REPORT: Command = {
  kind: 'report',
  report: { event: 'market.unknown', choice: 'an example' },
};

type World = {
  readonly second?: readonly Command[];
  readonly isDiskFull?: boolean;
  readonly isDoorBroken?: boolean;
  /** The process stands still for so long before the disk has taken the intents, by which of its clocks. */
  readonly stallMs?: { readonly day?: number; readonly steady?: number };
};

/** How long others take before a task that is not eager has its turn. */
const LATER_MS = 5;

/** A loop whose core asks for one thing on its first tick, and for another on `authenticated`. */
function loopOf(
  first: readonly Command[],
  { second = [], isDiskFull = false, isDoorBroken = false, stallMs = {} }: World = {},
) {
  const clock = new VirtualClock();
  const happened: string[] = [];
  const broken: string[] = [];
  const asked = [...first];
  let waiting = 0;
  const stalledMs = { day: 0, steady: 0 };
  const commit = (): boolean => {
    if (isDiskFull) return false;
    if (waiting > 0) {
      happened.push('written');
      stalledMs.day += stallMs.day ?? 0;
      stalledMs.steady += stallMs.steady ?? 0;
    }
    waiting = 0;
    return true;
  };
  const loop = createLoop({
    engine: {
      step(input) {
        if (input.kind === 'tick') return asked.splice(0);
        const kind = input.kind === 'venue' ? input.message.kind : undefined;
        if (kind === 'placed') happened.push('told: not placed');
        return kind === 'authenticated' ? second : [];
      },
    },
    writer: {
      keep: () => {
        waiting += 1;
      },
      commit,
      onTurn: () => void commit(),
      fault: isDiskFull ? 'full' : undefined,
    },
    send(command: VenueCommand) {
      happened.push(command.kind);
      if (isDoorBroken && command.kind === 'placeOrders') throw new Error('no door');
      // As the client does: what is dispatched is written when the bytes at hand are read.
      if (command.kind === 'cancelOrders') clock.after(0, () => happened.push('cancel written'));
    },
    clock: { nowMs: () => addMs(clock.nowMs(), stalledMs.day) },
    steady: { nowMs: () => addMs(clock.nowMs(), stalledMs.steady) },
    timers: clock,
    tickMs: 50,
    onReport: () => happened.push('reported'),
    onInput: () => undefined,
    onBreaker: (error) => broken.push(error.message),
    soon: (task, isEager) => clock.after(isEager ? 0 : LATER_MS, task),
  });
  loop.deliver({ kind: 'socketOpened' });
  return { loop, clock, happened, broken };
}

describe('what a step asks for', () => {
  it('has its cancels written before the intents are, and its placements after them', () => {
    const { clock, happened } = loopOf([RECORD, REPORT, CANCEL, place(1), place(2)]);
    clock.advance(10);
    expect(happened).toEqual([
      'cancelOrders',
      'cancel written',
      'written',
      'placeOrders',
      'placeOrders',
      'reported',
    ]);
  });

  it.each([
    ['a process that was stopped', { day: 2_500, steady: 2_500 }],
    ['a clock that was set back meanwhile', { steady: 2_500 }],
    ['a host that slept, where steady time stood still', { day: 2_500 }],
  ])('does not leave when it was decided on too long ago: %s', (_name, stallMs) => {
    const { clock, happened } = loopOf([RECORD, CANCEL, place(1)], { stallMs });
    clock.advance(100);
    expect(happened).toContain('cancelOrders');
    expect(happened).not.toContain('placeOrders');
    expect(happened).toContain('told: not placed');
  });

  it('leaves after a short stall', () => {
    const { clock, happened } = loopOf([RECORD, place(1)], { stallMs: { steady: 1_500 } });
    clock.advance(10);
    expect(happened).toContain('placeOrders');
  });

  it('leaves at once where nothing is cancelled', () => {
    const { clock, happened } = loopOf([RECORD, place(1), REPORT]);
    clock.advance(10);
    expect(happened).toEqual(['written', 'placeOrders', 'reported']);
  });

  it.each([
    ['a cancel behind them', [CANCEL, place(1), CANCEL]],
    ['a cancel of everything', [CANCEL_ALL, place(1)]],
    ['a read between', [CANCEL, READ, place(1)]],
    ['a read behind them', [CANCEL, place(1), READ]],
  ])('keeps its order, and nothing waits, with %s', (_name, commands) => {
    const { clock, happened } = loopOf(commands);
    clock.advance(10);
    const kinds = commands.map((each) => (each.kind === 'venue' ? each.command.kind : ''));
    expect(happened.filter((each) => each !== 'cancel written')).toEqual(kinds);
    expect(happened.slice(0, kinds.length)).toEqual(kinds);
  });

  it('has left before the core is told anything else', () => {
    const { loop, clock, happened } = loopOf([CANCEL, place(1)], { second: [CANCEL_ALL] });
    clock.advance(2);
    expect(happened).toEqual(['cancelOrders', 'cancel written']);
    loop.deliver({ kind: 'authenticated' });
    clock.advance(1);
    expect(happened.slice(2)).toEqual(['placeOrders', 'cancelAll']);
  });

  it('leaves once only', () => {
    const { clock, happened } = loopOf([CANCEL, place(1)]);
    clock.advance(1_000);
    expect(happened.filter((each) => each === 'placeOrders')).toHaveLength(1);
  });

  it('never leaves a loop that was stopped meanwhile', () => {
    const { loop, clock, happened } = loopOf([RECORD, CANCEL, place(1)]);
    clock.after(2, () => loop.stop());
    clock.advance(1_000);
    expect(happened).toEqual(['cancelOrders', 'cancel written']);
  });

  it('does not leave where its intents cannot be kept; the core is told, and cancels leave', () => {
    const { clock, happened } = loopOf([RECORD, CANCEL, place(1)], { isDiskFull: true });
    clock.advance(10);
    expect(happened).toEqual(['cancelOrders', 'cancel written', 'told: not placed']);
  });

  it('stops the loop where a placement behind the cancels cannot be carried out', () => {
    const { clock, happened, broken } = loopOf([CANCEL, place(1)], { isDoorBroken: true });
    clock.advance(1_000);
    expect(broken).toEqual(['no door']);
    expect(happened).toEqual(['cancelOrders', 'cancel written', 'placeOrders']);
  });
});
