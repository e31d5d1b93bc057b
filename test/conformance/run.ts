// Runs cards one after another, and says what came of each.

import { CardFailure, type CardId, CodeAbsent, type Rest } from '../../src/cli/doctor/card.ts';
import { type AnywhereCard, type Bench, type Card, NEEDS } from './bench/bench.ts';
import { Lab } from './bench/lab.ts';
import type { Result } from './coverage.ts';

export type RunOptions = {
  /** Where cards of any venue run; without an account those that need one are skipped. */
  readonly bench: Omit<Bench, 'keys' | 'second'> & {
    readonly keys: Bench['keys'] | undefined;
    /** Without it cards in which two traders meet are skipped. */
    readonly second: Bench['second'] | undefined;
  };
  readonly isDestructive: boolean;
  /** Whether cards with powers of their own run here. */
  readonly hasLab: boolean;
  readonly onResult?: (card: Card, result: Result) => void;
};

/** No card may hold up the rest. */
const CARD_MS_MAX = 60_000;
/** Settlement and the index of positions take two minutes of a real venue. */
const SLOW_MS_MAX = 300_000;

export async function runCards(
  cards: readonly Card[],
  options: RunOptions,
): Promise<ReadonlyMap<CardId, Result>> {
  const results = new Map<CardId, Result>();
  for (const card of cards) {
    const result = await runCard(card, options);
    results.set(card.id, result);
    options.onResult?.(card, result);
  }
  return results;
}

/** Runs one card; it never throws. */
export async function runCard(card: Card, options: RunOptions): Promise<Result> {
  const reason = skipReason(card, options);
  if (reason !== undefined) return { kind: 'skipped', detail: reason };
  try {
    return { kind: 'passed', found: await inTime(start(card, options), msMaxOf(card)) };
  } catch (error) {
    if (error instanceof CodeAbsent && !options.hasLab && !(await namesCodes(options.bench.rest))) {
      return { kind: 'skipped', detail: NAMES_NO_CODES };
    }
    // A failed card says what it saw; anything else says where it came from too.
    const isVerdict = error instanceof CardFailure;
    const detail = error instanceof Error ? (isVerdict ? error.message : error.stack) : error;
    return { kind: 'failed', detail: String(detail), isVerdict };
  }
}

const NAMES_NO_CODES =
  'needs codes, and this venue names none: an older reference shows failures so';

/** Where another failure names its code, one without is a mistake, and no older venue. */
async function namesCodes(rest: Rest): Promise<boolean> {
  const { success, code } = await rest.get('/events/no-such-event');
  return success !== false || code !== undefined;
}

function skipReason(card: Card, options: RunOptions): string | undefined {
  if (card.kind === 'embedded') return options.hasLab ? undefined : `needs ${NEEDS[card.needs]}`;
  if (card.kind === 'destructive' && !options.isDestructive) return 'needs --destructive';
  if (card.needsSecond && options.bench.second === undefined) return 'needs a second account';
  return card.needsAccount && options.bench.keys === undefined ? 'needs credentials' : undefined;
}

async function start(card: Card, { bench }: RunOptions): Promise<string | undefined> {
  if (card.kind !== 'embedded') {
    return await runAnywhere(card, bench);
  }
  const lab = new Lab();
  try {
    return await card.run(lab);
  } finally {
    await lab.stop();
  }
}

async function runAnywhere(
  card: AnywhereCard,
  bench: RunOptions['bench'],
): Promise<string | undefined> {
  try {
    // Cards without an account never look at the keys.
    const second = bench.second ?? { rest: bench.rest, keys: NO_KEYS };
    return await card.run({ ...bench, keys: bench.keys ?? NO_KEYS, second });
  } finally {
    // Whatever a card found, it leaves nothing resting.
    if (card.kind === 'destructive') await bench.rest.delete('/orders');
    if (card.needsSecond) await bench.second?.rest.delete('/orders');
  }
}

const NO_KEYS = { apiKey: '', apiSecret: '', apiPassphrase: '' };

function msMaxOf(card: Card): number {
  return card.kind !== 'embedded' && card.isSlow ? SLOW_MS_MAX : CARD_MS_MAX;
}

async function inTime<Value>(work: Promise<Value>, msMax: number): Promise<Value> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const tooLate = () => reject(new CardFailure(`not done in ${msMax} ms`));
    timer = setTimeout(tooLate, msMax);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
