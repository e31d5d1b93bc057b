// Strategies that answer by promises, as a whole or within: `levels.map(async (level) => …)`.

/** Values inside one another that are looked at: the quotes of a market of an event, and what a memory holds. */
const DEPTH_MAX = 12;
/** Values of one answer that are looked at; what a strategy may want is less. */
const VALUES_MAX = 50_000;

/** A promise is no answer, as the core will say; one that fails later must not end the process. */
export function atOnce<Answer>(answer: Answer): Answer {
  let left = VALUES_MAX;
  const look = (value: unknown, depth: number): void => {
    left -= 1;
    if (typeof value !== 'object' || value === null) return;
    if (value instanceof Promise) value.catch(() => undefined);
    if (depth >= DEPTH_MAX) return;
    const parts: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
    for (const part of parts) {
      if (left <= 0) return;
      look(part, depth + 1);
    }
  };
  look(answer, 0);
  return answer;
}
