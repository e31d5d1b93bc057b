// The ledger: how long its writes take, since every order waits for one.

import { Counter, Histogram, type Registry } from 'prom-client';

/** From a commit that fits the disk's cache to one that stands still. */
const COMMIT_BUCKETS_SEC = [0.001, 0.002, 0.003, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 5];

export type LedgerMetrics = { onCommit(tookMs: number, records: number): void };

export function ledgerMetrics(registry: Registry): LedgerMetrics {
  const registers = [registry];
  const took = new Histogram({
    name: 'bookend_ledger_commit_seconds',
    help: 'Time of a durable write of the ledger; an order leaves when its own is done.',
    buckets: COMMIT_BUCKETS_SEC,
    registers,
  });
  const written = new Counter({
    name: 'bookend_ledger_records_total',
    help: 'Records that are durable.',
    registers,
  });
  return {
    onCommit: (tookMs, records) => {
      took.observe(tookMs / 1_000);
      written.inc(records);
    },
  };
}
