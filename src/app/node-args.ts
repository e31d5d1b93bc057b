// How Node itself is set up for the processes of a daemon.

import process from 'node:process';

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

/** Texts of a state of ten thousand markets, twice. */
const SERVER_ARGS = ['--max-old-space-size=256', '--max-semi-space-size=4'];

/**
 * Options of Node for the process that serves HTTP. Where the version has them, its rights end at what it does:
 * it reads its program, the configuration and past days, in threads of its own, and writes in the folder of its socket
 * alone. It starts no process, loads no native code and opens no inspector, whoever got into it.
 *
 * @param rights - What it may read, and the folder in which its socket for the trader stands; absent where that is no file.
 */
export function serverNodeArgs(
  { folder, reads }: { readonly folder: string | undefined; readonly reads: readonly string[] },
  known: ReadonlySet<string> = process.allowedNodeEnvironmentFlags,
): readonly string[] {
  if (!known.has('--permission')) return SERVER_ARGS;
  const own = folder === undefined ? [] : [folder, `${folder}/*`];
  return [
    ...SERVER_ARGS,
    ...['--permission', '--allow-worker', '--disable-warning=SecurityWarning'],
    ...[...own, ...reads].map((path) => `--allow-fs-read=${path}`),
    ...own.map((path) => `--allow-fs-write=${path}`),
    ...['--allow-net'].filter((flag) => known.has(flag)),
  ];
}
