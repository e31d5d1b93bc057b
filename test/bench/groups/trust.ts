// Detection time and false alarms of the trust in books, on a feed that goes wrong by the thousand.

import { TRUST_DEFAULTS } from '../../../src/domain/trust.ts';
import { quantile } from '../../support/feed/account.ts';
import { FeedWorld } from '../../support/feed/feed-world.ts';
import { check, type GroupResult, type RunOptions } from '../rig/report.ts';

/** Sixteen tokens: two audits a second reach each of them every eight seconds. */
const MARKETS = 8;

export function trust({ isShort }: RunOptions): GroupResult {
  const settings = { ...TRUST_DEFAULTS, ownOrderAuditMs: 0 };
  const world = new FeedWorld({ markets: MARKETS, seed: 21, trust: settings, faultEveryMs: 5_000 });
  world.run(isShort ? 120_000 : 18_000_000);
  const quiet = new FeedWorld({ markets: MARKETS, seed: 22, trust: settings });
  quiet.run(isShort ? 60_000 : 3_600_000);
  const { account } = world;
  check(account.injected > 0, 'faults are injected');
  const seconds = (ms: number) => (Number.isFinite(ms) ? `${(ms / 1_000).toFixed(2)} s` : '–');
  const rows = [...account.byKind].map(([kind, each]) => [
    kind,
    `${each.injected}`,
    `${each.harmless}`,
    `${each.passed}`,
    `${each.detectedMs.length}`,
    seconds(quantile(each.detectedMs, 0.5)),
    seconds(quantile(each.detectedMs, 0.99)),
  ]);
  const all = [...account.byKind.values()].flatMap((each) => each.detectedMs);
  const signals = [...account.bySignal].map(([signal, count]) => `${signal} ${count}`).join(', ');
  const falseAlarms = account.falseAlarms + quiet.account.falseAlarms;
  rows.push(
    [
      'all',
      `${account.injected}`,
      '',
      '',
      `${all.length}`,
      seconds(quantile(all, 0.5)),
      seconds(quantile(all, 0.99)),
    ],
    [`by: ${signals}`, '', '', '', '', '', ''],
    [
      `resynced in p50 ${seconds(quantile(account.resyncTookMs, 0.5))}, p99 ${seconds(quantile(account.resyncTookMs, 0.99))}; false alarms ${falseAlarms} in ${isShort ? 'minutes' : '96 token-hours'}`,
      '',
      '',
      '',
      '',
      '',
      '',
    ],
  );
  return {
    title: 'trust: an injected feed, default thresholds, 16 tokens',
    head: ['fault', 'injected', 'harmless', 'passed', 'noticed', 'p50', 'p99'],
    rows,
    ratios: [
      { name: 'trust.falseAlarms', value: falseAlarms, aimMax: 0 },
      { name: 'trust.detectionP99Sec', value: quantile(all, 0.99) / 1_000 },
    ],
  };
}
