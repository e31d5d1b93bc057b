// What a reload does to the parameters of running strategies: most count from the next decision on,
// some move quotes at once, and some wait for a restart.

import type { CoreSettings, MarketChoice } from '../../domain/input.ts';
import type { ParamChange } from '../../domain/preview.ts';
import {
  asMemory,
  type Json,
  memoryFault,
  type ParamApplies,
  type Strategy,
} from '../../strategy/index.ts';

export type Reloaded = {
  readonly settings: CoreSettings;
  /** Every parameter that differs from the running one, with when it counts. */
  readonly changes: readonly ParamChange[];
  /** Choices of which a parameter of the kind `now` has changed. */
  readonly movesAtOnce: ReadonlySet<MarketChoice>;
  /** Names of parameters that differ in the file and wait for a restart, by choice. */
  readonly pending: ReadonlyMap<MarketChoice, readonly string[]>;
};

/**
 * The settings that run after a reload. A parameter that needs a restart keeps its running value for
 * as long as its market keeps its strategy.
 */
export function reloaded(
  before: CoreSettings | undefined,
  next: CoreSettings,
  strategies: ReadonlyMap<string, Strategy>,
): Reloaded {
  const changes: ParamChange[] = [];
  const movesAtOnce = new Set<MarketChoice>();
  const pending = new Map<MarketChoice, readonly string[]>();
  const markets = next.markets.map((choice) => {
    const running = before?.markets.find((each) => isSame(each, choice));
    const strategy = strategies.get(choice.strategy);
    if (running === undefined || strategy === undefined) return choice;
    const changed = changesOf(running, choice, strategy);
    changes.push(...changed);
    const held = changed.flatMap(({ name, applies }) => (applies === 'restart' ? [name] : []));
    const kept = held.length === 0 ? choice : withHeld(choice, running, held);
    if (held.length > 0) pending.set(kept, held);
    if (changed.some(({ applies }) => applies === 'now')) movesAtOnce.add(kept);
    return kept;
  });
  return { settings: { ...next, markets }, changes, movesAtOnce, pending };
}

function changesOf(
  running: MarketChoice,
  { event, market, strategy: named, params }: MarketChoice,
  strategy: Strategy,
): readonly ParamChange[] {
  const names = Object.keys(params).filter(
    (name) => JSON.stringify(running.params[name]) !== JSON.stringify(params[name]),
  );
  return names.map((name) => ({
    event,
    market,
    strategy: named,
    name,
    before: running.params[name],
    after: params[name],
    applies: appliesOf(strategy, name),
  }));
}

function isSame(one: MarketChoice, other: MarketChoice): boolean {
  return (
    one.event === other.event && one.market === other.market && one.strategy === other.strategy
  );
}

function withHeld(
  choice: MarketChoice,
  running: MarketChoice,
  held: readonly string[],
): MarketChoice {
  const old = Object.fromEntries(held.map((name) => [name, running.params[name]]));
  return { ...choice, params: { ...choice.params, ...old } };
}

/** The same for every parameter that the strategy declares. */
export function appliesByName(strategy: Strategy): Readonly<Record<string, ParamApplies>> {
  const names = Object.keys(strategy.params);
  return Object.fromEntries(names.map((name) => [name, appliesOf(strategy, name)]));
}

/** When a changed parameter counts; at the next decision unless the strategy says otherwise. */
function appliesOf(strategy: Strategy, name: string): ParamApplies {
  const spec: unknown = Reflect.get(Object(strategy.params), name);
  if (typeof spec !== 'object' || spec === null || !('applies' in spec)) return 'requote';
  return spec.applies === 'now' || spec.applies === 'restart' ? spec.applies : 'requote';
}

// The memories of strategies: small, checked, and kept over a reload. A journal takes and gives them.

/**
 * Markets and events with a memory. The settings allow 1,000 markets; beyond this, what was asked for longest ago goes
 * for what is new. An older ledger may have more: which of them are of now, only their markets say.
 */
const MEMORIES_MAX = 2_000;

/**
 * By strategy as the configuration names it and id of its market or event: another strategy starts
 * afresh, and modules of the same name in different folders share nothing.
 */
export class Memories {
  readonly #kept = new Map<string, Json>();

  of(strategy: string, id: string): Json | undefined {
    // A key is a text to be put together and hashed, and most strategies remember nothing.
    if (this.#kept.size === 0) return undefined;
    const key = keyOf(strategy, id);
    const memory = this.#kept.get(key);
    if (memory !== undefined && this.#kept.size >= MEMORIES_MAX) this.#put(key, memory);
    return memory;
  }

  /** @returns What is wrong with it; the memory before it then stays. */
  keep(strategy: string, id: string, memory: Json): string | undefined {
    const key = keyOf(strategy, id);
    if (this.#kept.get(key) === memory) return undefined;
    const fault = memoryFault(memory);
    if (fault !== undefined) return fault;
    const [oldest] = this.#kept.keys();
    const isFull = this.#kept.size >= MEMORIES_MAX && !this.#kept.has(key);
    if (isFull && oldest !== undefined) this.#kept.delete(oldest);
    this.#put(key, copied(memory));
    return undefined;
  }

  /** Everything, for a journal. */
  all(): Readonly<Record<string, Json>> {
    return Object.fromEntries(this.#kept);
  }

  /** Takes over what a journal kept; what is not a memory any more is left out. */
  load(stored: Readonly<Record<string, unknown>>): void {
    for (const [key, value] of Object.entries(stored)) {
      const memory = asMemory(value);
      if (memory !== undefined) this.#put(key, copied(memory));
    }
  }

  #put(key: string, memory: Json): void {
    this.#kept.delete(key);
    this.#kept.set(key, memory);
  }
}

function keyOf(strategy: string, id: string): string {
  return `${strategy}@${id}`;
}

/** A frozen copy: neither a strategy that keeps its object nor a reader can change what is kept. */
function copied(memory: Json): Json {
  if (typeof memory !== 'object') return memory;
  if (isList(memory)) return Object.freeze(memory.map(copied));
  const parts: [string, Json][] = [];
  for (const [key, value] of Object.entries(memory)) {
    if (value !== undefined) parts.push([key, copied(value)]);
  }
  return Object.freeze(Object.fromEntries(parts));
}

function isList(memory: Json): memory is readonly Json[] {
  return Array.isArray(memory);
}
