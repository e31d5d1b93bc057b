// Ten thousand tokens mirrored with traffic, fifty of them quoted: the daemon as a process, with audits
// and trust as they are by default, while it is also asked for its metrics and its state.

import { freePort } from '../../support/free-port.ts';
import { RIG_TOKEN, type RigDaemon, startRigDaemon } from '../rig/daemon.ts';
import { check, type GroupResult, quantile, type RunOptions } from '../rig/report.ts';
import {
  deltaText,
  MARKETS_OF_EVENT,
  type RigBooks,
  type RigServer,
  setBid,
  startRigServer,
  tokenText,
} from '../rig/server.ts';
import { sizeNow, WATCHED_CENTS } from '../rig/watcher.ts';
import { sleep } from './path.ts';

const FLUSH_MS = 150;
const QUOTED_MARKETS = 25;
const BEST_BID_CENTS = 40;
/** Parts of all tokens that move in each flush: a usual day, a busy one, and what one core carries. */
const PARTS = [0.02, 0.1, 0.25, 0.5];
/** Of the few tokens of a short run, so that ages are told. */
const SHORT_PARTS = [0.5];
const SHORT_AGES_AT_ONCE = 10;
/** So many move while metrics and state are asked for. */
const ASKED_PART = 0.1;
const READY_MS_MAX = 120_000;

type Load = {
  readonly part: number;
  readonly framesPerSec: number;
  readonly coreParts: number;
  readonly rssMb: number;
  readonly agesMs: readonly number[];
};

export async function many({ isShort }: RunOptions): Promise<GroupResult> {
  const watchedEvents = isShort ? 2 : 199;
  const tokens = 2 * (QUOTED_MARKETS + watchedEvents * MARKETS_OF_EVENT);
  const books: RigBooks = new Map();
  const server = await startRigServer(QUOTED_MARKETS, { watchedEvents, books });
  const port = await freePort();
  const startedMs = performance.now();
  const size = { markets: QUOTED_MARKETS, levels: 1, watchedEvents };
  const daemon = startRigDaemon(server, {
    ...size,
    isAudited: true,
    port,
    ...(isShort && { agesAtOnce: SHORT_AGES_AT_ONCE }),
  });
  try {
    const isReady = () => server.counts.placements >= QUOTED_MARKETS;
    const quotedAfterMs = await until(isReady, { startedMs, daemon });
    // It quotes before its HTTP process listens.
    const areTrusted = async () => (await stateOf(port).catch(() => undefined))?.trusted === tokens;
    const trustedAfterMs = await until(areTrusted, { startedMs, daemon });
    await sleep(isShort ? 500 : 5_000);
    const before = await restingState(port);
    const feed = new Feed(server, books, tokens);
    const loads: Load[] = [];
    for (const part of isShort ? SHORT_PARTS : PARTS) {
      loads.push(await loaded({ part, feed, daemon, forMs: isShort ? 1_000 : 12_000 }));
    }
    feed.part = ASKED_PART;
    await sleep(isShort ? 100 : 3_000);
    const seen = daemon.agesMs().length;
    const asked = [await scraped(port, 'metrics'), await scraped(port, 'api/state')] as const;
    await sleep(isShort ? 500 : 1_000);
    feed.stop();
    const meanwhileMs = daemon.agesMs().slice(seen);
    check(meanwhileMs.length > 0, 'decisions are measured while metrics and state are asked for');
    await sleep(isShort ? 500 : 2_000);
    const after = await restingState(port);
    check(after.trusted === tokens, `all books are trusted: ${after.trusted} of ${tokens}`);
    const heard = after.updates - before.updates;
    check(heard === feed.frames, `no flush is missed: ${heard} of ${feed.frames} frames are heard`);
    return resultOf({ tokens, loads, quotedAfterMs, trustedAfterMs, asked, meanwhileMs });
  } finally {
    await daemon.stop();
    await server.stop();
  }
}

type Found = {
  readonly tokens: number;
  readonly loads: readonly Load[];
  readonly quotedAfterMs: number;
  readonly trustedAfterMs: number;
  readonly asked: readonly [Scrape, Scrape];
  /** Ages of changes at their decisions while both were asked for. */
  readonly meanwhileMs: readonly number[];
};

function resultOf(found: Found): GroupResult {
  const { tokens, loads, quotedAfterMs, trustedAfterMs, asked, meanwhileMs } = found;
  const rows = loads.map(({ part, framesPerSec, coreParts, rssMb, agesMs }) => [
    `${(part * 100).toFixed(0)} % of them in each flush`,
    framesPerSec.toFixed(0),
    `${(coreParts * 100).toFixed(0)} %`,
    `${rssMb.toFixed(0)} MB`,
    `${quantile(agesMs, 0.5).toFixed(1)} ms`,
    `${quantile(agesMs, 0.99).toFixed(1)} ms`,
  ]);
  const note = (what: string, value: string) => [what, value, '', '', '', ''];
  const [metrics, state] = asked;
  rows.push(
    note('quotes rest after', `${(quotedAfterMs / 1_000).toFixed(1)} s`),
    note('all books are trusted after', `${(trustedAfterMs / 1_000).toFixed(1)} s`),
    note('its metrics take', `${metrics.ms.toFixed(0)} ms, ${metrics.kb.toFixed(0)} KB`),
    note('its state takes', `${state.ms.toFixed(0)} ms, ${state.kb.toFixed(0)} KB`),
    note('oldest at a decision meanwhile', `${quantile(meanwhileMs, 1).toFixed(0)} ms`),
  );
  const last = loads.at(-1);
  const usual = loads[0];
  return {
    title: `${tokens} tokens mirrored, ${2 * QUOTED_MARKETS} of them quoted`,
    head: ['moving', 'frames/s', 'of a core', 'resident', 'at its decision p50', 'p99'],
    rows,
    ratios: [
      { name: 'many.coreParts', value: last?.coreParts ?? Number.NaN, aimMax: 1 },
      { name: 'many.usualCoreParts', value: usual?.coreParts ?? Number.NaN },
      { name: 'many.rssMb', value: last?.rssMb ?? Number.NaN },
      { name: 'many.metricsKb', value: metrics.kb },
      { name: 'many.heldUpMs', value: quantile(meanwhileMs, 1), aimMax: 350 },
    ],
  };
}

type LoadOptions = {
  readonly part: number;
  readonly feed: Feed;
  readonly daemon: RigDaemon;
  readonly forMs: number;
};

async function loaded({ part, feed, daemon, forMs }: LoadOptions): Promise<Load> {
  feed.part = part;
  await sleep(forMs / 4);
  const before = daemon.usage();
  const agesBefore = daemon.agesMs().length;
  const framesBefore = feed.frames;
  const startedMs = performance.now();
  await sleep(forMs);
  const tookMs = performance.now() - startedMs;
  const after = daemon.usage();
  const agesMs = daemon.agesMs().slice(agesBefore);
  check(agesMs.length > 0, `decisions are measured where ${part} of the tokens move in each flush`);
  return {
    part,
    framesPerSec: ((feed.frames - framesBefore) * 1_000) / tookMs,
    coreParts: (after.cpuMs - before.cpuMs) / tookMs,
    rssMb: after.rssMb,
    agesMs,
  };
}

/** In each flush a part of all tokens, each time others; the changes of one flush come together. */
class Feed {
  frames = 0;
  part = 0;
  readonly #timer: NodeJS.Timeout;
  readonly #server: RigServer;
  readonly #books: RigBooks;
  readonly #tokens: readonly string[];
  #next = 0;

  constructor(server: RigServer, books: RigBooks, tokens: number) {
    this.#server = server;
    this.#books = books;
    this.#tokens = Array.from({ length: tokens }, (_, at) => tokenText(at >> 1, at % 2 === 0));
    this.#timer = setInterval(() => this.#flush(), FLUSH_MS);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #flush(): void {
    const all = this.#tokens.length;
    for (let left = Math.round(all * this.part); left > 0; left -= 1) {
      // A step that shares no factor with the count: neighbours do not move together.
      this.#next = (this.#next + 7_919) % all;
      const token = this.#tokens[this.#next];
      if (token === undefined) continue;
      const size = sizeNow();
      setBid(this.#books, token, BEST_BID_CENTS - WATCHED_CENTS, size);
      this.#server.send('daemon', deltaText(token, 'bid', WATCHED_CENTS / 100, size));
      this.frames += 1;
    }
  }
}

type Scrape = { readonly ms: number; readonly kb: number; readonly text: string };

async function scraped(port: number, path: string): Promise<Scrape> {
  const startedMs = performance.now();
  const headers = { authorization: `Bearer ${RIG_TOKEN}` };
  const response = await fetch(`http://127.0.0.1:${port}/${path}`, { headers });
  const text = await response.text();
  return { ms: performance.now() - startedMs, kb: text.length / 1_000, text };
}

type Market = {
  readonly bookStates: Readonly<Record<'yes' | 'no', string>>;
  readonly bookUpdates: number;
};

/** Trusted books, and the frames of all of them so far. */
/** What HTTP shows is posted in turns of a few seconds: read until it has stayed the same for longer. */
const SAME_MS = 5_000;
const RESTS_MS_MAX = 30_000;

async function restingState(port: number): Promise<{ trusted: number; updates: number }> {
  const startedMs = performance.now();
  let state = await stateOf(port);
  for (let sinceMs = startedMs; performance.now() - sinceMs < SAME_MS; ) {
    check(performance.now() - startedMs < RESTS_MS_MAX, 'the state comes to rest');
    await sleep(250);
    const next = await stateOf(port);
    if (next.updates !== state.updates || next.trusted !== state.trusted)
      sinceMs = performance.now();
    state = next;
  }
  return state;
}

async function stateOf(port: number): Promise<{ trusted: number; updates: number }> {
  const { text } = await scraped(port, 'api/state');
  const { markets = [] }: { readonly markets?: readonly Market[] } = JSON.parse(text);
  let trusted = 0;
  let updates = 0;
  for (const { bookStates, bookUpdates } of markets) {
    trusted += Number(bookStates.yes === 'trusted') + Number(bookStates.no === 'trusted');
    updates += bookUpdates;
  }
  return { trusted, updates };
}

/** @returns After how long it held. */
async function until(
  holds: () => boolean | Promise<boolean>,
  { startedMs, daemon }: { readonly startedMs: number; readonly daemon: RigDaemon },
): Promise<number> {
  for (;;) {
    const tookMs = performance.now() - startedMs;
    if (await holds()) return tookMs;
    check(tookMs < READY_MS_MAX, `the daemon is ready in time: ${daemon.log()}`);
    await sleep(500);
  }
}
