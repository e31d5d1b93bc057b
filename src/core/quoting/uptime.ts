// How long each side of a market had a live quote, since the start and in the last hour.

import type { UnixMs } from '../../domain/time.ts';
import type { AxisSide } from '../../strategy/index.ts';

const SLOT_MS = 60_000;
const SLOTS = 60;

type Track = { totalMs: number; readonly slotMs: Float64Array; isQuoted: boolean };

/** Parts of 1. */
export type Uptime = { readonly sinceStart: number; readonly lastHour: number };

/** Fixed memory: one number for each minute of the hour and side. */
export class UptimeMeter {
  readonly #tracks: Readonly<Record<AxisSide, Track>> = { bid: fresh(), ask: fresh() };
  #startMs: UnixMs | undefined;
  #atMs: UnixMs | undefined;

  /** The state of both sides from now on; what passed since the last call counts as it was. */
  set(isQuoted: Readonly<Record<AxisSide, boolean>>, nowMs: UnixMs): void {
    const { bid, ask } = this.#tracks;
    const isSame = bid.isQuoted === isQuoted.bid && ask.isQuoted === isQuoted.ask;
    // A stretch that goes on is summed up when it ends; whoever asks meanwhile counts it as open.
    if (isSame && this.#atMs !== undefined) return;
    this.#advance(nowMs);
    bid.isQuoted = isQuoted.bid;
    ask.isQuoted = isQuoted.ask;
  }

  of(side: AxisSide, nowMs: UnixMs): Uptime {
    const start = this.#startMs;
    const at = this.#atMs;
    if (start === undefined || at === undefined) return { sinceStart: 0, lastHour: 0 };
    const track = this.#tracks[side];
    const openMs = track.isQuoted ? Math.max(0, nowMs - at) : 0;
    const ageMs = Math.max(1, nowMs - start);
    // Slots are whole minutes, so the hour is up to a minute short of one.
    const hourMs = Math.min(ageMs, (SLOTS - 1) * SLOT_MS + (nowMs % SLOT_MS));
    const inHourMs = lastHourMs(track, at, nowMs) + openMs;
    return {
      sinceStart: Math.min(1, (track.totalMs + openMs) / ageMs),
      lastHour: Math.min(1, inHourMs / Math.max(1, hourMs)),
    };
  }

  #advance(nowMs: UnixMs): void {
    this.#startMs ??= nowMs;
    const from = this.#atMs ?? nowMs;
    this.#atMs = nowMs;
    for (const track of [this.#tracks.bid, this.#tracks.ask]) {
      if (track.isQuoted) track.totalMs += nowMs - from;
      fill(track, from, nowMs);
    }
  }
}

/** Adds a stretch to the minutes it touches; a minute that begins anew forgets the hour before. */
function fill(track: Track, fromMs: number, toMs: number): void {
  let at = Math.max(fromMs, toMs - SLOTS * SLOT_MS);
  if (Math.floor(at / SLOT_MS) === Math.floor(toMs / SLOT_MS)) {
    if (track.isQuoted) addTo(track, at, toMs - at);
    return;
  }
  while (at < toMs) {
    const end = Math.min(toMs, (Math.floor(at / SLOT_MS) + 1) * SLOT_MS);
    if (track.isQuoted) addTo(track, at, end - at);
    if (end < toMs || end % SLOT_MS === 0) track.slotMs[slotOf(end)] = 0;
    at = end;
  }
}

function addTo(track: Track, atMs: number, durationMs: number): void {
  const slot = slotOf(atMs);
  track.slotMs[slot] = (track.slotMs[slot] ?? 0) + durationMs;
}

function lastHourMs(track: Track, atMs: number, nowMs: number): number {
  let sum = 0;
  // Minutes since the last look have no sum yet: their slots still hold those of an hour before.
  const unseen = Math.floor(nowMs / SLOT_MS) - Math.floor(atMs / SLOT_MS);
  for (let back = Math.max(0, unseen); back < SLOTS; back += 1) {
    sum += track.slotMs[slotOf(nowMs - back * SLOT_MS)] ?? 0;
  }
  return sum;
}

function slotOf(atMs: number): number {
  return Math.floor(atMs / SLOT_MS) % SLOTS;
}

function fresh(): Track {
  return { totalMs: 0, slotMs: new Float64Array(SLOTS), isQuoted: false };
}
