// Replays on several processors: the longest first, each worker a process of its own.

import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Done, Job } from './worker.ts';

export async function replayAll(jobs: readonly Job[], workers: number): Promise<void> {
  const waiting = [...jobs].sort((one, other) => other.minutes - one.minutes);
  const crew = Array.from({ length: Math.min(workers, jobs.length) }, () =>
    fork(fileURLToPath(new URL('./worker.js', import.meta.url))),
  );
  try {
    await Promise.all(crew.map((worker) => workOff(worker, waiting)));
  } finally {
    for (const worker of crew) worker.kill();
  }
}

async function workOff(worker: ChildProcess, waiting: Job[]): Promise<void> {
  for (let job = waiting.shift(); job !== undefined; job = waiting.shift()) {
    const { name } = job;
    const ended = new AbortController();
    const died = once(worker, 'exit', { signal: ended.signal }).then(([code]) => {
      throw new Error(`${name}: the worker ended with ${code}`);
    });
    died.catch(() => undefined);
    const answered = once(worker, 'message', { signal: ended.signal });
    worker.send(job);
    const [done] = (await Promise.race([answered, died])) as [Done];
    ended.abort();
    if (done.error !== undefined) throw new Error(`${name}: ${done.error}`);
  }
}
