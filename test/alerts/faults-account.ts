// Faults of the account: its limits, who else uses it, its credentials, and what operators do.

import type { CoreSettings } from '../../src/domain/input.ts';
import { RISK_CONTROL_DEFAULTS, type RiskControls } from '../../src/domain/risk.ts';
import { nanoOfMicro } from '../../src/paper/exchange/amounts.ts';
import type { Fault } from './fault.ts';

const MINUTE = 60_000;

const lossAt =
  (change: Partial<RiskControls['loss']>) =>
  (usual: CoreSettings): CoreSettings => ({
    ...usual,
    risk: {
      ...usual.risk,
      ...RISK_CONTROL_DEFAULTS,
      loss: { ...RISK_CONTROL_DEFAULTS.loss, ...change },
    },
  });

export const ACCOUNT_FAULTS: readonly Fault[] = [
  {
    name: 'drawdown',
    says: 'prices run away from what is held, and the drawdown ends it',
    fires: ['BookendHalted', 'BookendControlTripped'],
    unusual: { settings: lossAt({ drawdownUsdc: 15, dayUsdc: 0 }) },
    strike: (daemon) => daemon.runAway(),
  },
  {
    name: 'day-loss',
    says: 'the day loses its limit, and only what reduces is placed',
    fires: ['BookendControlTripped'],
    unusual: { settings: lossAt({ drawdownUsdc: 0, dayUsdc: 15 }) },
    strike: (daemon) => daemon.runAway(),
  },
  {
    name: 'loss-near',
    says: 'losses come near the limit of the worst case',
    fires: ['BookendLossNear'],
    unusual: { settings: lossAt({ drawdownUsdc: 90, dayUsdc: 0 }) },
    strike: (daemon) => daemon.runAway(),
  },
  {
    name: 'external-order',
    says: 'somebody else places orders on the account',
    fires: ['BookendAccountShared'],
    strike: (daemon) => daemon.repeat(3, 20_000, () => daemon.placeByHand()),
  },
  {
    name: 'cash-withdrawn',
    says: 'somebody takes cash from the account',
    fires: ['BookendPositionCorrected'],
    strike: ({ venue, account }) =>
      venue.exchange.accounts.withdraw(account, nanoOfMicro(300_000_000)),
  },
  {
    name: 'writes-refused',
    says: 'the venue refuses every write of orders with one code',
    fires: ['BookendCancelsFail', 'BookendNotReady'],
    strike: ({ venue }) => {
      const action = { kind: 'refuse', code: 'max_open_orders' } as const;
      venue.faults.plan({ method: 'POST', path: '/orders', times: 400, action });
    },
  },
  {
    name: 'uncancellable',
    says: 'orders that have traded in part cannot be cancelled and rest, and it quotes on',
    fires: [],
    unusual: { rules: { partiallyFilledCancellable: false } },
    strike: (daemon) => daemon.tradeInPart(),
  },
  {
    name: 'killed-beside-uncancellable',
    says: 'an operator kills, and what is left the venue refuses to cancel',
    fires: ['BookendOrdersUncancellable', 'BookendStoppedByHand'],
    minutes: 25,
    unusual: { rules: { partiallyFilledCancellable: false } },
    strike: (daemon) => {
      daemon.tradeInPart();
      daemon.at(MINUTE, () => daemon.operator({ kind: 'kill', by: 'operator' }));
    },
  },
  {
    name: 'credentials-replaced',
    says: 'credentials are regenerated, and nobody writes the new ones down',
    fires: ['BookendBlind', 'BookendNotReady'],
    strike: ({ venue, account, keys }) => {
      venue.regenerate(account.name);
      keys.expire();
    },
  },
  {
    name: 'killed-and-forgotten',
    says: 'an operator kills, and nobody resumes',
    fires: ['BookendStoppedByHand'],
    minutes: 25,
    strike: (daemon) => daemon.operator({ kind: 'kill', by: 'operator' }),
  },
  {
    name: 'paused-and-forgotten',
    says: 'an operator pauses, and nobody resumes',
    fires: ['BookendStoppedByHand'],
    minutes: 25,
    strike: (daemon) => daemon.operator({ kind: 'pause', by: 'operator' }),
  },
  {
    name: 'paused-for-minutes',
    says: 'an operator pauses for five minutes',
    fires: [],
    strike: (daemon) => {
      daemon.operator({ kind: 'pause', by: 'operator' });
      daemon.at(5 * MINUTE, () => daemon.operator({ kind: 'resume', by: 'operator' }));
    },
  },
  {
    name: 'kill-in-a-blackout',
    says: 'an operator kills while nothing reaches the venue',
    fires: ['BookendKillUnconfirmed'],
    strike: (daemon) => {
      daemon.episode('blackout', 2 * MINUTE);
      daemon.at(1_000, () => daemon.operator({ kind: 'kill', by: 'operator' }));
    },
  },
  {
    name: 'market-unlisted',
    says: 'the configuration names an event that the venue does not list',
    fires: ['BookendConfigurationWrong'],
    strike: (daemon) => {
      const { settings } = daemon;
      const [first] = settings.markets;
      if (first === undefined) return;
      daemon.reload({ ...settings, markets: [...settings.markets, { ...first, event: 'snow' }] });
    },
  },
  {
    name: 'reload-refused',
    says: 'a file with a mistake is saved',
    fires: ['BookendConfigurationWrong'],
    strike: (daemon) => daemon.refuseReload(),
  },
  {
    name: 'budget-spent',
    says: 'a small write budget is spent for minutes, since prices do not stop moving',
    fires: ['BookendVenueUnsteady'],
    unusual: {
      settings: (usual) => ({ ...usual, orders: { ...usual.orders, writesPer10s: 1 } }),
    },
    strike: (daemon) => {
      daemon.repeat(120, 5_000, () => daemon.news(daemon.chance(0.2, 0.8)));
    },
  },
];
