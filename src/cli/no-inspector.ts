// Node opens its inspector by SIGUSR1: whoever may send one could change what is quoted, and read secrets.

import process from 'node:process';

/** What a developer asks Node for, by any of its names. */
const ASKED_FOR = /(?:^|\s)--inspect(?:-brk|-wait)?(?:[=\s]|$)/;

/** From here on the signal means nothing. */
export function refuseInspector(): void {
  process.on('SIGUSR1', () => {});
  closeInspector();
}

/**
 * Takes back what a signal has opened while this program was loading, before anybody listened for it. Node opens it
 * in the middle of whatever runs, and once more when its event loop turns, should it have been closed by then.
 */
export async function closeInspectorForGood(): Promise<void> {
  await new Promise((turned) => setImmediate(turned));
  closeInspector();
  // A thread of its own takes the signal: on a busy machine it may get its turn later than we do.
  setTimeout(closeInspector, LATE_MS).unref();
}

const LATE_MS = 1_000;

function closeInspector(): void {
  const asked = [...process.execArgv, process.env['NODE_OPTIONS'] ?? ''].join(' ');
  if (ASKED_FOR.test(asked)) return;
  // A Node that was built without one has no such module.
  const inspector = process.getBuiltinModule('node:inspector');
  if (inspector?.url() !== undefined) inspector.close();
}
