// The session of this page: begun with the control token, kept by the browser in a cookie that no script reads.
// What changes something carries a second token, which only a page of this origin can have read.

/** @typedef {{ readonly status: number, readonly body: Record<string, unknown> }} Answer */

/** Nothing that the server answers takes longer, but for what says so. */
const ANSWER_MS_MAX = 15_000;

/** Whether this browser may have a session: its cookie cannot be seen from here, and to ask without one is a wrong token. */
const HINT = 'bookend.session';

let csrf = '';
/** What the token of this session gives. @type {readonly string[]} */
let rights = [];
let role = '';

/** @param {'view' | 'trade' | 'kill'} right */
export function may(right) {
  return rights.includes(right);
}

/** By whose token the session was begun; `full` for the control token. */
export function roleOf() {
  return role;
}

/**
 * @param {string} path
 * @param {RequestInit} options
 * @param {number} [withinMs]
 * @returns {Promise<Answer>} With status 0 where nobody answered.
 */
async function asked(path, options, withinMs = ANSWER_MS_MAX) {
  try {
    const signal = AbortSignal.timeout(withinMs);
    const response = await fetch(path, { ...options, signal, cache: 'no-store' });
    const body = await response.json().catch(() => ({}));
    return { status: response.status, body };
  } catch {
    return { status: 0, body: { error: 'nobody answers' } };
  }
}

/**
 * @param {Answer} answer
 * @returns {boolean}
 */
function keep({ status, body }) {
  if (status !== 200 || typeof body['csrf'] !== 'string') return false;
  csrf = body['csrf'];
  rights = Array.isArray(body['rights']) ? body['rights'].map(String) : [];
  role = String(body['role'] ?? '');
  localStorage.setItem(HINT, 'begun');
  return true;
}

/**
 * Begins a session.
 * @param {string} token
 * @returns {Promise<string | undefined>} Why not.
 */
export async function logIn(token) {
  const headers = { authorization: `Bearer ${token.trim()}` };
  const answer = await asked('/session', { method: 'POST', headers });
  if (keep(answer)) return undefined;
  if (answer.status === 401) return 'This is not the control token, nor one of a role.';
  if (answer.status === 429) return 'Too many wrong tokens: wait a second.';
  if (answer.status === 0) return 'The daemon does not answer.';
  return String(answer.body['error'] ?? `refused (${answer.status})`);
}

/**
 * Takes the session of the cookie again, as after the page was loaded anew.
 * @returns {Promise<'open' | 'none' | 'unknown'>} `unknown` where nobody answered.
 */
export async function resumeSession() {
  if (localStorage.getItem(HINT) === null) return 'none';
  const answer = await asked('/session', { method: 'GET' });
  if (keep(answer)) return 'open';
  if (answer.status !== 0) localStorage.removeItem(HINT);
  return answer.status === 0 ? 'unknown' : 'none';
}

export async function logOut() {
  await send('/session', 'DELETE');
  localStorage.removeItem(HINT);
  csrf = '';
}

/**
 * @param {string} path
 * @returns {Promise<Answer>}
 */
export async function read(path) {
  return await asked(path, { method: 'GET' });
}

/**
 * Asks for something that changes something.
 * @param {string} path
 * @param {'POST' | 'DELETE'} [method]
 * @param {number} [withinMs]
 * @param {object} [body]
 * @returns {Promise<Answer>}
 */
export async function send(path, method = 'POST', withinMs = ANSWER_MS_MAX, body = undefined) {
  const options = body === undefined ? {} : { body: JSON.stringify(body) };
  const ask = async () =>
    await asked(path, { method, headers: { 'x-csrf-token': csrf }, ...options }, withinMs);
  const before = csrf;
  const answer = await ask();
  // Another window may have begun a new session: this page has its cookie, and not yet its token.
  const isOfAnother =
    answer.status === 403 && (await resumeSession()) === 'open' && csrf !== before;
  return isOfAnother ? await ask() : answer;
}
