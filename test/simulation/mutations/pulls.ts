// Bugs about orders that have to go and stay, and about controls that do not say what holds.

import { Latches, rankOf } from '../../../src/core/risk/latches.ts';
import { Session } from '../../../src/core/session/session.ts';
import type { CoreSettings } from '../../../src/domain/input.ts';
import { RISK_CONTROL_DEFAULTS as USUAL } from '../../../src/domain/risk.ts';
import { Auditor } from '../audit/auditor.ts';
import { DaemonProcess } from '../world/process.ts';
import { reloadedOften } from './circumstances.ts';
import type { Circumstance, Mutation } from './mutation.ts';
import { LONG_BLACKOUTS, unread, whileGone } from './silences.ts';
import { ALIKE_WARNED, PULLING_BREAKERS } from './switched.ts';
import { all, replaced } from './tools.ts';

/** For longer than anybody may let quotes rest. */
const FULL_DISKS: Circumstance = {
  ...whileGone('diskFails'),
  about: 'the disk takes nothing for seventy seconds of every three minutes',
};

const UNMARKED_MS = 10_000;

/** While nothing is swept, what is quoted goes on and has no price. */
const UNMARKED_BLACKOUTS: Circumstance = {
  ...whileGone('blackout'),
  about: `${LONG_BLACKOUTS.about}, and a position may be without a price for ten seconds`,
  controls: {
    risk: { ...USUAL, blind: { forMs: 0 }, loss: { ...USUAL.loss, unmarkedMs: UNMARKED_MS } },
  },
};

const LOWERED_AFTER = 4;

/** Above the limit of the worst case nothing is placed that makes it worse: so it comes down when that is lost. */
const LOWERED_LOSS: Circumstance = {
  ...ALIKE_WARNED,
  about:
    'after six minutes no more than 1 USDC may be lost, with quotes that are too narrow to earn',
  controls: { risk: undefined },
  patch: () => {
    let reloads = 0;
    const lowered = (settings: CoreSettings): CoreSettings => {
      const isLow = reloads > LOWERED_AFTER;
      return isLow ? { ...settings, risk: { ...settings.risk, maxLossUsdc: 1 } } : settings;
    };
    return all(
      reloadedOften(),
      replaced(Auditor.prototype, 'onSettings', (original) => {
        return function (this: Auditor, settings) {
          reloads += 1;
          original.call(this, lowered(settings));
        };
      }),
      replaced(DaemonProcess.prototype, 'reload', (original) => {
        return function (this: DaemonProcess, settings) {
          original.call(this, lowered(settings));
        };
      }),
    );
  },
};

/** Single markets are held for longer than the whole account. */
const HELD_TWICE: Circumstance = {
  about:
    'five fills of a market in 10 s leave it reduce-only for ten minutes, and thirty orders in 10 s the whole account for five seconds',
  controls: {
    risk: {
      ...USUAL,
      fillBurst: {
        ...USUAL.fillBurst,
        ...{ marketFills: 5, action: 'reduce-only', coolOffMs: 600_000 },
      },
      orderRate: { orders: 30, intervalMs: 10_000, action: 'reduce-only', coolOffMs: 5_000 },
    },
  },
};

/** What rests may trade on, so that a market has its burst while the account is held already. */
const HELD_FIRST: Circumstance = {
  about:
    'three fills in 10 s stop the whole account from adding for two minutes, and five of a market that one',
  controls: {
    risk: {
      ...USUAL,
      fillBurst: {
        ...USUAL.fillBurst,
        ...{ accountFills: 3, marketFills: 5, action: 'stop-adding', coolOffMs: 120_000 },
      },
    },
  },
};

export const PULL_BUGS: readonly Mutation[] = [
  {
    name: 'unwritten-pulls-nothing',
    about: 'sends nothing while its ledger cannot be written, and lets its quotes rest',
    lookIn: ['calm', 'stormy'],
    circumstance: FULL_DISKS,
    engine: (engine) => ({
      step: (input) => (input.kind === 'ledger' ? [] : engine.step(input)),
    }),
  },
  {
    name: 'level-pulls-nothing',
    about: 'places nothing that adds under a level that pulls quotes, and lets them rest',
    lookIn: ['calm', 'stormy'],
    circumstance: PULLING_BREAKERS,
    patch: () =>
      replaced(Latches.prototype, 'binding', (original) => {
        return function (this: Latches, marketId) {
          const latch = original.call(this, marketId);
          return latch?.level === 'cancel' ? { ...latch, level: 'stop-adding' } : latch;
        };
      }),
  },
  {
    name: 'sweep-left-out',
    about: 'says that it cannot see its fills, and does not ask for everything to be cancelled',
    lookIn: ['calm', 'stormy'],
    circumstance: { ...LONG_BLACKOUTS, controls: { ...LONG_BLACKOUTS.controls, scope: 'account' } },
    patch: () => replaced(Session.prototype, 'sweep', () => () => undefined),
  },
  {
    name: 'loss-limit-never-halts',
    about: 'does not halt when more is lost than may be lost at all',
    lookIn: ['calm', 'feed', 'stormy'],
    circumstance: LOWERED_LOSS,
    patch: () =>
      replaced(Session.prototype, 'halt', (original) => {
        return function (this: Session, limit, detail) {
          if (limit !== 'max_loss_usdc') original.call(this, limit, detail);
        };
      }),
  },
  {
    name: 'account-frees-its-markets',
    about: 'lets go of what holds single markets with what held the whole account',
    lookIn: ['calm', 'stormy'],
    circumstance: HELD_TWICE,
    patch: () =>
      replaced(Latches.prototype, 'takeEnded', (original) => {
        return function (this: Latches, nowMs) {
          const ended = original.call(this, nowMs);
          const isAccount = ended.some(({ marketId }) => marketId === undefined);
          const ofMarkets = isAccount ? this.all().filter(({ marketId }) => marketId) : [];
          for (const { control, marketId } of ofMarkets) this.lift(control, marketId);
          return ended;
        };
      }),
  },
  {
    name: 'account-hides-its-markets',
    about: 'does not hold a single market while the whole account is held as hard',
    lookIn: ['calm', 'stormy'],
    circumstance: HELD_FIRST,
    patch: () =>
      replaced(Latches.prototype, 'moves', (original) => {
        return function (this: Latches, latch) {
          const isHidden = rankOf(this.accountLevel) >= rankOf(latch.level);
          return !(isHidden && latch.marketId !== undefined) && original.call(this, latch);
        };
      }),
  },
  {
    name: 'unmarked-unread',
    about: 'does not mind how long a position has no price',
    lookIn: ['calm', 'stormy'],
    circumstance: UNMARKED_BLACKOUTS,
    engine: unread({ loss: { ...USUAL.loss, unmarkedMs: 0 } }),
  },
];
