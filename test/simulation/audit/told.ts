// Prices of the last while, and what the daemon was reported trades: it forgets them a little sooner or
// later than the world's clock says, and knows the newest of them a little later.

export type Range = { readonly low: number; readonly high: number };
export type Noted = { readonly price: number; readonly atMs: number };

/** A loaded machine lets what it was told wait for this long. */
const UNREAD_MS = 3_000;
/** So much later, and 8 s sooner or later by a clock that was set, a trade is forgotten. */
const EDGE_MS = 11_000;

export class ToldTrades<Key> {
  readonly #keptMs: number;
  readonly #trades = new Map<Key, Noted[]>();
  /** What was told before may be forgotten, and may not: of all of them, and of single ones. */
  #sureSinceMs = 0;
  readonly #sureOf = new Map<Key, number>();

  constructor(keptMs: number) {
    this.#keptMs = keptMs;
  }

  forget(): void {
    this.#trades.clear();
  }

  /** A market that the settings leave out and take back knows nothing of before; the others do. */
  doubt(nowMs: number): void {
    this.#sureSinceMs = nowMs;
  }

  /** One that changes its tick size begins anew, with the trades of before or without them. */
  doubtOf(market: Key, nowMs: number): void {
    this.#sureOf.set(market, nowMs);
  }

  onTold(market: Key, price: number, nowMs: number): void {
    note(this.#trades, market, { price, atMs: nowMs }, nowMs - this.#keptMs - EDGE_MS);
  }

  /** Of all that the daemon may remember, where there is one that it must. */
  range(market: Key, nowMs: number): Range | undefined {
    const told = this.#trades.get(market) ?? [];
    const sureSinceMs = Math.max(this.#sureSinceMs, this.#sureOf.get(market) ?? 0);
    const isKnown = told.some(({ atMs }) => {
      const ageMs = nowMs - atMs;
      const isInTime = ageMs >= UNREAD_MS && ageMs <= this.#keptMs - EDGE_MS;
      return isInTime && atMs >= sureSinceMs;
    });
    return isKnown ? rangeOf(told, nowMs - this.#keptMs - EDGE_MS) : undefined;
  }
}

/** Adds a price, and takes out those from before a time. */
export function note<Key>(
  all: Map<Key, Noted[]>,
  market: Key,
  noted: Noted,
  sinceMs: number,
): void {
  const known = all.get(market) ?? [];
  all.set(market, known);
  known.push(noted);
  while ((known[0]?.atMs ?? sinceMs) < sinceMs) known.shift();
}

export function rangeOf(noted: readonly Noted[] = [], sinceMs: number): Range | undefined {
  const prices = noted.filter(({ atMs }) => atMs >= sinceMs).map(({ price }) => price);
  if (prices.length === 0) return undefined;
  return { low: Math.min(...prices), high: Math.max(...prices) };
}
