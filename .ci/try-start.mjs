// Does with `npm start` what a new user does: starts it, waits for quotes and fills, presses Ctrl-C.
// Ends with 0 when quotes rested on both sides of every market, something traded, and the command
// itself ended with 0.

import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';

/** Ten seconds on a machine of its own; this one builds meanwhile, and may have neighbours. */
const QUOTES_WITHIN_MS = 60_000;
/** The crowd of the demo gives little away: a fill or two a minute. */
const FILL_WITHIN_MS = 180_000;
const END_WITHIN_MS = 40_000;
const OUTPUT_KEPT = 20_000;
/** Beside the journal of config/paper.yaml. */
const TOKEN_FILE = 'data/paper.db.token';

const startedAt = Date.now();
const since = () => `${((Date.now() - startedAt) / 1_000).toFixed(1)} s`;

// A group of its own, so that the interrupt reaches all of it, as that of a terminal would.
const child = spawn('npm', ['start'], { detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
let output = '';
for (const stream of [child.stdout, child.stderr]) {
  stream.setEncoding('utf8');
  stream.on('data', (text) => {
    output = (output + text).slice(-OUTPUT_KEPT);
  });
}
const ended = new Promise((done) => {
  child.once('exit', (code, signal) => done(code ?? signal));
});

try {
  const address = await until('an address', QUOTES_WITHIN_MS, addressIn);
  console.log(`listening on ${address} after ${since()}`);
  await until('readiness', QUOTES_WITHIN_MS, async () => (await get(address, '/readyz')).ok);
  console.log(`ready after ${since()}`);
  const markets = await until('quotes', QUOTES_WITHIN_MS, () => quotedMarkets(address));
  console.log(`quotes on both sides of ${markets} markets after ${since()}`);
  const fills = await until('a fill', FILL_WITHIN_MS, () => fillsOf(address));
  console.log(`${fills} fills after ${since()}`);
  interrupt();
  const code = await within('the end', END_WITHIN_MS, ended);
  console.log(`ended with ${code} after ${since()}`);
  if (code !== 0) throw new Error(`npm start ended with ${code} instead of 0`);
} catch (error) {
  console.error(`${error.message}; its last output was:\n${output}`);
  kill();
  process.exitCode = 1;
}

/** On paper the daemon takes another port when the configured one is busy; its log says which. */
function addressIn() {
  return /\bhttp"?[=:]"?(http:\/\/127\.0\.0\.1:\d+)/.exec(output)?.[1];
}

/** How many markets are quoted, once all of them are quoted on both sides. */
async function quotedMarkets(address) {
  const { markets } = await state(address);
  const quoted = markets.filter(({ ownBids, ownAsks }) => ownBids.length > 0 && ownAsks.length > 0);
  return markets.length > 0 && quoted.length === markets.length ? quoted.length : undefined;
}

async function fillsOf(address) {
  const { markets } = await state(address);
  return markets.reduce((sum, market) => sum + market.fills, 0) || undefined;
}

/** With the token that the daemon leaves beside its journal, for its own user. */
async function state(address) {
  const token = (await readFile(TOKEN_FILE, 'utf8')).trim();
  return await (await get(address, '/api/state', { authorization: `Bearer ${token}` })).json();
}

async function get(address, path, headers = {}) {
  return await fetch(`${address}${path}`, { headers, signal: AbortSignal.timeout(2_000) });
}

/** Asks again and again; a failed question is an answer that is not there yet. */
async function until(what, boundMs, ask) {
  const endMs = Date.now() + boundMs;
  while (Date.now() < endMs) {
    if (child.exitCode !== null) throw new Error(`npm start ended with ${child.exitCode}`);
    const answer = await Promise.resolve()
      .then(ask)
      .catch(() => undefined);
    if (answer) return answer;
    await new Promise((done) => setTimeout(done, 100));
  }
  throw new Error(`no ${what} within ${boundMs} ms`);
}

async function within(what, boundMs, promise) {
  let timer;
  const late = new Promise((_done, fail) => {
    timer = setTimeout(() => fail(new Error(`no ${what} within ${boundMs} ms`)), boundMs);
  });
  return await Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

function interrupt() {
  process.kill(-child.pid, 'SIGINT');
}

function kill() {
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    // It is gone already.
  }
}
