// A pipe stands for a disk that hangs: whoever opens or reads it waits in a thread of the pool. There are four of
// those in a process, which many test files share.

import { closeSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Lets go of whoever waits at a pipe; who comes later finds an empty file. It needs no thread of the pool: all of them
 * may be waiting.
 * @param text - For a reader whose pipe somebody still holds open: it would wait on.
 */
export async function letGo(pipe: string, text = ''): Promise<void> {
  const fd = openSync(pipe, 'r+');
  rmSync(pipe);
  writeFileSync(pipe, '');
  if (text !== '') writeSync(fd, text);
  await sleep(50);
  closeSync(fd);
}
