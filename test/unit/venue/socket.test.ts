import { EventEmitter } from 'node:events';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { WebSocket } from 'ws';
import { VirtualClock } from '../../../src/clock/virtual.ts';
import { tokenId } from '../../../src/domain/ids.ts';
import type { VenueMessage } from '../../../src/domain/message.ts';
import { SILENT_OBSERVER } from '../../../src/domain/observe.ts';
import { unixMs } from '../../../src/domain/time.ts';
import { SOCKET_SETTINGS } from '../../../src/venue/options.ts';
import type { WireSocket } from '../../../src/venue/ws/connection.ts';
import { VenueSocket, type VenueSocketOptions } from '../../../src/venue/ws/socket.ts';
import { DRIPS, dripServer } from '../../support/drip-server.ts';
import { type HttpDouble, startHttpDouble } from '../../support/http-double.ts';
import {
  CREDENTIALS,
  credentialsOf,
  NO,
  REAL_TIME,
  TOKENS,
  until,
  YES,
} from '../../support/http-double-fixtures.ts';

const FAST = { ...SOCKET_SETTINGS, reconnectMsMin: 10, reconnectMsMax: 30 };

let double: HttpDouble;
let socket: VenueSocket | undefined;
let messages: VenueMessage[];

beforeEach(async () => {
  double = await startHttpDouble();
  messages = [];
});

afterEach(async () => {
  socket?.stop();
  socket = undefined;
  await double.stop();
});

function open(over: Partial<VenueSocketOptions> = {}): VenueSocket {
  const made = new VenueSocket({
    url: double.wsUrl,
    settings: FAST,
    unsubscribeEndsTrades: true,
    tokens: TOKENS,
    credentials: () => CREDENTIALS,
    venueNowMs: () => unixMs(1_700_000_000_500),
    cure: () => Promise.resolve(),
    emit: (message) => messages.push(message),
    observer: SILENT_OBSERVER,
    clock: REAL_TIME,
    timers: REAL_TIME,
    random: () => 0.5,
    ...over,
  });
  made.start();
  socket = made;
  return made;
}

function kinds(): readonly string[] {
  return messages.map(({ kind }) => kind);
}

function count(kind: VenueMessage['kind']): number {
  return kinds().filter((each) => each === kind).length;
}

function sent(type: string): readonly Record<string, unknown>[] {
  return double.frames.filter((frame) => frame['type'] === type);
}

/** The double answers each auth frame with the next of these, and the last for ever. */
function answerAuthWith(...answers: readonly string[]): void {
  let next = 0;
  double.onConnection((peer) => {
    peer.on('message', (data) => {
      if (JSON.parse(String(data)).type !== 'auth') return;
      peer.send(answers[Math.min(next, answers.length - 1)] ?? '');
      next += 1;
    });
  });
}

function peer(index: number): WebSocket {
  const found = double.sockets.at(index);
  if (!found) throw new Error(`no connection ${index}`);
  return found;
}

describe('the socket', () => {
  it('signs the fixed path in the auth frame and is told that it worked', async () => {
    answerAuthWith('{"type":"authenticated"}');
    open();
    await until('authenticated', () => count('authenticated') === 1);
    // From: printf '1700000000GET/ws' | openssl dgst -sha256 -hmac s3cret -binary | base64
    expect(sent('auth')).toEqual([
      {
        type: 'auth',
        apiKey: 'key-1',
        passphrase: 'open sesame',
        timestamp: '1700000000',
        signature: 'IP+QHHyfei1VtYUwoyO9LM25Gpnkif3oE+r+SbwnPKc=',
      },
    ]);
    expect(kinds()).toEqual(['socketOpened', 'authenticated']);
  });

  it('stays open after a refused session, and tries again with what was read anew', async () => {
    answerAuthWith('{"type":"error","message":"bad key"}', '{"type":"authenticated"}');
    let key = 'key-1';
    open({
      credentials: () => credentialsOf(key),
      cure: () => {
        key = 'key-2';
        return Promise.resolve();
      },
    });
    await until('authenticated', () => count('authenticated') === 1);
    expect(messages).toContainEqual({ kind: 'authRefused', detail: 'bad key' });
    expect(sent('auth').map((frame) => frame['apiKey'])).toEqual(['key-1', 'key-2']);
    expect(double.sockets).toHaveLength(1);
  });

  it('opens a new connection where the venue takes no second auth frame on one that had a session', async () => {
    // The document names a message of an error frame, and no code.
    answerAuthWith(
      '{"type":"authenticated"}',
      '{"type":"error","message":"already authenticated"}',
      '{"type":"authenticated"}',
    );
    let key = 'key-1';
    const made = open({ credentials: () => credentialsOf(key) });
    await until('authenticated', () => count('authenticated') === 1);
    key = 'key-2';
    made.reauthenticate();
    await until('authenticated anew', () => count('authenticated') === 2);
    expect(double.sockets).toHaveLength(2);
    expect(sent('auth').map((frame) => frame['apiKey'])).toEqual(['key-1', 'key-2', 'key-2']);
    expect(kinds().slice(2)).toEqual([
      'authRefused',
      'socketLost',
      'socketOpened',
      'authenticated',
    ]);
  });

  it('keeps an error that is not about the session apart from one that is', async () => {
    answerAuthWith('{"type":"authenticated"}');
    open();
    await until('authenticated', () => count('authenticated') === 1);
    peer(0).send('{"type":"error","message":"no such market","code":"token_not_found"}');
    peer(0).send('{"type":"error","message":"key regenerated","code":"unknown_api_key"}');
    await until('a refusal', () => count('authRefused') === 1);
    expect(messages.slice(2)).toEqual([
      {
        kind: 'unrecognised',
        frameType: 'error',
        detail: 'token_not_found no such market',
      },
      { kind: 'authRefused', detail: 'unknown_api_key key regenerated' },
    ]);
  });

  it('gives a venue up that does not answer the auth frame', async () => {
    open({ settings: { ...FAST, authMs: 40 } });
    await until('a second connection', () => double.sockets.length >= 2);
    expect(messages).toContainEqual({
      kind: 'socketLost',
      reason: 'no answer to the auth frame in 40 ms',
    });
  });

  it('says that it has no credentials and streams public frames all the same', async () => {
    const made = open({ credentials: () => undefined });
    made.subscribe([YES], 5);
    await until('a subscription', () => sent('subscribe').length === 2);
    peer(0).send(snapshot(0.4));
    await until('a book', () => count('bookSnapshot') === 1);
    expect(kinds()).toEqual(['socketOpened', 'authRefused', 'bookSnapshot']);
    expect(sent('auth')).toHaveLength(0);
  });

  it('authenticates and subscribes again after the venue closed it as a slow consumer', async () => {
    answerAuthWith('{"type":"authenticated"}');
    const made = open();
    made.subscribe([YES, NO], 50);
    await until('subscriptions', () => sent('subscribe').length === 2);
    peer(0).close(1008, 'slow consumer');
    await until('authenticated twice', () => count('authenticated') === 2);
    await until('subscriptions again', () => sent('subscribe').length === 4);
    expect(sent('subscribe').slice(2)).toEqual([
      { type: 'subscribe', markets: [YES, NO], depth: 50 },
      { type: 'subscribe', channel: 'trades', markets: [YES, NO] },
    ]);
    expect(kinds()).toEqual([
      'socketOpened',
      'authenticated',
      'socketLost',
      'socketOpened',
      'authenticated',
    ]);
    expect(messages[2]).toEqual({ kind: 'socketLost', reason: 'closed: 1008 slow consumer' });
  });

  it('keeps trying while nobody listens', async () => {
    const { wsUrl } = double;
    await double.stop();
    open({ url: wsUrl });
    await until('three losses', () => count('socketLost') >= 3);
    expect(count('socketOpened')).toBe(0);
  });

  it.each(DRIPS)('gives a handshake up that comes %s', async (_name, first, more) => {
    const server = await dripServer(first, more);
    const url = `ws://127.0.0.1:${server.port}/ws`;
    open({ url, settings: { ...FAST, handshakeMs: 150 } });
    await until('two losses', () => count('socketLost') >= 2);
    expect(messages[0]).toEqual({ kind: 'socketLost', reason: 'no handshake in 150 ms' });
    socket?.stop();
    await server.close();
  });

  it('is there for most of the time where something cuts every connection after twenty seconds', () => {
    const clock = new VirtualClock();
    const lasting = { fromMs: 0, ms: 0 };
    const dial = (): WireSocket => {
      const emitter = new EventEmitter();
      const wire = Object.assign(emitter, {
        readyState: 1,
        bufferedAmount: 0,
        send: (text: string) => {
          const isAuth = text.includes('"auth"');
          if (isAuth) emitter.emit('message', Buffer.from('{"type":"authenticated"}'));
        },
        ping: () => void emitter.emit('pong'),
        terminate: () => {},
      });
      clock.after(100, () => {
        lasting.fromMs = clock.nowMs();
        emitter.emit('open');
      });
      clock.after(20_100, () => {
        lasting.ms += clock.nowMs() - lasting.fromMs;
        emitter.emit('close', 1_006, Buffer.alloc(0));
      });
      return wire;
    };
    open({ clock, timers: clock, dial, settings: SOCKET_SETTINGS });
    clock.advance(600_000);
    expect(lasting.ms).toBeGreaterThan(0.95 * 580_000);
  });

  it('does not reconnect after it was stopped', async () => {
    open();
    await until('open', () => count('socketOpened') === 1);
    socket?.stop();
    await new Promise((resolve) => setTimeout(resolve, 80));
    expect(double.sockets).toHaveLength(1);
    expect(kinds().slice(-1)).toEqual(['socketLost']);
  });
});

describe('a heartbeat', () => {
  it('replaces a connection on which nothing is heard at all', async () => {
    await double.stop();
    double = await startHttpDouble({ autoPong: false });
    open({
      credentials: () => undefined,
      settings: { ...FAST, silenceMs: 90, probeMs: 20 },
    });
    await until('a second connection', () => double.sockets.length >= 2);
    expect(messages.find(({ kind }) => kind === 'socketLost')).toMatchObject({
      reason: expect.stringMatching(/^silent for \d+ ms$/),
    });
    expect(sent('ping').length).toBeGreaterThanOrEqual(2);
  });

  it.each([
    ['native pongs', true, false],
    ['application pongs', false, true],
  ])('is kept alive by %s alone', async (_name, autoPong, answersPing) => {
    await double.stop();
    double = await startHttpDouble({ autoPong });
    double.onConnection((connected) => {
      connected.on('message', (data) => {
        const isPing = JSON.parse(String(data)).type === 'ping';
        if (isPing && answersPing) connected.send('{"type":"pong"}');
      });
    });
    open({
      credentials: () => undefined,
      settings: { ...FAST, silenceMs: 120, probeMs: 20 },
    });
    await new Promise((resolve) => setTimeout(resolve, 400));
    expect(double.sockets).toHaveLength(1);
    expect(count('socketLost')).toBe(0);
  });

  it('answers the pings of the venue in both forms', async () => {
    open();
    await until('open', () => double.sockets.length === 1);
    const isPonged = new Promise<string>((resolve) => {
      peer(0).on('pong', (data) => resolve(String(data)));
    });
    peer(0).ping('are you there');
    peer(0).send('{"type":"ping"}');
    expect(await isPonged).toBe('are you there');
    await until('an application pong', () => sent('pong').length === 1);
  });
});

describe('bad input', () => {
  it('does not stop the frames after it', async () => {
    open({ credentials: () => undefined });
    await until('open', () => double.sockets.length === 1);
    for (const text of ['', '{', 'null', '[]', '{"type":5}', '{"type":"nova"}']) peer(0).send(text);
    peer(0).send(Buffer.from([0xff, 0xfe]), { binary: true });
    peer(0).send(snapshot(0.4));
    await until('a book', () => count('bookSnapshot') === 1);
    expect(count('unrecognised')).toBe(6);
    expect(double.sockets).toHaveLength(1);
  });

  it('of excessive length costs the connection, not the process', async () => {
    open({ credentials: () => undefined, settings: { ...FAST, frameBytesMax: 1_000 } });
    await until('open', () => double.sockets.length === 1);
    peer(0).send('x'.repeat(2_000));
    await until('a second connection', () => double.sockets.length === 2);
    expect(messages.find(({ kind }) => kind === 'socketLost')).toMatchObject({
      reason: expect.stringContaining('Max payload size exceeded'),
    });
  });
});

describe('subscriptions', () => {
  it('are sent in chunks, and only what changed is sent at all', async () => {
    const made = open({ credentials: () => undefined, settings: { ...FAST, tokensPerFrame: 2 } });
    const [a, b, c] = [tokenId('0x1'), tokenId('0x2'), tokenId('0x3')];
    made.subscribe([a, b, c, a], 10);
    await until('frames', () => sent('subscribe').length === 4);
    made.subscribe([c, b], 10);
    made.subscribe([b, c], 10);
    made.renew(b);
    made.renew(a);
    await until('more frames', () => sent('subscribe').length === 6);
    expect(double.frames.filter((frame) => frame['type'] !== 'ping')).toEqual([
      { type: 'subscribe', markets: [a, b], depth: 10 },
      { type: 'subscribe', markets: [c], depth: 10 },
      { type: 'subscribe', channel: 'trades', markets: [a, b] },
      { type: 'subscribe', channel: 'trades', markets: [c] },
      { type: 'unsubscribe', markets: [a] },
      { type: 'unsubscribe', markets: [b] },
      { type: 'subscribe', markets: [b], depth: 10 },
      { type: 'subscribe', channel: 'trades', markets: [b] },
    ]);
  });

  it('of any number fit through a connection that takes them slowly', async () => {
    const sends: string[] = [];
    const opened = new EventEmitter();
    const slow: WireSocket = {
      readyState: 1,
      get bufferedAmount() {
        return sends.join('').length;
      },
      on: (...args: unknown[]) => Reflect.apply(opened.on, opened, args),
      send: (text) => sends.push(text),
      ping: () => {},
      terminate: () => {},
    };
    const settings = { ...FAST, unsentBytesMax: 1_000 };
    const made = open({ credentials: () => undefined, settings, dial: () => slow });
    const ids = Array.from({ length: 1_000 }, (_, index) => tokenId(`0x${index.toString(16)}`));
    made.subscribe(ids, 10);
    opened.emit('open');
    expect(sends.filter((text) => text.includes('"subscribe"'))).toHaveLength(10);
    // None of it is taken: what comes later finds a venue that does not read.
    expect(count('socketLost')).toBe(1);
  });

  it('are renewed for another depth, which never leaves what the venue allows', async () => {
    const made = open({ credentials: () => undefined });
    await until('open', () => count('socketOpened') === 1);
    made.subscribe([YES], 10);
    made.subscribe([YES], 5_000);
    await until('frames', () => sent('subscribe').length >= 4);
    const depths = sent('subscribe').flatMap((frame) => frame['depth'] ?? []);
    expect(depths.at(-1)).toBe(200);
  });
});

function snapshot(price: number): string {
  const levels = { bids: [{ price, size: 5 }], asks: [] };
  return JSON.stringify({ type: 'orderbook.snapshot', marketId: YES, levels, ts: 1 });
}
