// Cards in this process, against embedded venues.

import { Lab } from '../bench/lab.ts';
import { bePatientFor } from '../bench/patience.ts';
import { startedBench } from '../bench/start.ts';
import { CARDS } from '../cards.ts';
import { runCard } from '../run.ts';

export type Failed = {
  readonly card: string;
  readonly detail: string;
  /** The card said so; anything else is code that threw, which gives itself away. */
  readonly isVerdict: boolean;
};

/** Where a card waits for what a breakage keeps away, nobody waits with it for long. */
const PATIENCE_MS = 6_000;

/** Runs cards one by one. @returns Those that failed. */
export async function runHere(only: readonly string[]): Promise<readonly Failed[]> {
  bePatientFor(PATIENCE_MS);
  const lab = new Lab();
  const failed: Failed[] = [];
  try {
    const bench = await startedBench(lab);
    for (const card of CARDS.filter(({ id }) => only.includes(id))) {
      const result = await runCard(card, { bench, isDestructive: true, hasLab: true });
      if (result.kind !== 'failed') continue;
      failed.push({ card: card.id, detail: result.detail, isVerdict: result.isVerdict });
    }
  } catch (error) {
    failed.push({ card: 'start', detail: String(error), isVerdict: false });
  } finally {
    await lab.stop();
  }
  return failed;
}
