// What the sockets of the venue work with, and their limits.

import type { UnixMs } from '../../domain/time.ts';
import type { Exchange } from '../exchange/exchange.ts';
import type { Dialect } from './dialect.ts';
import type { FaultPlan } from './faults.ts';

export type SocketLimits = {
  readonly pingMs: number;
  readonly deltaFlushMs: number;
  readonly summaryMsMin: number;
  /** Unread bytes past which a slow consumer is terminated. */
  readonly bufferBytesMax: number;
  readonly frameBytesMax: number;
  readonly socketsMax: number;
  /** Client frames in any second; the interface states no limit, so this is generous. */
  readonly framesPerSecMax: number;
};

export type HubOptions = {
  readonly exchange: Exchange;
  readonly dialect: Dialect;
  readonly faults: FaultPlan;
  readonly limits: SocketLimits;
  readonly nowMs: () => UnixMs;
};
