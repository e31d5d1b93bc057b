// Errors that nobody caught and that are not ours: a strategy that says something to somebody, `void fetch(…)`, or asks by
// a timer of its own. What trades has no part in them, and each start would only end by them again.

import { pathToFileURL } from 'node:url';

/** The folder of this program, compiled or as source; strategies lie beside it or anywhere. */
const PROGRAM = new URL('..', import.meta.url).href;

/**
 * Whether it ends the process. A promise is ours where nobody else has a part in it: what a strategy began stays its own,
 * whoever asked the strategy. What is thrown is ours unless we had no part in it at all; where Node alone threw it, one
 * that an emitter told to nobody has interrupted nothing of ours.
 */
export function isOurs(error: unknown, how: 'rejected' | 'thrown', program = PROGRAM): boolean {
  // Of a build, where its source maps lead: Node may have been told to go by them (`--enable-source-maps`).
  const sources = program.replace(/dist\/src\/$/, 'src/');
  const isProgram = (file: string) => file.startsWith(program) || file.startsWith(sources);
  const files = error instanceof Error ? filesOf(error) : [];
  const ours = files.filter((file) => isProgram(file) && !file.startsWith(`${program}${PACKAGES}`));
  const others = files.filter((file) => !isProgram(file) && !file.includes('/node_modules/'));
  const [isOfProgram, isOfOthers] = [ours.length > 0, others.length > 0];
  if (how === 'rejected') return isOfProgram && !isOfOthers;
  // A library that a strategy has brought with it: ours are bundled, and stand in a folder of ours before that.
  const own = sources.replace(/src\/$/, 'node_modules/');
  const isBrought = files.some((file) => !isProgram(file) && !file.startsWith(own));
  return isOfProgram || !(isBrought || isToldToNobody(error));
}

/** Node leaves this on an error of an emitter without a listener, as of a socket. */
const TOLD_TO_NOBODY = 'kEnhanceStackBeforeInspector';

function isToldToNobody(error: unknown): boolean {
  const marks = error instanceof Error ? Object.getOwnPropertySymbols(error) : [];
  return marks.some(({ description }) => description === TOLD_TO_NOBODY);
}

/** As a build bundles them: the `fetch` of Node, too, goes by the `undici` among them. Libraries run for whoever called. */
const PACKAGES = 'packages/';

/** `at step (file:///home/x/quotes.js:3:9)`, without the name of a function, or with a path; a folder may be `bookend (1)`. */
const PLACE = /file:\/\/|(?<=[ (])\//;

/** Where it came from, but for Node itself. */
function filesOf({ stack = '' }: Error): readonly string[] {
  const frames = stack.split('\n').filter((line) => line.trimStart().startsWith('at '));
  const places = frames.flatMap((frame) => {
    const from = frame.search(PLACE);
    return from === -1 ? [] : [frame.slice(from)];
  });
  return places.map((place) => (place.startsWith('/') ? pathToFileURL(place).href : place));
}
