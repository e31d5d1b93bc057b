// The process that serves HTTP. It holds the last words of the trader, no credential of the venue, and two
// ways to act: to the one that started it, which kills without the trader, and to the trader.

import { rmdirSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { dirname } from 'node:path';
import process from 'node:process';
import type { SystemClock } from '../clock/system.ts';
import { Console } from '../console/console.ts';
import { BotError } from '../domain/errors.ts';
import { Secret } from '../domain/secret.ts';
import type { Timers } from '../domain/time.ts';
import { type Posted, StateBoard } from '../telemetry/board.ts';
import { startHttp } from '../telemetry/http.ts';
import { HttpOperator } from './http-operator.ts';
import type { FromServer, ToServer } from './http-parent.ts';
import {
  type FromTrader,
  LISTEN_AGAIN_MS,
  lineReader,
  readFromTrader,
  type Served,
  type ToTrader,
  toLine,
} from './http-words.ts';
import { pastPoints } from './past-points.ts';

type Begin = Extract<ToServer, { kind: 'begin' }>;

/**
 * Serves until the one that started this process is gone.
 * @param early - What it had said before anybody listened here.
 */
export async function runHttpProcess(clock: SystemClock, early: readonly unknown[]): Promise<void> {
  // A terminal sends its Ctrl-C to everybody; what is asked of us comes over the channel.
  for (const name of ['SIGINT', 'SIGTERM', 'SIGQUIT', 'SIGHUP', 'SIGTSTP'] as const) {
    process.on(name, () => {});
  }
  const gone = parentGone();
  const begin = await firstWord(early, gone);
  if (begin === undefined) process.exit(0);
  const end = gone.then(() => {
    clearAway(begin.path);
    process.exit(0);
  });
  beat();
  const board = new StateBoard(clock.steady());
  const trader = new TraderEnd(board);
  const page = new Console({
    ...{ clock, timers: clock, pulse: () => board.pulse() },
    onLook: (marketIds) => trader.say({ kind: 'looked', marketIds }),
  });
  trader.onPosted = (posted) => showOn(page, posted);
  const operator = new HttpOperator({ ...begin, trader, timers: clock, tellParent });
  process.on('message', (message: ToServer) => {
    if (message.kind === 'update') operator.onUpdate(message.id, message.update);
  });
  trader.onDone = (word) => operator.onWord(word);
  trader.onConnected = () => {
    operator.onTrader();
    trader.say({ kind: 'looked', marketIds: page.looks });
  };
  trader.onGone = () => operator.onTraderGone();
  await trader.listen(begin.path);
  const parts = { board, operator, clock, console: page };
  const listening = listenAtLast(
    async () => await served(begin, parts),
    clock,
    (told) => {
      trader.onServed(told);
      if (told.kind === 'fault') tellParent(told);
    },
  );
  // A chart without its past is no reason to be without the rest.
  const past = pastPoints(begin.journal, clock.nowMs()).then(
    (points) => page.recall(points),
    () => undefined,
  );
  await Promise.all([listening, past, end]);
}

/** Tells what came of the first try, and of the one that succeeds at last. */
export async function listenAtLast(
  listen: () => Promise<Served>,
  timers: Timers,
  tell: (served: Served) => void,
): Promise<void> {
  let at = await listen();
  tell(at);
  if (at.kind === 'at') return;
  while (at.kind === 'fault') {
    await new Promise<void>((resolve) => timers.after(LISTEN_AGAIN_MS, resolve));
    at = await listen();
  }
  tell(at);
}

/** How often it shows that its event loop turns. */
const BEAT_MS = 2_000;

/** A parent that does not read must not fill our memory: one sign is under way at the most. */
function beat(): void {
  let isUnderWay = false;
  const sign = (): void => {
    if (isUnderWay || !process.connected) return;
    isUnderWay = true;
    process.send?.({ kind: 'beat' } satisfies FromServer, undefined, undefined, () => {
      isUnderWay = false;
    });
  };
  sign();
  setInterval(sign, BEAT_MS).unref();
}

/** Whoever made the folder may have ended by force; one that is not empty is somebody else's. */
function clearAway(path: string): void {
  try {
    rmSync(path, { force: true });
    rmdirSync(dirname(path));
  } catch {
    // It is gone already, or is no folder at all.
  }
}

/** Also where that was before anybody listened: its end is told once, and this process would serve for ever. */
async function parentGone(): Promise<void> {
  await new Promise<void>((resolve) => {
    process.once('disconnect', resolve);
    if (!process.connected) resolve();
  });
}

/** `undefined` where it has said nothing, and is gone. */
async function firstWord(
  early: readonly unknown[],
  gone: Promise<void>,
): Promise<Begin | undefined> {
  const begun = new Promise<Begin>((resolve) => {
    process.once('message', (message: Begin) => resolve(message));
  });
  for (const message of early) process.emit('message', message, undefined);
  return await Promise.race([begun, gone.then(() => undefined)]);
}

async function served(
  { http, journal, token, roleTokens: { view, trade, kill } }: Begin,
  parts: {
    readonly board: StateBoard;
    readonly operator: HttpOperator;
    readonly clock: SystemClock;
    readonly console: Console;
  },
): Promise<Served> {
  try {
    const server = await startHttp({
      ...http,
      journal,
      controlToken: secretOf(token),
      roleTokens: {
        ...(view === undefined ? {} : { view: new Secret(view) }),
        ...(trade === undefined ? {} : { trade: new Secret(trade) }),
        ...(kill === undefined ? {} : { kill: new Secret(kill) }),
      },
      ...parts,
      clock: parts.clock.steady(),
      timers: parts.clock,
    });
    tellParent({ kind: 'listening', port: server.port });
    return { kind: 'at', address: server.address };
  } catch (error) {
    const isListening = error instanceof BotError && error.code === 'http.listen';
    if (!isListening) throw error;
    return { kind: 'fault', detail: detailOf(error) };
  }
}

function secretOf(text: string | undefined): Secret | undefined {
  return text === undefined ? undefined : new Secret(text);
}

/** The other end says the code in front of it again. */
function detailOf(error: BotError): string {
  return error.message.replace(/^[^:]*: /, '');
}

/** Of what is counted the page shows nothing. */
function showOn(page: Console, posted: Posted): void {
  if (posted.kind !== 'names' && posted.kind !== 'series') page.apply(posted);
}

function tellParent(message: FromServer): void {
  if (process.connected) process.send?.(message, undefined, undefined, () => {});
}

/** The end of the socket on which the trader is told and heard; there is one trader, the last that came. */
export class TraderEnd {
  onDone: (word: Extract<FromTrader, { kind: 'taken' | 'done' }>) => void = () => {};
  /** What it says of itself, once the board has it. */
  onPosted: (posted: Posted) => void = () => {};
  onConnected: () => void = () => {};
  onGone: () => void = () => {};
  readonly #board: StateBoard;
  #server: Server | undefined;
  #socket: Socket | undefined;
  #served: Served | undefined;

  constructor(board: StateBoard) {
    this.#board = board;
  }

  get isConnected(): boolean {
    return this.#socket !== undefined;
  }

  async listen(path: string): Promise<void> {
    rmSync(path, { force: true });
    const server = createServer((socket) => this.#onTrader(socket));
    this.#server = server;
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(path, resolve);
    });
  }

  onServed(served: Served): void {
    this.#served = served;
    this.say({ kind: 'served', served });
  }

  /** What a trader that is gone is told is lost. */
  say(word: ToTrader): void {
    this.#socket?.write(toLine(word));
  }

  close(): void {
    this.#server?.close();
    this.#socket?.destroy();
  }

  #onTrader(socket: Socket): void {
    this.#socket?.destroy();
    this.#socket = socket;
    socket.setEncoding('utf8');
    const read = lineReader((line) => this.#onLine(line));
    socket.on('data', (part: string) => {
      try {
        read(part);
      } catch {
        socket.destroy();
      }
    });
    socket.on('error', () => socket.destroy());
    socket.on('close', () => {
      if (this.#socket !== socket) return;
      this.#socket = undefined;
      this.#board.onGone();
      this.onGone();
    });
    this.#board.onConnected();
    if (this.#served !== undefined) this.say({ kind: 'served', served: this.#served });
    this.onConnected();
  }

  #onLine(line: string): void {
    const word = readFromTrader(line);
    if (word === undefined) return;
    if (word.kind !== 'posted') {
      this.onDone(word);
      return;
    }
    this.#board.apply(word.posted);
    this.onPosted(word.posted);
  }
}
