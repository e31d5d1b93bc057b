// The stops of a ledger once more, in a small file beside it: what keeps quotes away, and what losses are measured
// from, outlive a ledger that is lost. Where the two differ, the stricter one holds.

import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { marketId } from '../../domain/ids.ts';
import type { LedgerRecord } from '../../domain/record.ts';
import {
  type ResumeRule,
  RISK_ACTIONS,
  type StoredBaselines,
  type StoredLatch,
  type StoredMarketStop,
} from '../../domain/risk.ts';
import { errorCode, writeWholeNow } from '../files.ts';
import { readHalt } from './rows.ts';
import { readBaselines, readLatches, readMarketStops, readPause } from './rows-risk.ts';
import { STOP_NAMES } from './stops.ts';

/** By the names that they have as facts of the ledger. */
const NAMES = [...STOP_NAMES, 'baselines'] as const;
type StopName = (typeof NAMES)[number];
/** In the words of the ledger; absent where nothing stops. */
export type StopTexts = Partial<Readonly<Record<StopName, string>>>;

/** What of an earlier run holds a later one back. */
export type Stops = {
  readonly halt: ReturnType<typeof readHalt>;
  readonly pause: ReturnType<typeof readPause>;
  readonly latches: readonly StoredLatch[];
  readonly marketStops: readonly StoredMarketStop[];
  readonly baselines: StoredBaselines | undefined;
};

const FILE = z.object({
  halt: z.string().optional(),
  pause: z.string().optional(),
  latches: z.string().optional(),
  marketStops: z.string().optional(),
  baselines: z.string().optional(),
});

export function stopsFile(journal: string): string {
  return `${journal}.stops`;
}

/** @throws {Error} When there is such a file and it cannot be read. */
export function readKeptStops(journal: string): Stops | undefined {
  let text: string;
  try {
    text = readFileSync(stopsFile(journal), 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
  const { halt, pause, latches, marketStops, baselines } = FILE.parse(JSON.parse(text));
  return {
    halt: readHalt(halt),
    pause: readPause(pause),
    latches: readLatches(latches ?? '[]'),
    marketStops: readMarketStops(marketStops),
    baselines: readBaselines(baselines),
  };
}

/** The file of a ledger that is open: written when a commit has changed what it says. */
export class KeptStops {
  readonly #journal: string;
  #written: string | undefined;

  constructor(journal: string) {
    this.#journal = journal;
  }

  static isAbout({ kind }: LedgerRecord): boolean {
    return NAMES.some((name) => name === kind);
  }

  /** On the disk when this returns. @throws {BotError} `journal.write` */
  write(texts: (name: StopName) => string | undefined): void {
    const facts = NAMES.map((name) => [name, texts(name)] as const);
    const text = JSON.stringify(Object.fromEntries(facts));
    if (text === this.#written) return;
    writeWholeNow(stopsFile(this.#journal), `${text}\n`);
    this.#written = text;
  }
}

/** Of what all markets earned before the ledger was lost; no venue has a market of that name. */
const BEFORE_LOSS = marketId('before-the-loss');

/**
 * What a ledger has to say whose flows are lost: profit begins at zero in it, and its baselines do not. What was
 * earned until then is kept as that of a market that left, so that every loss goes on from where it was.
 */
export function inLostLedger(stops: Stops): Stops {
  const { baselines } = stops;
  if (baselines === undefined) return stops;
  const earnedNano = baselines.left.reduce((sum, [, profitNano]) => sum + profitNano, 0);
  return { ...stops, baselines: { ...baselines, left: [[BEFORE_LOSS, earnedNano]] } };
}

/** Both together, each stop as strict as in the stricter one. */
export function stricterStops(one: Stops, other: Stops): Stops {
  return {
    halt: one.halt ?? other.halt,
    pause: one.pause ?? other.pause,
    latches: stricterLatches(one.latches, other.latches),
    marketStops: stricterMarketStops(one.marketStops, other.marketStops),
    baselines: stricterBaselines(one.baselines, other.baselines),
  };
}

/** As records that keep them. */
export function stopRecords(stops: Stops): readonly LedgerRecord[] {
  const { halt, pause, latches, marketStops, baselines } = stops;
  return [
    ...(halt === undefined ? [] : [{ kind: 'halt', halt } as const]),
    ...(pause === undefined ? [] : [{ kind: 'pause', pause } as const]),
    { kind: 'latches', latches },
    { kind: 'marketStops', stops: marketStops },
    ...(baselines === undefined ? [] : [{ kind: 'baselines', baselines } as const]),
  ];
}

function stricterLatches(
  one: readonly StoredLatch[],
  other: readonly StoredLatch[],
): readonly StoredLatch[] {
  const found = new Map(one.map((latch) => [keyOf(latch), latch]));
  for (const latch of other) {
    const known = found.get(keyOf(latch));
    if (known === undefined || isStricter(latch, known)) found.set(keyOf(latch), latch);
  }
  return [...found.values()];
}

/** Of two stops of one market the kill holds: it asks for more. */
function stricterMarketStops(
  one: readonly StoredMarketStop[],
  other: readonly StoredMarketStop[],
): readonly StoredMarketStop[] {
  const found = new Map(one.map((stop) => [stop.marketId, stop]));
  for (const stop of other) {
    if (found.get(stop.marketId)?.stop !== 'kill') found.set(stop.marketId, stop);
  }
  return [...found.values()];
}

function keyOf({ control, marketId }: StoredLatch): string {
  return `${control} ${marketId ?? ''}`;
}

const RESUMES: readonly ResumeRule['kind'][] = ['time', 'condition', 'operator'];

function isStricter(latch: StoredLatch, than: StoredLatch): boolean {
  const byLevel = RISK_ACTIONS.indexOf(latch.level) - RISK_ACTIONS.indexOf(than.level);
  if (byLevel !== 0) return byLevel > 0;
  return RESUMES.indexOf(latch.resumes.kind) > RESUMES.indexOf(than.resumes.kind);
}

/** A loss is what profit lacks to its baseline: the higher one makes more of it. */
function stricterBaselines(
  one: StoredBaselines | undefined,
  other: StoredBaselines | undefined,
): StoredBaselines | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  const later = other.day > one.day ? other : one;
  const isSameDay = one.day === other.day;
  return {
    ...later,
    sessionNano: Math.max(one.sessionNano, other.sessionNano),
    dayNano: isSameDay ? Math.max(one.dayNano, other.dayNano) : later.dayNano,
    peakNano: Math.max(one.peakNano, other.peakNano),
  };
}
