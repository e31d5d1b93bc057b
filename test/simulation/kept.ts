// Runs that once found something under a rule that still stands: profile, simulated hours, and pace where it was
// another than the usual. The plan of a run is drawn for its whole length, so each keeps its own.

import type { PaceName } from './pace.ts';
import type { ProfileName } from './profiles.ts';
import type { Wanted } from './world/controls.ts';

export type KeptRun = {
  readonly seed: number;
  readonly profile: ProfileName;
  readonly hours: number;
  readonly pace?: PaceName;
  /** What is off in it that its seed would draw by now. */
  readonly controls?: Wanted;
};

type Group = Omit<KeptRun, 'seed' | 'controls'> & {
  readonly seeds: readonly number[];
  /** Found when seeds drew limits and what takes. */
  readonly isWhole?: true;
};

/** Most were found before seeds drew these, and stay what they were. */
const AS_FOUND: Wanted = {
  limits: undefined,
  takes: undefined,
  lateMs: undefined,
  fees: undefined,
};

const GROUPS: readonly Group[] = [
  { profile: 'calm', hours: 0.2, seeds: [1] },
  { profile: 'calm', hours: 0.5, seeds: [2] },
  { profile: 'calm', hours: 1, seeds: [513] },
  { profile: 'calm', hours: 1, seeds: [2001], pace: 'sparse' },
  { profile: 'stormy', hours: 0.3, seeds: [163, 573] },
  { profile: 'stormy', hours: 0.4, seeds: [3, 4, 9] },
  { profile: 'stormy', hours: 0.4, seeds: [201], isWhole: true },
  { profile: 'stormy', hours: 0.5, seeds: [500, 814] },
  { profile: 'stormy', hours: 1, seeds: [546, 577, 1001, 12005, 12028, 16020] },
  { profile: 'stormy', hours: 1, seeds: [8101], pace: 'sparse' },
  { profile: 'stormy', hours: 1, seeds: [90005], isWhole: true },
  { profile: 'killer', hours: 0.1, seeds: [1], pace: 'brisk' },
  { profile: 'killer', hours: 0.1, seeds: [1], pace: 'brisk', isWhole: true },
  { profile: 'killer', hours: 0.3, seeds: [579, 7423] },
  { profile: 'killer', hours: 0.4, seeds: [1, 8100, 9200] },
  { profile: 'killer', hours: 0.5, seeds: [17, 25, 114, 9503] },
  { profile: 'killer', hours: 1, seeds: [84, 134, 524, 1005, 10101] },
  { profile: 'killer', hours: 1, seeds: [18020, 25033], isWhole: true },
  { profile: 'crashy', hours: 0.1, seeds: [559, 598, 3204] },
  { profile: 'crashy', hours: 0.4, seeds: [11, 20, 582] },
  { profile: 'crashy', hours: 0.5, seeds: [3, 16, 100, 104, 812, 4001] },
  { profile: 'crashy', hours: 1, seeds: [80, 524, 2011, 11011] },
  { profile: 'account', hours: 0.5, seeds: [405, 600] },
  { profile: 'account', hours: 1, seeds: [30004], pace: 'sparse' },
  { profile: 'account', hours: 1, seeds: [1856] },
  { profile: 'clocks', hours: 0.5, seeds: [712] },
  { profile: 'feed', hours: 0.3, seeds: [2, 4] },
  { profile: 'feed', hours: 0.5, seeds: [2] },
  { profile: 'feed', hours: 1, seeds: [31] },
  { profile: 'dialects', hours: 0.1, seeds: [825] },
  { profile: 'dialects', hours: 0.5, seeds: [1, 2414, 5001, 5014, 5018, 5050, 62102] },
  { profile: 'dialects', hours: 0.5, seeds: [2], isWhole: true },
  { profile: 'dialects', hours: 0.6, seeds: [306] },
  {
    profile: 'dialects',
    hours: 1,
    seeds: [38, 63, 81, 168, 555, 1002, 1003, 2020, 5000, 1739, 1849, 6564, 621, 10033, 88001],
  },
  { profile: 'dialects', hours: 1, seeds: [18007, 18024, 19047, 74001, 93002], isWhole: true },
  { profile: 'dialects', hours: 1.2, seeds: [8001] },
  { profile: 'outcomes', hours: 0.1, seeds: [618, 31000] },
  { profile: 'outcomes', hours: 0.5, seeds: [9400] },
  { profile: 'outcomes', hours: 1, seeds: [204, 9607, 19044] },
  { profile: 'outcomes', hours: 1, seeds: [95020, 97060], isWhole: true },
  { profile: 'everything', hours: 0.4, seeds: [8100], pace: 'sparse' },
  { profile: 'everything', hours: 0.5, seeds: [125, 9309, 9314] },
  { profile: 'everything', hours: 0.6, seeds: [710, 825] },
  { profile: 'everything', hours: 1, seeds: [81, 925, 1401, 13005] },
  { profile: 'everything', hours: 0.7, seeds: [73103], isWhole: true },
  { profile: 'everything', hours: 1, seeds: [18004], isWhole: true },
  { profile: 'everything', hours: 1, seeds: [30002], pace: 'sparse' },
  { profile: 'everything', hours: 1.1, seeds: [617] },
];

/** Every one of them. */
export const KEPT: readonly KeptRun[] = GROUPS.flatMap(({ seeds, isWhole, ...run }) =>
  seeds.map((seed) => ({ seed, ...run, ...(isWhole ? {} : { controls: AS_FOUND }) })),
);

/** Simulated hours that a kept run may take to be repeated by every `npm test`: a second or two. */
const BRIEF_HOURS = 0.1;

/** Those that found it so early that they are repeated with every change; a dense one takes long. */
export const KEPT_BRIEF = KEPT.filter(
  ({ hours, pace }) => hours <= BRIEF_HOURS && pace !== 'brisk',
);
