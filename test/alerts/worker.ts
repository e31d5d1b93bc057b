// A process that replays what it is sent, one after another, until nobody sends any more.

import { widenNursery } from '../simulation/nursery.ts';
import { FAULTS } from './faults.ts';
import { type Replay, replay } from './replay.ts';

/** The name of a fault, or that of the clean day. */
export type Job = Replay & { readonly name: string };
export type Done = { readonly name: string; readonly error?: string };

widenNursery();

process.on('message', (job: Job) => void work(job));

async function work({ name, ...how }: Job): Promise<void> {
  const done: Done = await replay(
    FAULTS.find((fault) => fault.name === name),
    how,
  ).then(
    () => ({ name }),
    (error: unknown) => ({ name, error: error instanceof Error ? String(error.stack) : 'unknown' }),
  );
  process.send?.(done);
}
