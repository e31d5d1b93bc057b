// The planted bugs: each is what somebody once wrote, and each must be found.

import { ARMED_BUGS } from './armed.ts';
import { BOOK_BUGS } from './books.ts';
import { CANCEL_BUGS } from './cancels.ts';
import { CLIENT_BUGS } from './client.ts';
import { CONTROL_BUGS } from './controls.ts';
import { DOUBT_BUGS } from './doubts.ts';
import { ITEM_BUGS } from './items.ts';
import { LIMIT_BUGS } from './limits.ts';
import { MONEY_BUGS } from './money.ts';
import type { Mutation } from './mutation.ts';
import { PLACEMENT_BUGS } from './placements.ts';
import { PULL_BUGS } from './pulls.ts';
import { READ_BUGS } from './reads.ts';
import { RESTART_BUGS } from './restarts.ts';
import { RETOLD_BUGS } from './retold.ts';
import { SILENCE_BUGS } from './silences.ts';
import { STOP_BUGS } from './stops.ts';

export const MUTATIONS: readonly Mutation[] = [
  ...PLACEMENT_BUGS,
  ...CANCEL_BUGS,
  ...READ_BUGS,
  ...MONEY_BUGS,
  ...LIMIT_BUGS,
  ...STOP_BUGS,
  ...BOOK_BUGS,
  ...CLIENT_BUGS,
  ...RESTART_BUGS,
  ...RETOLD_BUGS,
  ...CONTROL_BUGS,
  ...SILENCE_BUGS,
  ...PULL_BUGS,
  ...DOUBT_BUGS,
  ...ITEM_BUGS,
  ...ARMED_BUGS,
];
