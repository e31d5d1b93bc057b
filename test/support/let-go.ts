// A pipe stands for a disk that hangs: whoever opens, reads or writes it waits in a thread of the pool. There are four
// of those in a process, which many test files share.

import {
  closeSync,
  constants,
  openSync,
  readSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const PARTS_MAX = 1_000;

/**
 * Lets go of whoever waits at a pipe; who comes later finds an empty file. It needs no thread of the pool, all of which
 * may be waiting, and waits for nobody itself: a write to a pipe that is full would never come back.
 * @param text - For a reader whose pipe somebody still holds open: it would wait on.
 */
export async function letGo(pipe: string, text = ''): Promise<void> {
  const fd = openSync(pipe, constants.O_RDWR | constants.O_NONBLOCK);
  rmSync(pipe);
  writeFileSync(pipe, '');
  if (text !== '') wouldWait(() => writeSync(fd, text));
  await sleep(50);
  const part = Buffer.alloc(65_536);
  for (let count = 0; count < PARTS_MAX; count += 1) {
    if (wouldWait(() => readSync(fd, part))) break;
    // Whoever waited for room writes on.
    await sleep(1);
  }
  closeSync(fd);
}

function wouldWait(act: () => number): boolean {
  try {
    act();
    return false;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return true;
    throw error;
  }
}
