// A short name for a value: the same value has the same name, and people can compare two at a glance.

const OFFSETS = [0x811c9dc5, 0x01234567] as const;
const PRIME = 0x01000193;

/**
 * Twelve hex digits of FNV-1a, twice with different beginnings, over the JSON text with keys in
 * order. It tells versions apart; it protects against nobody.
 */
export function shortHash(value: unknown): string {
  const text = JSON.stringify(ordered(value)) ?? '';
  return OFFSETS.map((offset) => fnv(text, offset))
    .join('')
    .slice(0, 12);
}

function fnv(text: string, offset: number): string {
  let hash = offset;
  for (let at = 0; at < text.length; at += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(at), PRIME);
  }
  return (hash >>> 0).toString(16).padStart(8, '0');
}

function ordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(ordered);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, inner]) => [key, ordered(inner)]));
}
