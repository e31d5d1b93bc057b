// The process that trades, as it is started below a guard.

import process from 'node:process';
import type { PartOptions } from '../guard/child.ts';
import { traderEnv } from './child-env.ts';
import { traderNodeArgs } from './node-args.ts';

/** @param args - The command of the trader and its options. */
export function traderPart(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): PartOptions {
  const nodeOptions = env['NODE_OPTIONS'];
  const nodeArgs = traderNodeArgs({ execArgv: process.execArgv, nodeOptions });
  return { args, env: traderEnv(env), nodeArgs, hasMarks: true };
}
