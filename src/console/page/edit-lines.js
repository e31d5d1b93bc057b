// What a change of the configuration would do, or what speaks against it, as lines for people.

/** @typedef {{ path: string, before?: unknown, after?: unknown }} Change */
/** @typedef {{ price: string, quantity: string }} Level */
/** @typedef {{ unchanged: Level[], changed: Level[], held: (Level & { limit: string })[], moves: boolean, cancels: number, places: number }} Side */
/** @typedef {{ title: string, eventSlug: string, blocked?: string, failure?: string, bid: Side, ask: Side }} Market */
/** @typedef {{ event: string, market?: string, name: string, before?: unknown, after?: unknown, applies: string }} Param */
/** @typedef {{ limits: Change[], others: Change[], needsRestart: Change[], params: Param[], markets: Market[] }} Preview */
/** @typedef {{ path: string, line?: number, message: string }} Problem */
/** @typedef {{ text: string, tone: string }} Line */

/** More would be read by nobody. */
const LINES_MAX = 60;

/** @type {Readonly<Record<string, string>>} */
const WHEN = {
  now: 'counts at once',
  requote: 'counts from the next requote',
  restart: 'counts from the next start',
};

/**
 * @param {Preview} preview
 * @returns {readonly Line[]}
 */
export function previewLines({ limits, others, needsRestart, params, markets }) {
  const moves = markets.flatMap(marketLines);
  const lines = [
    ...[...limits, ...others].map((change) => plain(changeText(change))),
    ...params.map(paramLine),
    ...needsRestart.map((change) => warned(`${changeText(change)} (counts from the next start)`)),
    ...(moves.length === 0 ? [plain('No quote would move now.')] : moves),
  ];
  const left = lines.length - LINES_MAX;
  return left <= 0 ? lines : [...lines.slice(0, LINES_MAX), plain(`and ${left} lines more`)];
}

/**
 * @param {readonly Problem[]} problems
 * @returns {readonly Line[]}
 */
export function problemLines(problems) {
  return problems.slice(0, LINES_MAX).map(({ path, line, message }) => {
    const at = line === undefined ? '' : ` (line ${line})`;
    return { text: `${path === '' ? 'the file' : path}: ${message}${at}`, tone: 'bad' };
  });
}

/** @param {Param} param */
function paramLine({ event, market, name, before, after, applies }) {
  const where = market === undefined ? event : `${event} / ${market}`;
  const when = WHEN[applies] ?? applies;
  return plain(`${where} ${name}: ${valueText(before)} → ${valueText(after)} (${when})`);
}

/** @param {Market} market */
function marketLines({ title, eventSlug, blocked, failure, bid, ask }) {
  const name = title === '' ? eventSlug : title;
  return [
    ...(failure === undefined
      ? []
      : [{ text: `${name}: the strategy fails: ${failure}`, tone: 'bad' }]),
    ...(blocked === undefined ? [] : [warned(`${name}: not quoted now (${blocked})`)]),
    ...sideLines(`${name} bids`, bid),
    ...sideLines(`${name} asks`, ask),
  ];
}

/**
 * @param {string} what
 * @param {Side} side
 */
function sideLines(what, { moves, unchanged, changed, held, cancels, places }) {
  const limited = held.map(({ price, quantity, limit }) =>
    warned(`${what}: ${price}×${quantity} would be held by ${limit}`),
  );
  if (!moves) return limited;
  const writes = `${cancels} cancelled, ${places} placed`;
  return [plain(`${what}: ${levels(unchanged)} → ${levels(changed)} (${writes})`), ...limited];
}

/** @param {readonly Level[]} side */
function levels(side) {
  return side.length === 0
    ? 'none'
    : side.map(({ price, quantity }) => `${price}×${quantity}`).join(' ');
}

/** @param {Change} change */
function changeText({ path, before, after }) {
  return `${path}: ${valueText(before)} → ${valueText(after)}`;
}

/** @param {unknown} value */
function valueText(value) {
  return JSON.stringify(value) ?? 'nothing';
}

/** @param {string} text */
function plain(text) {
  return { text, tone: '' };
}

/** @param {string} text */
function warned(text) {
  return { text, tone: 'warn' };
}
