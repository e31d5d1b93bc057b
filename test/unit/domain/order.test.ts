import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  isTerminal,
  nextState,
  ORDER_MOVES,
  type OrderSignal,
  type OrderState,
} from '../../../src/domain/order.ts';

const SIGNALS = [
  'ack',
  'refusal',
  'noAnswer',
  'open',
  'partial',
  'matched',
  'filled',
  'cancelled',
  'expired',
  'cancelSent',
  'cancelFailed',
  'provenAbsent',
] as const satisfies readonly OrderSignal[];

/** Short names for a table that fits the page. */
const SHORT = new Map<string, OrderState>([
  ['sub', 'submitting'],
  ['unc', 'uncertain'],
  ['ope', 'open'],
  ['par', 'partiallyFilled'],
  ['can', 'cancelling'],
  ['unp', 'cancelUnproven'],
  ['set', 'settling'],
  ['FIL', 'filled'],
  ['CAN', 'cancelled'],
  ['EXP', 'expired'],
  ['REF', 'refused'],
]);

/** Every state under every signal, written down a second time by hand; a dot is an anomaly. */
const TABLE = `
  from  ack refusal noAnswer open partial matched filled cancelled expired cancelSent cancelFailed provenAbsent
  sub   ope REF     unc      ope  par     set     FIL    CAN       EXP     .          .            .
  unc   .   .       .        ope  par     set     FIL    CAN       EXP     .          .            REF
  ope   ope .       .        ope  par     set     FIL    CAN       EXP     can        .            CAN
  par   par .       .        par  par     set     FIL    CAN       EXP     can        .            CAN
  can   can .       unp      can  can     set     FIL    CAN       EXP     .          unp          CAN
  unp   .   .       .        ope  par     set     FIL    CAN       EXP     can        .            CAN
  set   set .       set      set  set     set     FIL    CAN       EXP     .          set          FIL
  FIL   FIL .       FIL      FIL  FIL     FIL     FIL    .         .       .          FIL          .
  CAN   CAN .       CAN      .    CAN     CAN     CAN    CAN       CAN     .          CAN          .
  EXP   EXP .       EXP      .    EXP     EXP     EXP    EXP       EXP     .          EXP          .
  REF   .   .       .        .    .       .       .      .         .       .          .            .
`;

const [HEADER, ...ROWS] = TABLE.trim()
  .split('\n')
  .map((line) => line.trim().split(/ +/));

const CASES = ROWS.flatMap(([from, ...cells]) =>
  SIGNALS.map((signal, index) => ({
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
  let state: OrderState | 'anomaly' = 'submitting';
  for (const signal of signals) {
    if (state === 'anomaly') return state;
    state = nextState(state, signal);
  }
  return state;
}

describe('the table of moves', () => {
  it('is stated here for every state and every signal', () => {
    expect(HEADER).toEqual(['from', ...SIGNALS]);
    expect(CASES.length).toBe(Object.keys(ORDER_MOVES).length * SIGNALS.length);
    expect(new Set(CASES.map((one) => one.from)).size).toBe(Object.keys(ORDER_MOVES).length);
  });

  it.each(CASES)('takes $from on $signal to $to', ({ from, signal, to }) => {
    expect(nextState(from, signal)).toBe(to);
  });

  it('lets no final state turn into another', () => {
    const states = CASES.map((one) => one.from).filter(isTerminal);
    expect(new Set(states)).toEqual(new Set(['filled', 'cancelled', 'expired', 'refused']));
    for (const { from, to } of CASES.filter((one) => isTerminal(one.from))) {
      expect([from, 'anomaly']).toContain(to);
    }
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
    const signal = fc.constantFrom(...SIGNALS);
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
      what: 'is open when the user channel speaks before the answer',
      signals: ['open', 'ack'],
      to: 'open',
    },
    {
      what: 'is settling when it matched before the answer came',
      signals: ['matched', 'ack'],
      to: 'settling',
    },
    {
      what: 'is uncertain, not refused, when the answer is lost',
      signals: ['noAnswer'],
      to: 'uncertain',
    },
    {
      what: 'is found open after the answer was lost',
      signals: ['noAnswer', 'open'],
      to: 'open',
    },
    {
      what: 'is filled when it filled while its answer was lost',
      signals: ['noAnswer', 'matched', 'filled'],
      to: 'filled',
    },
    {
      what: 'is cancelled when the venue proves the cancel',
      signals: ['ack', 'cancelSent', 'cancelled'],
      to: 'cancelled',
    },
    {
      what: 'is not taken for live or gone when its cancel failed',
      signals: ['ack', 'cancelSent', 'cancelFailed'],
      to: 'cancelUnproven',
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
      what: 'is settling when it matched while its cancel was under way and then failed',
      signals: ['ack', 'cancelSent', 'matched', 'cancelFailed'],
      to: 'settling',
    },
    {
      what: 'is settling when it matched while the answer to its cancel was lost',
      signals: ['ack', 'cancelSent', 'matched', 'noAnswer'],
      to: 'settling',
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
      to: 'cancelUnproven',
    },
    {
      what: 'is expired when the venue calls its expiry a cancel',
      signals: ['ack', 'expired', 'cancelled'],
      to: 'expired',
    },
    {
      what: 'is open when the order update is repeated',
      signals: ['ack', 'open', 'open'],
      to: 'open',
    },
    {
      what: 'is settling when an older update arrives after the match',
      signals: ['ack', 'matched', 'open', 'partial'],
      to: 'settling',
    },
  ])('$what', ({ signals, to }) => {
    expect(after(...signals)).toBe(to);
  });
});
