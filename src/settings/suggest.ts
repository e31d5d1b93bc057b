// Words for a key that is not in the schema: a near one, or why it does not belong there at all.

const SECRET_NAME = /secret|passphrase|password|api_?key|token|credential|private_?key|bearer/i;

/** Longest edit distance that still looks like a slip of the keyboard. */
const EDITS_MAX = 3;

/** What to say of an unknown key; its value is never shown, for it may be a credential. */
export function unknownKey(name: string, known: readonly string[]): string {
  if (SECRET_NAME.test(name)) {
    return (
      'is not a key: credentials never stand in this file; set VENUE_API_KEY, VENUE_API_SECRET and ' +
      'VENUE_API_PASSPHRASE, or VENUE_CREDENTIALS_FILE, and BOOKEND_CONTROL_TOKEN in the environment'
    );
  }
  const near = nearest(name, known);
  const hint = near === undefined ? `known keys are ${known.join(', ')}` : `did you mean ${near}?`;
  return `is not a key; ${hint}`;
}

/** The known word nearest to a misspelt one, or `undefined` when none is near. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  const ranked = known
    .map((candidate) => ({ candidate, edits: edits(word.toLowerCase(), candidate.toLowerCase()) }))
    .toSorted((a, b) => a.edits - b.edits);
  const best = ranked[0];
  if (best === undefined) return undefined;
  return best.edits <= Math.min(EDITS_MAX, best.candidate.length / 2) ? best.candidate : undefined;
}

/** Levenshtein distance, one row at a time. */
function edits(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let i = 0; i < Math.min(from.length, WORD_LENGTH_MAX); i += 1) {
    const next = [i + 1];
    for (let j = 0; j < to.length; j += 1) {
      const replaced = (row[j] ?? 0) + (from[i] === to[j] ? 0 : 1);
      next.push(Math.min(replaced, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    row = next;
  }
  return row[to.length] ?? 0;
}

/** A hostile key of a megabyte is not worth comparing. */
const WORD_LENGTH_MAX = 60;
