// A WebSocket that tells prices as they come; a lost one is opened again.

import { type RawData, WebSocket } from 'ws';
import type { UnixMs } from '../domain/time.ts';
import type { Line } from './request.ts';
import { causeText, retryMs, type Source, type SourceTools } from './source.ts';

const RECONNECT = { msMin: 500, msMax: 30_000 };
const PROBE_MS = 10_000;
/** Two probes without an answer, and a half-open connection is known for one. */
const SILENCE_MS_MAX = 25_000;

/**
 * What one connection may tell: so much at once, as when it opens, and so much in each second. More is cut off, for
 * whatever comes is read on the loop that quotes.
 */
const BURST = { messages: 5_000, bytes: 4_000_000 };
const PER_SEC = { messages: 1_000, bytes: 1_000_000 };

/** Connects, says what `subscribe` holds, and listens. */
export function readSocketSource(tools: SourceTools, line: Line): Source {
  const source = new SocketSource(tools, line);
  source.start();
  return source;
}

class SocketSource implements Source {
  readonly #tools: SourceTools;
  readonly #line: Line;
  #socket: WebSocket | undefined;
  #heardAtMs: UnixMs;
  #callOff: () => void = () => undefined;
  #failures = 0;
  #allowance = new Allowance(0);
  #isStopped = false;

  constructor(tools: SourceTools, line: Line) {
    this.#tools = tools;
    this.#line = line;
    this.#heardAtMs = tools.clock.nowMs();
  }

  start(): void {
    const { url, headers, bytesMax } = this.#line;
    const { lookup } = this.#tools;
    const socket = new WebSocket(url, {
      perMessageDeflate: false,
      handshakeTimeout: this.#tools.choice.timeoutMs,
      maxPayload: bytesMax,
      followRedirects: false,
      headers,
      lookup,
    });
    this.#socket = socket;
    // The library begins anew to count with every byte that comes: one at a time it would wait for ever.
    const { timers, choice } = this.#tools;
    const late = (): void => this.#lose(socket, `no handshake in ${choice.timeoutMs} ms`);
    this.#callOff = timers.after(choice.timeoutMs, late);
    socket.on('open', () => this.#onOpen(socket));
    socket.on('message', (data) => this.#onMessage(socket, data));
    socket.on('pong', () => void this.#takes(socket, 0));
    socket.on('ping', () => void this.#takes(socket, 0));
    socket.on('error', (error) => this.#lose(socket, causeText(error)));
    socket.on('close', (code) => this.#lose(socket, `the socket was closed (${code})`));
  }

  stop(): void {
    this.#isStopped = true;
    this.#callOff();
    this.#socket?.terminate();
  }

  #onOpen(socket: WebSocket): void {
    if (socket !== this.#socket || this.#isStopped) return;
    this.#callOff();
    this.#onHeard();
    this.#allowance = new Allowance(performance.now());
    const { subscribe } = this.#line;
    if (subscribe !== undefined) socket.send(subscribe);
    this.#beat(socket);
  }

  #onMessage(socket: WebSocket, data: RawData): void {
    const text = textOf(data);
    if (!this.#takes(socket, text.length)) return;
    try {
      this.#tools.sink.onText(text, this.#heardAtMs);
    } catch (error) {
      // What was thrown in here would end the trader.
      this.#lose(socket, causeText(error));
    }
  }

  /** Pings and pongs count as well: they are read on the same loop. */
  #takes(socket: WebSocket, length: number): boolean {
    if (socket !== this.#socket || this.#isStopped) return false;
    this.#onHeard();
    const isAllowed = this.#allowance.takes(length, performance.now());
    if (!isAllowed) this.#lose(socket, FLOOD);
    return isAllowed;
  }

  #onHeard(): void {
    this.#heardAtMs = this.#tools.clock.nowMs();
  }

  #beat(socket: WebSocket): void {
    const { clock, timers } = this.#tools;
    this.#callOff = timers.after(PROBE_MS, () => {
      const silentMs = clock.nowMs() - this.#heardAtMs;
      if (silentMs > SILENCE_MS_MAX) {
        this.#lose(socket, `silent for ${silentMs} ms`);
        return;
      }
      // One that is cut off for what it sends is not asked again at once.
      this.#failures = 0;
      if (socket.readyState === WebSocket.OPEN) this.#probe(socket);
      this.#beat(socket);
    });
  }

  #probe(socket: WebSocket): void {
    socket.ping();
    if (this.#line.probe !== undefined) socket.send(this.#line.probe);
  }

  /** Told once for each connection, whether or not it ever opened. */
  #lose(socket: WebSocket, detail: string): void {
    if (socket !== this.#socket || this.#isStopped) return;
    this.#socket = undefined;
    this.#callOff();
    socket.terminate();
    this.#failures += 1;
    const { sink, timers, random } = this.#tools;
    sink.onFailure(detail);
    const delayMs = retryMs(RECONNECT, this.#failures, random);
    this.#callOff = timers.after(delayMs, () => this.start());
  }
}

const FLOOD = `tells more than ${PER_SEC.messages} messages or ${PER_SEC.bytes} characters a second`;

class Allowance {
  #messages = BURST.messages;
  #bytes = BURST.bytes;
  #atMs: number;

  constructor(atMs: number) {
    this.#atMs = atMs;
  }

  /** False where it is used up. */
  takes(length: number, nowMs: number): boolean {
    const sec = (nowMs - this.#atMs) / 1_000;
    this.#atMs = nowMs;
    this.#messages = Math.min(BURST.messages, this.#messages + sec * PER_SEC.messages) - 1;
    this.#bytes = Math.min(BURST.bytes, this.#bytes + sec * PER_SEC.bytes) - length;
    return this.#messages >= 0 && this.#bytes >= 0;
  }
}

function textOf(data: RawData): string {
  if (Buffer.isBuffer(data)) return data.toString('utf8');
  return (Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data)).toString('utf8');
}
