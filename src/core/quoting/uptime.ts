// Quoting uptime: how much of the time a side that the strategy wants quoted has an order resting, since the
// start and in the last hour, and how much time does not count, by cause.

import { CONTROLS } from '../../domain/risk.ts';
import type { UnixMs } from '../../domain/time.ts';
import { UPTIME_EXCLUSIONS, type UptimeExclusion, type UptimeView } from '../../domain/view.ts';
import type { AxisSide } from '../../strategy/index.ts';

/** `bare`: the strategy wants it quoted, nothing rests, and nothing excuses that. */
export type SideState = 'quoted' | 'bare' | UptimeExclusion;

const SLOT_MS = 60_000;
const SLOTS = 60;

/** Time that counts. */
type Counted = { quotedMs: number; bareMs: number };
type Track = {
  state: SideState;
  readonly total: Counted;
  readonly excludedMs: Record<UptimeExclusion, number>;
  readonly quotedSlots: Float64Array;
  readonly bareSlots: Float64Array;
};

/** Fixed memory: two numbers for each minute of the hour and side. */
export class UptimeMeter {
  readonly #tracks: Readonly<Record<AxisSide, Track>> = { bid: fresh(), ask: fresh() };
  #atMs: UnixMs | undefined;

  /** The state of both sides from now on; what passed since the last call counts as it was. */
  set(states: Readonly<Record<AxisSide, SideState>>, nowMs: UnixMs): void {
    const { bid, ask } = this.#tracks;
    const isSame = bid.state === states.bid && ask.state === states.ask;
    // A stretch that goes on is summed up when it ends; whoever asks meanwhile counts it as open.
    if (isSame && this.#atMs !== undefined) return;
    const from = this.#atMs ?? nowMs;
    for (const track of [bid, ask]) close(track, from, nowMs);
    this.#atMs = nowMs;
    bid.state = states.bid;
    ask.state = states.ask;
  }

  of(side: AxisSide, nowMs: UnixMs): UptimeView {
    const track = this.#tracks[side];
    const at = this.#atMs ?? nowMs;
    const openMs = Math.max(0, nowMs - at);
    const total = { ...track.total };
    const hour = lastHour(track, at, nowMs);
    const excludedMs = { ...track.excludedMs };
    // Slots are whole minutes, so the hour is up to a minute short of one.
    const hourMs = (SLOTS - 1) * SLOT_MS + (nowMs % SLOT_MS);
    addOpen(total, track.state, openMs);
    addOpen(hour, track.state, Math.min(openMs, hourMs));
    if (isExcluded(track.state)) excludedMs[track.state] += openMs;
    const countedMs = total.quotedMs + total.bareMs;
    return { sinceStart: ratioOf(total), lastHour: ratioOf(hour), countedMs, excludedMs };
  }
}

/** Books a stretch that has ended. */
function close(track: Track, fromMs: number, toMs: number): void {
  const { state } = track;
  if (isExcluded(state)) track.excludedMs[state] += toMs - fromMs;
  else addOpen(track.total, state, toMs - fromMs);
  fill(track, fromMs, toMs);
}

/** Adds a stretch to the minutes it touches; a minute that begins anew forgets the hour before. */
function fill(track: Track, fromMs: number, toMs: number): void {
  const { quotedSlots, bareSlots } = track;
  let at = Math.max(fromMs, toMs - SLOTS * SLOT_MS);
  if (minuteOf(at) === minuteOf(toMs)) {
    addTo(track, at, toMs - at);
    return;
  }
  while (at < toMs) {
    const end = Math.min(toMs, (minuteOf(at) + 1) * SLOT_MS);
    addTo(track, at, end - at);
    if (end < toMs || end % SLOT_MS === 0) {
      quotedSlots[slotOf(end)] = 0;
      bareSlots[slotOf(end)] = 0;
    }
    at = end;
  }
}

function addTo(track: Track, atMs: number, durationMs: number): void {
  if (isExcluded(track.state)) return;
  const slots = track.state === 'quoted' ? track.quotedSlots : track.bareSlots;
  const slot = slotOf(atMs);
  slots[slot] = (slots[slot] ?? 0) + durationMs;
}

function lastHour(track: Track, atMs: number, nowMs: number): Counted {
  const sum = { quotedMs: 0, bareMs: 0 };
  // Minutes since the last look have no sum yet: their slots still hold those of an hour before.
  const unseen = minuteOf(nowMs) - minuteOf(atMs);
  for (let back = Math.max(0, unseen); back < SLOTS; back += 1) {
    const slot = slotOf(nowMs - back * SLOT_MS);
    sum.quotedMs += track.quotedSlots[slot] ?? 0;
    sum.bareMs += track.bareSlots[slot] ?? 0;
  }
  return sum;
}

function addOpen(sum: Counted, state: SideState, durationMs: number): void {
  if (state === 'quoted') sum.quotedMs += durationMs;
  if (state === 'bare') sum.bareMs += durationMs;
}

/** Nothing that counts says nothing: neither that it was quoted nor that it was bare. */
function ratioOf({ quotedMs, bareMs }: Counted): number | undefined {
  const countedMs = quotedMs + bareMs;
  return countedMs === 0 ? undefined : quotedMs / countedMs;
}

function isExcluded(state: SideState): state is UptimeExclusion {
  return state !== 'quoted' && state !== 'bare';
}

function minuteOf(atMs: number): number {
  return Math.floor(atMs / SLOT_MS);
}

function slotOf(atMs: number): number {
  return minuteOf(atMs) % SLOTS;
}

function fresh(): Track {
  const [strategy, limit, operator, venue, market] = UPTIME_EXCLUSIONS;
  return {
    // Before its first look nothing has passed.
    state: 'bare',
    total: { quotedMs: 0, bareMs: 0 },
    excludedMs: { [strategy]: 0, [limit]: 0, [operator]: 0, [venue]: 0, [market]: 0 },
    quotedSlots: new Float64Array(SLOTS),
    bareSlots: new Float64Array(SLOTS),
  };
}

// What a side counts as in quoting uptime, by the reason that keeps it from being quoted. Doubt, own
// housekeeping and own caution count against it; what is named here does not.

/** Controls of what is not known: their stops are doubt, and count. */
const DOUBTS: ReadonlySet<string> = new Set([
  'position_uncertain',
  'order_divergence',
  'cash_divergence',
]);

const CAUSES: ReadonlyMap<string, UptimeExclusion> = new Map<string, UptimeExclusion>([
  ...CONTROLS.filter((control) => !DOUBTS.has(control)).map((code) => [code, 'limit'] as const),
  ['position_limit', 'limit'],
  ['event_loss_limit', 'limit'],
  ['insufficient_balance', 'limit'],
  ['halted', 'limit'],
  ['paused', 'operator'],
  ['killing', 'operator'],
  ['killed', 'operator'],
  ['stopping', 'operator'],
  ['stopped', 'operator'],
  ['operator_paused', 'operator'],
  ['operator_killed', 'operator'],
  ['not_configured', 'operator'],
  ['quiet_hours', 'operator'],
  ['news_window', 'operator'],
  ['socket_lost', 'venue'],
  ['user_channel_down', 'venue'],
]);

/** One side at the moment of a decision. */
type SideLook = {
  readonly isQuoted: boolean;
  /** Whether the strategy asked for it when it was last asked. */
  readonly isWanted: boolean;
  readonly isVenueAnswering: boolean;
  /** Code of what binds the side, `undefined` when it is quoted and nothing does. */
  readonly code: string | undefined;
};

/** @spec Architecture decision 12 */
export function sideStateOf({ isQuoted, isWanted, isVenueAnswering, code }: SideLook): SideState {
  if (!isVenueAnswering) return 'venue';
  const cause = code === undefined ? undefined : causeOf(code);
  if (cause !== undefined) return cause;
  if (!isWanted) return 'strategy';
  return isQuoted ? 'quoted' : 'bare';
}

function causeOf(code: string): UptimeExclusion | undefined {
  if (code.startsWith('max_')) return 'limit';
  if (code.startsWith('market_')) return 'market';
  return CAUSES.get(code);
}
