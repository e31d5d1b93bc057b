// Hostile bytes against the embedded venue over real connections: what is no HTTP, what never ends,
// what is half open. The venue answers where there is something to answer, and runs on.

import { connect, type Socket } from 'node:net';
import fc from 'fast-check';
import { WebSocket } from 'ws';
import { Lab, type LabVenue, soon, YES } from '../bench/lab.ts';
import { BROKEN_TEXT } from './noise.ts';
import { type Fuzz, must, running } from './target.ts';

type Case =
  | { readonly kind: 'bytes'; readonly text: string }
  | {
      readonly kind: 'request';
      readonly line: string;
      readonly headers: string;
      readonly body: string;
    }
  | { readonly kind: 'upgrade'; readonly path: string; readonly texts: readonly string[] }
  | { readonly kind: 'halfOpen'; readonly text: string };

const line = fc.constantFrom(
  ...['GET /api/time HTTP/1.1', 'POST /api/orders HTTP/1.1', 'BREW /api/time HTTP/1.1'],
  ...['GET /api/time HTTP/9.9', 'GET  HTTP/1.1', `GET /api/${'x'.repeat(20_000)} HTTP/1.1`],
  ...['DELETE /api/orders HTTP/1.0', 'OPTIONS * HTTP/1.1', 'GET http://elsewhere/ HTTP/1.1'],
);
const headers = fc.constantFrom(
  ...['host: x', '', 'content-length: -1', 'content-length: 5', 'content-length: 99999999999'],
  ...['transfer-encoding: chunked', 'transfer-encoding: chunked\r\ncontent-length: 3'],
  ...[`x: ${'y'.repeat(20_000)}`, 'host: x\r\nhost: y', 'service-api-key: \u0001', ': nothing'],
  ...['expect: 100-continue', 'connection: upgrade\r\nupgrade: h2c', 'upgrade: websocket'],
);
const frames = fc.array(
  fc.oneof(
    BROKEN_TEXT,
    fc.constant(JSON.stringify({ type: 'subscribe', markets: [YES], depth: 5 })),
  ),
  { maxLength: 5 },
);
const CASES: fc.Arbitrary<Case> = fc.oneof(
  fc.record({ kind: fc.constant('bytes' as const), text: fc.string({ unit: 'binary' }) }),
  fc.record({ kind: fc.constant('request' as const), line, headers, body: BROKEN_TEXT }),
  fc.record({
    kind: fc.constant('upgrade' as const),
    path: fc.constantFrom('/ws', '/ws?x=1', '/api/ws', '/'),
    texts: frames,
  }),
  fc.record({ kind: fc.constant('halfOpen' as const), text: fc.constantFrom('GET /a', 'P', '') }),
);

/** The venue waits far longer for the rest of a request; nothing here needs that. */
const READ_MS = 20;

export const hostileBytes: Fuzz = () => {
  const lab = new Lab();
  const open: { venue?: LabVenue } = {};
  return running({
    name: 'bytes to the venue',
    cases: CASES,
    check: async (given) => {
      open.venue ??= await lab.start();
      await send(open.venue, given);
    },
    finish: async () => {
      const { venue } = open;
      if (venue) {
        must((await venue.rest.get('/time')).status === 200, 'it still tells the time');
        await venue.rests();
        await soon('no socket is left', () => venue.venue.hub.count === 0);
      }
      await lab.stop();
    },
  });
};

async function send(venue: LabVenue, given: Case): Promise<void> {
  switch (given.kind) {
    case 'bytes':
      isEnvelopeOrNothing(await exchange(venue, given.text, true));
      return;
    case 'halfOpen':
      await exchange(venue, given.text, false);
      return;
    case 'request': {
      const text = `${given.line}\r\n${given.headers}\r\n\r\n${given.body}`;
      isEnvelopeOrNothing(await exchange(venue, text, true));
      return;
    }
    case 'upgrade':
      await speak(venue, given.path, given.texts);
  }
}

/** Sends text, and ends the connection or leaves it in the middle. */
function exchange(venue: LabVenue, text: string, isEnded: boolean): Promise<string> {
  return new Promise((resolve) => {
    const socket: Socket = connect(venue.venue.port, '127.0.0.1');
    let answer = '';
    const done = () => {
      clearTimeout(timer);
      socket.destroy();
      resolve(answer);
    };
    const timer = setTimeout(done, READ_MS);
    socket.on('data', (chunk) => {
      answer += String(chunk);
    });
    socket.on('error', done);
    socket.on('close', done);
    if (isEnded) socket.end(text);
    else socket.write(text);
  });
}

/** An answer, where one came, is HTTP with the envelope as its body; an upgrade has no body. */
function isEnvelopeOrNothing(answer: string): void {
  if (answer === '' || answer.startsWith('HTTP/1.1 100')) return;
  const [head = '', body = ''] = answer.split(/\r\n\r\n([\s\S]*)/);
  must(/^HTTP\/1\.[01] \d{3}/.test(head), `no HTTP: ${answer.slice(0, 80)}`);
  must(!/^HTTP\/1\.[01] 5/.test(head) || head.includes(' 503'), `a failure: ${head.slice(0, 80)}`);
  if (body === '') return;
  // Several requests may have stood in one text; the first answer is the one to judge.
  must(body.startsWith('{"success":'), `no envelope: ${body.slice(0, 80)}`);
}

async function speak(venue: LabVenue, path: string, texts: readonly string[]): Promise<void> {
  const url = new URL(path, venue.venue.wsUrl);
  await new Promise<void>((resolve) => {
    const socket = new WebSocket(url, { perMessageDeflate: false });
    const end = () => {
      socket.terminate();
      resolve();
    };
    socket.on('open', () => {
      for (const text of texts) socket.send(text);
      socket.send(Buffer.from([0, 1, 2]));
      setTimeout(end, 2);
    });
    socket.on('error', end);
    socket.on('close', end);
  });
}
