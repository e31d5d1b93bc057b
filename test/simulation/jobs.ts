// Runs on several processors: each worker is a process of its own, and results come in the order in
// which the runs were asked for, however long each takes.

import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { type RunOptions, type RunResult, runSeed } from './run.ts';
import { type Counts, Tally } from './world/tally.ts';

/** What a worker is asked: a run that can be written down. */
export type Job = Omit<RunOptions, 'mutation' | 'trace'>;

/** What a worker answers. */
export type JobDone = {
  readonly result: Omit<RunResult, 'faults' | 'marks'>;
  readonly faults: Counts;
  readonly marks: Counts;
  /** Processor time of this run. */
  readonly cpuMs: number;
};

export type Finished = {
  readonly run: RunOptions;
  readonly result: RunResult;
  readonly cpuMs: number;
};

/** One run here, with the processor time it took. */
export async function timedRun(
  run: RunOptions,
): Promise<{ readonly result: RunResult; readonly cpuMs: number }> {
  const before = process.cpuUsage();
  const result = await runSeed(run);
  const { user, system } = process.cpuUsage(before);
  return { result, cpuMs: (user + system) / 1_000 };
}

/** @param jobs - Processes to run at once; one is this process itself. */
export async function* runAll(runs: readonly RunOptions[], jobs: number): AsyncGenerator<Finished> {
  if (jobs <= 1) {
    for (const run of runs) yield { run, ...(await timedRun(run)) };
    return;
  }
  const crew = new Crew(runs, Math.min(jobs, runs.length));
  try {
    for (const [index, run] of runs.entries()) {
      const { result, faults, marks, cpuMs } = await crew.answer(index);
      const tallies = { faults: Tally.from(faults), marks: Tally.from(marks) };
      yield { run, result: { ...result, ...tallies }, cpuMs };
    }
  } finally {
    crew.dismiss();
  }
}

class Crew {
  readonly #runs: readonly RunOptions[];
  readonly #answers: Promise<JobDone>[] = [];
  readonly #settle: ((done: JobDone | Error) => void)[] = [];
  readonly #workers: ChildProcess[] = [];
  #next = 0;

  constructor(runs: readonly RunOptions[], size: number) {
    this.#runs = runs;
    for (const [index] of runs.entries()) {
      const answer = new Promise<JobDone>((resolve, reject) => {
        this.#settle[index] = (done) => (done instanceof Error ? reject(done) : resolve(done));
      });
      // Heard when its turn comes; until then a failure is not unreported.
      answer.catch(() => undefined);
      this.#answers.push(answer);
    }
    for (let left = size; left > 0; left -= 1) void this.#employ();
  }

  answer(index: number): Promise<JobDone> {
    const answer = this.#answers[index];
    if (answer === undefined) throw new RangeError(`there is no run ${index}`);
    return answer;
  }

  dismiss(): void {
    for (const worker of this.#workers) worker.kill();
  }

  async #employ(): Promise<void> {
    const worker = fork(fileURLToPath(new URL('./worker.js', import.meta.url)), {
      serialization: 'advanced',
    });
    this.#workers.push(worker);
    while (this.#next < this.#runs.length) {
      const index = this.#next;
      this.#next += 1;
      const done = await answerOf(worker, this.#runs[index]);
      this.#settle[index]?.(done);
      if (done instanceof Error) return;
    }
    worker.disconnect();
  }
}

async function answerOf(
  worker: ChildProcess,
  run: RunOptions | undefined,
): Promise<JobDone | Error> {
  const { mutation: _, trace: __, ...job } = run ?? { seed: 0, profile: 'calm', hours: 0 };
  const ended = new AbortController();
  try {
    worker.send(job satisfies Job);
    const answer = once(worker, 'message', { signal: ended.signal });
    const death = once(worker, 'exit', { signal: ended.signal }).then(([code]) => {
      throw new Error(`the worker of seed ${job.seed} ${job.profile} ended with ${code}`);
    });
    const [done] = (await Promise.race([answer, death])) as [JobDone];
    return done;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  } finally {
    ended.abort();
  }
}
