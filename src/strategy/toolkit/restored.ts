// A state of an estimator as memory gave it back: perhaps written by an older version, so that its
// shape is checked before it is believed.

/**
 * The stored state when it has the shape of a sample, otherwise `undefined`: the same keys, kinds of
 * values and lengths of lists, and only finite numbers. Keys that are `undefined` in the sample may
 * hold anything or nothing; read those (and lists that grow) one by one.
 *
 * @param sample - A new state of the same settings, such as `newMicroPriceCounts(shape)`.
 */
export function restored<State>(stored: unknown, sample: State): State | undefined {
  return isLike(stored, sample) ? stored : undefined;
}

function isLike<State>(stored: unknown, sample: State): stored is State {
  if (typeof sample === 'number') return typeof stored === 'number' && Number.isFinite(stored);
  if (typeof sample !== 'object' || sample === null) return typeof stored === typeof sample;
  if (typeof stored !== 'object' || stored === null) return false;
  if (Array.isArray(sample) !== Array.isArray(stored)) return false;
  if (Array.isArray(sample) && Array.isArray(stored) && sample.length !== stored.length) {
    return false;
  }
  const parts = new Map(Object.entries(stored));
  return Object.entries(sample)
    .filter(([, part]) => part !== undefined)
    .every(([key, part]) => isLike(parts.get(key), part));
}
