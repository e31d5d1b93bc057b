// How far takers lead the books: who pays the spread may know something, and how much is learnt from what the
// books did afterwards, in this very market. A market whose flow says nothing is left where its books are.

import type { UnixMs } from '../../domain/time.ts';
import { decayFactor, secondsBetween } from '../../strategy/toolkit/estimate/decay.ts';

/** A trade counts half as much after so long. */
const HALVED_SEC = 8;
/** The books are looked at again so long after a look at the flow. */
const HORIZON_MS = 10_000;
const SAMPLE_MS = 1_000;
/** So much later, as behind a sleep of the host, they say nothing of it. */
const LATE_MS = 2 * HORIZON_MS;
/** Looks that wait for their answer; they are a second apart. */
const PENDING_MAX = HORIZON_MS / SAMPLE_MS + 1;
/** So much evidence is needed before a lead counts by half: the sum of squares of one minute of busy flow. */
const EVIDENCE = 30;
/** What was learnt an hour of looks ago counts for a third. */
const KEPT = 1 - 1 / 3_600;
/** No flow is worth more than this in log-odds: five cents where the outcome is open. */
const LEAD_MAX = 0.2;
/** More trades in a row say little more. */
const FLOW_MAX = 3;
/** Less than this is no flow to learn from. */
const FLOW_MIN = 0.05;

type Look = { readonly atMs: UnixMs; readonly flow: number; readonly logOdds: number };

export class FlowLead {
  #flow = 0;
  #flowAtMs: UnixMs | undefined;
  #lookedAtMs = Number.NEGATIVE_INFINITY;
  readonly #pending: Look[] = [];
  /** Sums of flow times what followed, and of flow squared. */
  #product = 0;
  #square = EVIDENCE;

  /** What was traded since the last step, from -1 (sold) to 1 (bought). */
  add(balance: number, nowMs: UnixMs): void {
    const flow = this.#flowAt(nowMs) + balance;
    this.#flow = Math.max(-FLOW_MAX, Math.min(FLOW_MAX, flow));
    this.#flowAtMs = nowMs;
  }

  learn(logOdds: number, nowMs: UnixMs): void {
    for (let look = this.#pending[0]; look && nowMs - look.atMs >= HORIZON_MS; ) {
      this.#pending.shift();
      if (nowMs - look.atMs <= LATE_MS) this.#add(look, logOdds);
      look = this.#pending[0];
    }
    if (nowMs - this.#lookedAtMs < SAMPLE_MS) return;
    this.#lookedAtMs = nowMs;
    const flow = this.#flowAt(nowMs);
    if (Math.abs(flow) < FLOW_MIN || this.#pending.length >= PENDING_MAX) return;
    this.#pending.push({ atMs: nowMs, flow, logOdds });
  }

  /** Log-odds that one taker has been worth; a flow that goes the other way is worth nothing. */
  get perTaker(): number {
    return Math.max(0, Math.min(LEAD_MAX, this.#product / this.#square));
  }

  /** Log-odds by which the value is ahead of the books. */
  leadAt(nowMs: UnixMs): number {
    const lead = (this.#product / this.#square) * this.#flowAt(nowMs);
    return Math.max(-LEAD_MAX, Math.min(LEAD_MAX, lead));
  }

  #add({ flow, logOdds: before }: Look, logOdds: number): void {
    this.#product = KEPT * this.#product + flow * (logOdds - before);
    this.#square = EVIDENCE + KEPT * (this.#square - EVIDENCE) + flow ** 2;
  }

  #flowAt(nowMs: UnixMs): number {
    if (this.#flowAtMs === undefined) return 0;
    return this.#flow * decayFactor(secondsBetween(this.#flowAtMs, nowMs), HALVED_SEC);
  }
}
