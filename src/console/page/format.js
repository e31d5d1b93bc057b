// Figures as people read them. What is not known is a dash, never a zero.

const NONE = '—';
const MINUS = '−';

const grouped = [0, 1, 2].map(
  (digits) =>
    new Intl.NumberFormat('en', { minimumFractionDigits: digits, maximumFractionDigits: digits }),
);
const shares = new Intl.NumberFormat('en', { maximumFractionDigits: 2 });

/** What a market is called: a venue may give it no title, or several the same. @param {{ title: string, eventSlug: string }} market */
export function nameOf({ title, eventSlug }) {
  return title === '' ? eventSlug : title;
}

/**
 * @param {string | number | null | undefined} value
 * @returns {number | undefined}
 */
export function numberOf(value) {
  if (value === undefined || value === null || value === '') return undefined;
  const number = Number(value);
  return Number.isFinite(number) ? number : undefined;
}

/**
 * @param {string | number | null | undefined} value
 * @param {0 | 1 | 2} [digits]
 */
export function money(value, digits = 2) {
  const number = numberOf(value);
  if (number === undefined) return NONE;
  return (grouped[digits]?.format(number) ?? NONE).replace('-', MINUS);
}

/**
 * With its sign, as profit and positions are read.
 * @param {string | number | null | undefined} value
 */
export function signed(value) {
  const number = numberOf(value);
  if (number === undefined) return NONE;
  const text = money(Math.abs(number));
  if (text === '0.00') return text;
  return `${number < 0 ? MINUS : '+'}${text}`;
}

/** @param {string | number | null | undefined} value */
export function quantity(value) {
  const number = numberOf(value);
  return number === undefined ? NONE : shares.format(number).replace('-', MINUS);
}

/** @param {string | number | null | undefined} value */
export function signedQuantity(value) {
  const number = numberOf(value);
  if (number === undefined) return NONE;
  return number > 0 ? `+${quantity(number)}` : quantity(number);
}

/** @param {number | null | undefined} part */
export function percent(part) {
  if (part === undefined || part === null) return NONE;
  const digits = part > 0.995 && part < 1 ? 2 : 1;
  // Only what is whole is told as whole.
  const shown = part < 1 ? Math.min(100 * part, 99.99) : 100;
  return `${shown.toFixed(part === 1 || part === 0 ? 0 : digits)} %`;
}

/**
 * A price of a probability with the digits of its tick, or of the place it has.
 * @param {string | number | null | undefined} value
 * @param {number} digits
 */
export function price(value, digits) {
  const number = numberOf(value);
  return number === undefined ? NONE : number.toFixed(digits);
}

/**
 * How many digits a tick has: 2 for 0.01.
 * @param {string | undefined} tickSize
 */
export function digitsOf(tickSize) {
  return tickSize?.split('.')[1]?.length ?? 2;
}

/** @param {number | null | undefined} ms */
export function duration(ms) {
  if (ms === undefined || ms === null || !Number.isFinite(ms)) return NONE;
  if (ms < 1_000) return `${Math.max(0, Math.round(ms))} ms`;
  const sec = ms / 1_000;
  if (sec < 60) return `${sec.toFixed(sec < 10 ? 1 : 0)} s`;
  if (sec < 3_600) return `${Math.floor(sec / 60)} min ${Math.floor(sec % 60)} s`;
  if (sec < 86_400) return `${Math.floor(sec / 3_600)} h ${Math.floor((sec % 3_600) / 60)} min`;
  return `${Math.floor(sec / 86_400)} d ${Math.floor((sec % 86_400) / 3_600)} h`;
}

/** @param {number | undefined} atMs */
export function timeOfDay(atMs) {
  if (atMs === undefined || !Number.isFinite(atMs)) return NONE;
  return new Date(atMs).toTimeString().slice(0, 8);
}

/** @param {string | number | null | undefined} value */
export function toneOf(value) {
  const number = numberOf(value) ?? 0;
  if (Math.abs(number) < 0.005) return '';
  return number < 0 ? 'bad' : 'good';
}

/**
 * The prices one deviation of log-odds below and above a probability.
 * @param {number} fair
 * @param {number} deviation
 * @returns {readonly [number, number]}
 */
export function bandOf(fair, deviation) {
  const logit = Math.log(fair / (1 - fair));
  const at = (/** @type {number} */ odds) => 1 / (1 + Math.exp(-odds));
  return [at(logit - deviation), at(logit + deviation)];
}
