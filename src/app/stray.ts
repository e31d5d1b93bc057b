// Errors that nobody caught and that are not ours: a strategy that says something to somebody, `void fetch(…)`, or asks by
// a timer of its own. What trades has no part in them, and each start would only end by them again.

/** The folder of this program, compiled or as source; strategies lie beside it or anywhere. */
const PROGRAM = new URL('..', import.meta.url).href;
/** Packages as a build bundles them: the `fetch` of Node, too, goes by the `undici` among them. */
const PACKAGES = `${PROGRAM}packages/`;

/**
 * Whether it ends the process. A promise is ours where nobody else has a part in it: what a strategy began stays its own,
 * whoever asked the strategy. What is thrown is ours unless we had no part in it at all.
 */
export function isOurs(error: unknown, how: 'rejected' | 'thrown'): boolean {
  const files = error instanceof Error ? filesOf(error) : [];
  const isOfProgram = files.some((file) => file.startsWith(PROGRAM));
  const isOfOthers = files.some((file) => !file.startsWith(PROGRAM));
  return how === 'rejected' ? isOfProgram && !isOfOthers : isOfProgram || !isOfOthers;
}

/** Where it came from, but for Node itself and libraries, which run for whoever called them. */
function filesOf({ stack = '' }: Error): readonly string[] {
  const frames = stack.split('\n').filter((line) => line.trimStart().startsWith('at '));
  // `at step (file:///home/x/quotes.js:3:9)`, or without the name of a function and its brackets.
  const places = frames.map((frame) =>
    frame.slice(frame.lastIndexOf(frame.endsWith(')') ? '(' : ' ') + 1),
  );
  const files = places.map((place) => (place.startsWith('/') ? `file://${place}` : place));
  return files.filter((file) => {
    const isInstalled = file.includes('/node_modules/') && !file.startsWith(PROGRAM);
    return file.startsWith('file://') && !isInstalled && !file.startsWith(PACKAGES);
  });
}
