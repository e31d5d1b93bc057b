// How the venue of a backtest plays; settlement, cash, cancels and the synthetic crowd are those of `paper`.

import { number, oneOf, section, text, whole } from './keys.ts';

const delay = (doc: string, otherwise: number) =>
  whole({ doc, unit: 'ms', min: 0, max: 60_000, default: otherwise, applies: 'restart' });

export const BACKTEST = section(
  'How the venue of a backtest plays; settlement, cash and cancels are those of `paper`. Only `backtest` and a dry run read it.',
  {
    feedMs: delay('From a change at the venue to the strategy.', 40),
    entryMs: delay('From a decision to its effect at the venue.', 60),
    responseMs: delay('From that effect to the answer.', 40),
    latencyFile: text({
      doc: 'Measured delays to draw from in place of these three: a CSV with the columns feedMs, entryMs and responseMs.',
      unit: 'path',
      rule: 'a path of at most 1000 characters',
      pattern: /^[^\0]{0,1000}$/,
      default: '',
      applies: 'restart',
    }),
    queue: oneOf({
      doc: 'Whose cancels shrink a recorded level, which no recording says: those behind an order (`conservative`), those before it (`optimistic`), or each in a run of its own.',
      words: ['both', 'conservative', 'optimistic'],
      default: 'both',
      applies: 'restart',
    }),
    takerFeeRate: number({
      doc: 'r of a taker fee of r p (1 - p) a share.',
      unit: 'rate',
      min: 0,
      max: 1,
      default: 0,
      applies: 'restart',
    }),
    settlementFailureRate: number({
      doc: 'Share of settlements that fail on the chain.',
      unit: 'parts of 1',
      min: 0,
      max: 1,
      default: 0,
      applies: 'restart',
    }),
    hours: number({
      doc: 'Length of a run in a synthetic world.',
      unit: 'hours',
      min: 0.01,
      max: 1_000,
      default: 1,
      applies: 'restart',
    }),
    seeds: whole({
      doc: 'Runs in each synthetic world, every one with another seed.',
      unit: 'runs',
      min: 1,
      max: 1_000,
      default: 4,
      applies: 'restart',
    }),
  },
);
