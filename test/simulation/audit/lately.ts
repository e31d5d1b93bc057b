// Limits that may be in force: those of now, and those that a reload took away so lately that the daemon
// may have acted before it reported for it. What all of them forbid is forbidden for certain.

import type { RiskLimits } from '../../../src/domain/input.ts';

/** A loaded machine, or a slow disk, lets settings wait for so long. */
const TAKEN_MS = 20_000;

type Replaced = { readonly risk: RiskLimits; readonly atMs: number };

export class Lately {
  #risk: RiskLimits;
  #replaced: readonly Replaced[] = [];

  constructor(risk: RiskLimits) {
    this.#risk = risk;
  }

  onSettings(risk: RiskLimits, nowMs: number): void {
    const before = { risk: this.#risk, atMs: nowMs };
    this.#replaced = [...this.#recent(nowMs), before];
    this.#risk = risk;
  }

  /** Each may be in force at this moment; what was written last is the first of them. */
  limits(nowMs: number): readonly RiskLimits[] {
    return [this.#risk, ...this.#recent(nowMs).map(({ risk }) => risk)];
  }

  #recent(nowMs: number): readonly Replaced[] {
    return this.#replaced.filter(({ atMs }) => nowMs - atMs < TAKEN_MS);
  }
}
