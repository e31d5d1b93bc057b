// The memories of strategies: small, checked, and kept over a reload. A journal takes and gives them.

import { asMemory, type Json, memoryFault } from '../../strategy/index.ts';

/** Markets and events with a memory; the oldest goes first. The settings allow 1,000 markets. */
const MEMORIES_MAX = 2_000;

/**
 * By strategy as the configuration names it and id of its market or event: another strategy starts
 * afresh, and modules of the same name in different folders share nothing.
 */
export class Memories {
  readonly #kept = new Map<string, Json>();

  of(strategy: string, id: string): Json | undefined {
    // A key is a text to be put together and hashed, and most strategies remember nothing.
    return this.#kept.size === 0 ? undefined : this.#kept.get(keyOf(strategy, id));
  }

  /** @returns What is wrong with it; the memory before it then stays. */
  keep(strategy: string, id: string, memory: Json): string | undefined {
    const key = keyOf(strategy, id);
    if (this.#kept.get(key) === memory) return undefined;
    const fault = memoryFault(memory);
    if (fault !== undefined) return fault;
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
    if (this.#kept.size <= MEMORIES_MAX) return;
    const oldest = this.#kept.keys().next().value;
    if (oldest !== undefined) this.#kept.delete(oldest);
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
