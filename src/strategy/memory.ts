// A strategy's own small memory: plain JSON that the core keeps between calls, over a reload of the
// settings and over a restart. What comes back may be of an older version of the strategy, so it is
// read field by field and never trusted.

export type Json =
  | string
  | number
  | boolean
  | readonly Json[]
  | { readonly [key: string]: Json | undefined };

/** Characters of the JSON text: it is written with every journal entry and copied at each reload. */
export const MEMORY_CHARS_MAX = 4_096;
/** Values inside one another; deeper is a mistake and could overflow the walk that checks it. */
const MEMORY_DEPTH_MAX = 8;

/** A number the memory holds under a key, or the fallback: never NaN, never infinite. */
export function rememberedNumber(memory: Json | undefined, key: string, fallback: number): number {
  const value = rememberedField(memory, key);
  return typeof value === 'number' && Number.isFinite(value) ? value : fallback;
}

/** Whatever the memory holds under a key, `undefined` when it is no map or lacks the key. */
export function rememberedField(memory: Json | undefined, key: string): Json | undefined {
  if (typeof memory !== 'object' || isList(memory)) return undefined;
  return Object.hasOwn(memory, key) ? memory[key] : undefined;
}

/** A list of finite numbers under a key, empty for anything else. */
export function rememberedNumbers(memory: Json | undefined, key: string): readonly number[] {
  const value = rememberedField(memory, key);
  if (value === undefined || !isList(value)) return [];
  const numbers = value.filter((each) => typeof each === 'number');
  return numbers.length === value.length && numbers.every(Number.isFinite) ? numbers : [];
}

/** What is wrong with a memory, `undefined` when it may be kept. */
export function memoryFault(memory: unknown): string | undefined {
  const fault = valueFault(memory, 0);
  if (fault !== undefined) return `the memory holds ${fault}`;
  const length = JSON.stringify(memory).length;
  if (length <= MEMORY_CHARS_MAX) return undefined;
  return `the memory has ${length} characters, at most ${MEMORY_CHARS_MAX} are kept`;
}

/** A value that may be kept, or nothing: what a journal gave back is checked like any other. */
export function asMemory(stored: unknown): Json | undefined {
  return isMemory(stored) ? stored : undefined;
}

function isMemory(value: unknown): value is Json {
  return value !== undefined && memoryFault(value) === undefined;
}

function valueFault(value: unknown, depth: number): string | undefined {
  if (depth > MEMORY_DEPTH_MAX) return `more than ${MEMORY_DEPTH_MAX} values inside one another`;
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return undefined;
    case 'number':
      return Number.isFinite(value) ? undefined : `the number ${value}`;
    case 'object':
      return value === null ? 'null' : partsFault(value, depth);
    default:
      return `a ${typeof value}`;
  }
}

function partsFault(value: object, depth: number): string | undefined {
  const prototype: unknown = Object.getPrototypeOf(value);
  const isPlain = Array.isArray(value) || prototype === Object.prototype || prototype === null;
  if (!isPlain) return 'an object of a class';
  for (const part of Object.values(value)) {
    if (part === undefined && !Array.isArray(value)) continue;
    const fault = valueFault(part, depth + 1);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}
