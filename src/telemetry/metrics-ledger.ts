// The ledger: how long its writes take, since every order waits for one, and how far the disk is behind them.

import type { Registry } from 'prom-client';
import { Instruments } from './instruments.ts';

export type LedgerMetrics = {
  onCommit(tookMs: number, records: number): void;
  onSync(tookMs: number): void;
};

export function ledgerMetrics(registry: Registry): LedgerMetrics {
  const make = new Instruments(registry);
  const took = make.histogram('commits');
  const synced = make.histogram('syncs');
  const written = make.counter('records');
  return {
    onCommit: (tookMs, records) => {
      took.observe(tookMs / 1_000);
      written.inc(records);
    },
    onSync: (tookMs) => synced.observe(tookMs / 1_000),
  };
}
