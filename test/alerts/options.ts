// What the command is asked.

import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import type { Fault } from './fault.ts';
import { FAULTS, FEW } from './faults.ts';

export type Options = {
  readonly faults: readonly Fault[];
  /** Of the clean day; none with 0. */
  readonly hours: number;
  readonly jobs: number;
  /** The expressions of the dashboards are asked too. */
  readonly pages: boolean;
  /** The samples stay, and it says where. */
  readonly keep: boolean;
};

const HOURS_MAX = 24;

/** @throws {Error} On a wrong option, with what would be right. */
export function readOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      few: { type: 'boolean', default: false },
      fault: { type: 'string', multiple: true },
      hours: { type: 'string' },
      jobs: { type: 'string', default: String(availableParallelism()) },
      keep: { type: 'boolean', default: false },
    },
  });
  const names = values.fault ?? (values.few ? FEW : undefined);
  return {
    faults: names === undefined ? FAULTS : names.map(faultOf),
    hours: wholeIn('--hours', values.hours ?? (values.few ? '1' : String(HOURS_MAX)), HOURS_MAX),
    jobs: Math.max(1, wholeIn('--jobs', values.jobs, 64)),
    // A part of the faults leaves a part of the series without a sample.
    pages: names === undefined,
    keep: values.keep,
  };
}

function faultOf(name: string): Fault {
  const fault = FAULTS.find((each) => each.name === name);
  if (fault !== undefined) return fault;
  const all = FAULTS.map((each) => each.name).join(', ');
  throw new Error(`--fault ${name}: there is no such fault; there are ${all}`);
}

function wholeIn(option: string, text: string, max: number): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value <= max) return value;
  throw new Error(`${option} ${text}: must be a whole number up to ${max}`);
}
