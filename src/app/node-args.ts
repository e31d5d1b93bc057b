// How Node itself is set up for a process that trades.

/**
 * Largest half of the young generation, in MB. A decision leaves little behind, and what it leaves is
 * dead at once; without a limit V8 lets this grow to 16 MB while there is memory, and keeps it.
 */
const YOUNG_MB = 2;
const YOUNG_OPTION = '--max-semi-space-size';

/**
 * Options of Node for a trader, beside those that its parent has; what an operator chose stays.
 * @param chosen - Options that this process was started with, and those of its environment.
 */
export function traderNodeArgs(chosen: {
  readonly execArgv: readonly string[];
  readonly nodeOptions: string | undefined;
}): readonly string[] {
  const all = [...chosen.execArgv, chosen.nodeOptions ?? ''];
  // Node takes either spelling.
  const isChosen = all.some((text) => text.replaceAll('_', '-').includes(YOUNG_OPTION));
  return isChosen ? [] : [`${YOUNG_OPTION}=${YOUNG_MB}`];
}
