import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  isTerminal,
  LIVE_STATES,
  nextState,
  ORDER_MOVES,
  ORDER_SIGNALS,
  ORDER_STATES,
  type OrderSignal,
  type OrderState,
} from '../../../src/domain/order.ts';

/** Short names for a table that fits the page. */
const SHORT = new Map<string, OrderState>([
  ['int', 'intended'],
  ['sen', 'sending'],
  ['unk', 'unknown'],
  ['res', 'resting'],
  ['par', 'partiallyFilled'],
  ['can', 'cancelling'],
  ['unp', 'cancelUnresolved'],
  ['mat', 'matched'],
  ['set', 'settling'],
  ['FIL', 'filled'],
  ['CAN', 'cancelled'],
  ['EXP', 'expired'],
  ['REF', 'refused'],
  ['ABS', 'absent'],
]);

/** Every state under every signal, written down a second time by hand; a dot is an anomaly. */
const TABLE = `
  from sent ack refusal noAnswer open partial matched settled failed orderRestored filled cancelled expired cancelSent cancelFailed confirmedAbsent confirmedExpired
  int  sen  .   REF     unk      .    .       .       .       .      .          .      .         .       .          .            .            .
  sen  .    res REF     unk      res  par     mat     .       .      .          FIL    CAN       EXP     .          .            .            .
  unk  .    res REF     unk      res  par     mat     .       .      .          FIL    CAN       EXP     .          .            ABS          ABS
  res  .    res .       .        res  par     mat     .       .      .          FIL    CAN       EXP     can        .            ABS          EXP
  par  .    par .       .        par  par     mat     .       .      .          FIL    CAN       EXP     can        .            ABS          EXP
  can  .    can .       unp      can  can     mat     .       .      .          FIL    CAN       EXP     .          unp          CAN          EXP
  unp  .    unp .       .        res  par     mat     .       .      .          FIL    CAN       EXP     can        .            CAN          EXP
  mat  .    mat .       mat      mat  mat     mat     set     unp    res        FIL    CAN       EXP     .          mat          .            .
  set  .    set .       set      set  set     set     set     unp    res        FIL    CAN       EXP     .          set          .            .
  FIL  .    FIL .       FIL      FIL  FIL     FIL     .       unp    res        FIL    .         .       .          FIL          .            .
  CAN  .    CAN .       CAN      .    CAN     CAN     .       .      .          CAN    CAN       CAN     .          CAN          .            .
  EXP  .    EXP .       EXP      .    EXP     EXP     .       .      .          EXP    EXP       EXP     .          EXP          .            .
  REF  .    .   .       .        .    .       .       .       .      .          .      .         .       .          .            .            .
  ABS  .    .   .       ABS      .    ABS     ABS     .       .      .          ABS    ABS       ABS     .          ABS          .            .
`;

/** Where the shares of a failed settlement bring an order that was reported as filled. */
const GIVEN_BACK = new Map<OrderSignal, OrderState>([
  ['failed', 'cancelUnresolved'],
  ['orderRestored', 'resting'],
]);

const [HEADER, ...ROWS] = TABLE.trim()
  .split('\n')
  .map((line) => line.trim().split(/ +/));

const CASES = ROWS.flatMap(([from, ...cells]) =>
  ORDER_SIGNALS.map((signal, index) => ({
    from: stateOf(from),
    signal,
    to: cells[index] === '.' ? ('anomaly' as const) : stateOf(cells[index]),
  })),
);

function stateOf(short: string | undefined): OrderState {
  const state = SHORT.get(short ?? '');
  if (state === undefined) throw new Error(`${short} is not in the table's legend`);
  return state;
}

function after(...signals: readonly OrderSignal[]): OrderState | 'anomaly' {
  let state: OrderState | 'anomaly' = 'sending';
  for (const signal of signals) {
    if (state === 'anomaly') return state;
    state = nextState(state, signal);
  }
  return state;
}

describe('the table of moves', () => {
  it('is stated here for every state and every signal', () => {
    expect(HEADER).toEqual(['from', ...ORDER_SIGNALS]);
    expect(CASES.length).toBe(Object.keys(ORDER_MOVES).length * ORDER_SIGNALS.length);
    expect(new Set(CASES.map((one) => one.from)).size).toBe(Object.keys(ORDER_MOVES).length);
  });

  it.each(CASES)('takes $from on $signal to $to', ({ from, signal, to }) => {
    expect(nextState(from, signal)).toBe(to);
  });

  it('lets no final state turn into another, but what a failed settlement gives back', () => {
    const states = CASES.map((one) => one.from).filter(isTerminal);
    expect(new Set(states)).toEqual(
      new Set(['filled', 'cancelled', 'expired', 'refused', 'absent']),
    );
    for (const { from, signal, to } of CASES.filter((one) => isTerminal(one.from))) {
      const givenBack = from === 'filled' ? GIVEN_BACK.get(signal) : undefined;
      expect(givenBack ? [givenBack] : [from, 'anomaly']).toContain(to);
    }
  });

  it('names every state of the run of an order once', () => {
    expect(LIVE_STATES).toEqual([
      ...['intended', 'sending', 'unknown', 'resting', 'partiallyFilled'],
      ...['cancelling', 'cancelUnresolved', 'matched', 'settling'],
    ]);
    expect(new Set(Object.keys(ORDER_MOVES))).toEqual(new Set(ORDER_STATES));
    expect(new Set(ORDER_STATES).size).toBe(ORDER_STATES.length);
  });

  it.each(ORDER_STATES)('has a deadline for %s exactly if it may end', (state) => {
    const { deadline } = ORDER_MOVES[state];
    expect(deadline !== undefined).toBe(LIVE_STATES.some((live) => live === state));
    // A deadline that moves the order moves it by a cause that the table lists.
    if (deadline?.remedy === 'noAnswer') expect(nextState(state, 'noAnswer')).not.toBe('anomaly');
  });

  it('has a way to a final state from every other', () => {
    const reach = (from: OrderState) =>
      CASES.filter((one) => one.from === from).map((one) => one.to);
    for (const from of new Set(CASES.map((one) => one.from))) {
      const isDone =
        isTerminal(from) || reach(from).some((to) => to !== 'anomaly' && isTerminal(to));
      expect(isDone, from).toBe(true);
    }
  });

  it('never takes an order for refused once the venue has shown it', () => {
    const signal = fc.constantFrom(...ORDER_SIGNALS);
    const shown = fc.constantFrom<OrderSignal>('ack', 'open', 'partial', 'matched');
    fc.assert(
      fc.property(shown, fc.array(signal, { maxLength: 12 }), (first, rest) => {
        expect(after(first, ...rest)).not.toBe('refused');
      }),
      { numRuns: 2_000 },
    );
  });

  it('never ends an order on a lost answer or a failed cancel alone', () => {
    for (const { from, signal, to } of CASES) {
      const isWeak = signal === 'noAnswer' || signal === 'cancelFailed' || signal === 'cancelSent';
      if (!isWeak || isTerminal(from) || to === 'anomaly') continue;
      expect(isTerminal(to), `${from} on ${signal}`).toBe(false);
    }
  });
});

describe('an order whose events race', () => {
  it.each<{ readonly what: string; readonly signals: OrderSignal[]; readonly to: OrderState }>([
    {
      what: 'is resting when the user channel speaks before the answer',
      signals: ['open', 'ack'],
      to: 'resting',
    },
    {
      what: 'is matched when it matched before the answer came',
      signals: ['matched', 'ack'],
      to: 'matched',
    },
    {
      what: 'is unknown, not refused, when the answer is lost',
      signals: ['noAnswer'],
      to: 'unknown',
    },
    {
      what: 'is found resting after the answer was lost',
      signals: ['noAnswer', 'open'],
      to: 'resting',
    },
    {
      what: 'is filled when it filled while its answer was lost',
      signals: ['noAnswer', 'matched', 'filled'],
      to: 'filled',
    },
    {
      what: 'is cancelled when the venue confirms the cancel',
      signals: ['ack', 'cancelSent', 'cancelled'],
      to: 'cancelled',
    },
    {
      what: 'is not taken for live or gone when its cancel failed',
      signals: ['ack', 'cancelSent', 'cancelFailed'],
      to: 'cancelUnresolved',
    },
    {
      what: 'may be cancelled again when its cancel failed and it is still there',
      signals: ['ack', 'cancelSent', 'cancelFailed', 'open', 'cancelSent'],
      to: 'cancelling',
    },
    {
      what: 'is filled when it filled first and its cancel then failed',
      signals: ['ack', 'cancelSent', 'filled', 'cancelFailed'],
      to: 'filled',
    },
    {
      what: 'is matched when it matched while its cancel was under way and then failed',
      signals: ['ack', 'cancelSent', 'matched', 'cancelFailed'],
      to: 'matched',
    },
    {
      what: 'is matched when it matched while the answer to its cancel was lost',
      signals: ['ack', 'cancelSent', 'matched', 'noAnswer'],
      to: 'matched',
    },
    {
      what: 'stays cancelling through a partial fill and ends cancelled',
      signals: ['ack', 'cancelSent', 'partial', 'cancelled'],
      to: 'cancelled',
    },
    {
      what: 'is cancelled when a partial fill came before the cancel',
      signals: ['ack', 'partial', 'cancelSent', 'cancelled'],
      to: 'cancelled',
    },
    {
      what: 'is not gone when the answer to its cancel was lost',
      signals: ['ack', 'cancelSent', 'noAnswer'],
      to: 'cancelUnresolved',
    },
    {
      what: 'is expired when the venue calls its expiry a cancel',
      signals: ['ack', 'expired', 'cancelled'],
      to: 'expired',
    },
    {
      what: 'is resting when the order update is repeated',
      signals: ['ack', 'open', 'open'],
      to: 'resting',
    },
    {
      what: 'is matched when an older update arrives after the match',
      signals: ['ack', 'matched', 'open', 'partial'],
      to: 'matched',
    },
  ])('$what', ({ signals, to }) => {
    expect(after(...signals)).toBe(to);
  });
});
