// A process that runs what it is sent, one run after another, until nobody sends any more.

import { type Job, type JobDone, timedRun } from './jobs.ts';
import { widenNursery } from './nursery.ts';

widenNursery();

process.on('message', (job: Job) => void work(job));

async function work(job: Job): Promise<void> {
  const { result, cpuMs } = await timedRun(job);
  const { faults, marks, ...rest } = result;
  const done: JobDone = { result: rest, faults: faults.entries(), marks: marks.entries(), cpuMs };
  process.send?.(done);
}
