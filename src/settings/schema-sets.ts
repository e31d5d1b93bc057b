// How the complete sets of one market are kept, key by key.

import { RECYCLER_DEFAULTS as USUAL } from '../domain/sets.ts';
import { flag, oneOf, section, whole } from './keys.ts';

const applies = 'live';
const SETS_MAX = 1_000_000;

export const SETS = section('Complete sets: merged, split and redeemed without a hand.', {
  mode: oneOf({
    doc: 'on: chain actions are sent; dry-run: it only says what it would do.',
    words: ['off', 'dry-run', 'on'],
    default: USUAL.mode,
    applies,
  }),
  workingMin: whole({
    doc: 'With fewer sets, cash is split so that real sells can rest; 0 splits none.',
    unit: 'sets',
    min: 0,
    max: SETS_MAX,
    default: USUAL.workingMin,
    applies,
  }),
  workingMax: whole({
    doc: 'Free sets beyond this are merged into cash.',
    unit: 'sets',
    min: 0,
    max: SETS_MAX,
    default: USUAL.workingMax,
    applies,
  }),
  changeMin: whole({
    doc: 'Least sets of one split or merge.',
    unit: 'sets',
    min: 1,
    max: SETS_MAX,
    default: USUAL.changeMin,
    applies,
  }),
  pauseMs: whole({
    doc: 'Least time between two chain actions of the market; each failure doubles it.',
    unit: 'ms',
    min: 30_000,
    max: 86_400_000,
    default: USUAL.pauseMs,
    applies,
  }),
  redeems: flag({
    doc: 'Redeem what is held once the market is resolved.',
    default: USUAL.redeems,
    applies,
  }),
});
