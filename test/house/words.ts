// The words of the project: what the field calls a thing, and what bookend called it once. Identifiers count by
// their parts, so that `noteStranger` and `stranger-cancels.ts` both have a stranger in them.

/** A word or phrase that is not to be used, and what to say instead. Phrases are in lower case, a space between words. */
export const NOT_BUT: ReadonlyMap<string, string> = new Map([
  ...rows(['life', 'lives'], 'run, previous run'),
  ...rows(['taken up', 'restored life'], 'recovery, persisted state'),
  ...rows(['told of', 'heard of', 'unheard', 'nobody said', 'nobody told'], 'reported, unreported'),
  ...rows(['match that waits', 'matches that wait', 'takings'], 'fill, pending settlement'),
  ...rows(['diverged'], 'inferred fill'),
  ...rows(
    ['prove', 'proves', 'proved', 'proven', 'unproven', 'doubted'],
    'reconciled, confirmed, unconfirmed',
  ),
  ...rows(['believe', 'believes', 'believed'], 'confirm'),
  ...rows(['surprise', 'surprises', 'unexplained cash'], 'cash break'),
  ...rows(['hold sign', 'hold signs', 'hold witness'], 'locked balance'),
  ...rows(['stranger', 'strangers', 'foreign', 'orphan', 'orphans'], 'external order'),
  ...rows(['on its way', 'on their way', 'awaited'], 'in flight'),
  ...rows(['overdue'], 'past deadline'),
  ...rows(['known hashes', 'named among'], 'order id cache'),
  ...rows(['twin', 'twins', 'perhaps ours'], 'possible duplicate'),
  ...rows(['altered', 'answered otherwise'], 'restated'),
  ...rows(['refused in prose'], 'reject without a code'),
  ...rows(['failed match', 'failed matches', 'unfit failure', 'unfit failures'], 'trade bust'),
  ...rows(['reinstated'], 'order restored'),
  ...rows(['barrier', 'barriers'], 'mass cancel'),
  ...rows(['wish', 'wishes', 'wished'], 'target quotes'),
  ...rows(['cancels due'], 'orders to cancel'),
  ...rows(['overlay guard', 'overlay guards'], 'quote filter'),
  ...rows(['ghost', 'ghosts'], 'stale own size'),
  ...rows(['canary', 'canaries'], 'own-order audit'),
  ...rows(['heal', 'heals', 'healed', 'healing'], 'resync'),
  ...rows(['torn'], 'partial update'),
  ...rows(['rhythm', 'rhythms', 'habit', 'habits'], 'activity baseline'),
  ...rows(['agenda'], 'timer queue, dirty set, work queue'),
  ...rows(['departures', 'arrivals'], 'command dispatcher, in-flight tracker'),
  ...rows(['keeper'], 'journal writer'),
  ...rows(['would cross', 'would meet own'], 'post-only would cross, self match'),
]);
// Left out, since they are everyday English or have a right use beside the wrong one: held, holds, ended, gone, shown,
// sending, cancelling, refused, sweep, guard (a configuration key), widen, stop-adding and killed (its values), and
// news, which a calendar of the configuration holds.
// `World` is what the backtest and the simulation call theirs; the core has stores.

function rows(words: readonly string[], instead: string): readonly (readonly [string, string])[] {
  return words.map((word) => [word, instead] as const);
}

/**
 * Folders that are counted as a whole: files move and split in them these days, and a file that moved is not new.
 * Any other file counts for itself, and one that is not in the data file starts at zero.
 */
export const COUNTED_WHOLE: readonly string[] = ['src/core', 'test/unit/core', 'test/simulation'];

/** What a file counts for: itself, or its folder. */
export function placeOf(path: string): string {
  return COUNTED_WHOLE.find((folder) => path.startsWith(`${folder}/`)) ?? path;
}

export type WordUse = { readonly word: string; readonly line: number };

/** Every use of a word of the list in a text, and in its name. */
export function wordUses(path: string, text: string): readonly WordUse[] {
  const named = uses(path, 0);
  return [...named, ...text.split('\n').flatMap((line, index) => uses(line, index + 1))];
}

function uses(text: string, line: number): readonly WordUse[] {
  const counted = plainWords(text).replaceAll('half life', 'halving');
  return [...counted.matchAll(PATTERN)].map(([, word]) => ({ word: String(word), line }));
}

/** `mayRest_AGAIN` is `may rest again`. */
function plainWords(text: string): string {
  const apart = text.replace(/([a-z\d])([A-Z])/g, '$1 $2').replace(/([A-Z])([A-Z][a-z])/g, '$1 $2');
  return apart.replace(/[^A-Za-z]+/g, ' ').toLowerCase();
}

const LONGEST_FIRST = [...NOT_BUT.keys()].sort((a, b) => b.length - a.length);
const PATTERN = new RegExp(`\\b(${LONGEST_FIRST.join('|')})\\b`, 'g');
