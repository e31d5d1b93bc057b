// What will go wrong when, drawn from the seed before anything runs: so that a failing run can be
// repeated with fewer troubles, and the rest of them stay where they were.

import { type Random, seededRandom } from '../../src/paper/crowd/random.ts';
import {
  EPISODE_SEC,
  type EpisodeKind,
  PROFILES,
  type ProfileName,
  type Rates,
  type TroubleKind,
} from './profiles.ts';

export type Trouble = {
  readonly kind: TroubleKind;
  readonly atMs: number;
  /** Zero for what happens at once. */
  readonly durationMs: number;
  /** 0 to 1: how hard it strikes. */
  readonly strength: number;
  /** Names the stream that this trouble draws its details from. */
  readonly name: string;
};

export type Plan = readonly Trouble[];

/** The world is left alone at first, so that every run starts to trade. */
const QUIET_START_MS = 15_000;

export function drawPlan(seed: number, profile: ProfileName, durationMs: number): Plan {
  const random = seededRandom(`${seed}/plan/${profile}`);
  const rates: Rates = PROFILES[profile];
  const troubles: Trouble[] = [];
  for (const [kind, perHour] of Object.entries(rates)) {
    if (isKind(kind)) troubles.push(...drawKind(kind, { perHour, durationMs }, random.split(kind)));
  }
  return troubles.sort((a, b) => a.atMs - b.atMs);
}

export function describeTrouble(trouble: Trouble): string {
  const at = (trouble.atMs / 1_000).toFixed(1).padStart(8);
  const lasts = trouble.durationMs > 0 ? ` for ${(trouble.durationMs / 1_000).toFixed(1)} s` : '';
  return `${at} s  ${trouble.kind}${lasts}, strength ${trouble.strength.toFixed(2)}`;
}

export function isEpisode(kind: TroubleKind): kind is EpisodeKind {
  return Object.hasOwn(EPISODE_SEC, kind);
}

function drawKind(
  kind: TroubleKind,
  pace: { readonly perHour: number; readonly durationMs: number },
  random: Random,
): Trouble[] {
  const found: Trouble[] = [];
  const meanGapMs = 3_600_000 / pace.perHour;
  let atMs = QUIET_START_MS + random.exponential(meanGapMs);
  for (let count = 0; atMs < pace.durationMs; count += 1) {
    const strength = 0.15 + 0.85 * random.uniform();
    const lengthMs = isEpisode(kind) ? random.exponential(EPISODE_SEC[kind] * 1_000) : 0;
    const durationMs = Math.round(Math.min(lengthMs, 120_000));
    found.push({ kind, atMs: Math.round(atMs), durationMs, strength, name: `${kind}/${count}` });
    atMs += random.exponential(meanGapMs);
  }
  return found;
}

function isKind(text: string): text is TroubleKind {
  return text.length > 0;
}
