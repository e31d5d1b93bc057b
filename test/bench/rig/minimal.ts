// The least program that could answer a frame with orders: socket, JSON.parse, signature, undici POST.
// It is what the daemon is compared with, in a process of its own. Where it is given a file it does what
// whoever trades safely has to do besides, in the least way, too: the cancel of what it has quoted goes
// first, and what is about to be placed is on the disk before it leaves.

import { createHmac } from 'node:crypto';
import { fdatasyncSync, openSync, writeSync } from 'node:fs';
import { type Dispatcher, Pool } from 'undici';
import { WebSocket } from 'ws';

const [, , baseUrl = '', wsUrl = '', tokens = '', intentsFile] = process.argv;
const base = new URL(baseUrl);
const pool = new Pool(base.origin, { connections: 10, pipelining: 1, keepAliveTimeout: 60_000 });
const socket = new WebSocket(wsUrl, { perMessageDeflate: false });
const intents = intentsFile === undefined ? undefined : openSync(intentsFile, 'a');
/** What the last placement's answer named. */
let quoted: readonly string[] = [];

socket.on('open', () => {
  socket.send(JSON.stringify({ type: 'subscribe', markets: tokens.split(','), depth: 50 }));
});

socket.on('message', (data: Buffer) => {
  const frame = JSON.parse(data.toString('utf8'));
  // All others are background.
  if (frame.type !== 'orderbook.delta' || frame.price !== 0.42) return;
  const orders = [0.48, 0.54].map((price) => ({
    tokenId: frame.marketId,
    side: 'BUY',
    price,
    quantity: 10,
    orderType: 'GTC',
  }));
  if (intents !== undefined) {
    if (quoted.length > 0)
      void post('/orders/batch-cancel', { orderHashes: quoted }).then(({ body }) => body.dump());
    writeSync(intents, JSON.stringify(orders));
    fdatasyncSync(intents);
  }
  void post('/orders/batch', { orders }).then(async ({ body }) => {
    if (intents === undefined) await body.dump();
    else quoted = (await body.text()).match(/0x[0-9a-f]+(?=","orderHash)/g) ?? [];
  });
});

function post(path: string, content: object): Promise<Dispatcher.ResponseData> {
  const body = JSON.stringify(content);
  const timestamp = String(Math.floor(Date.now() / 1_000));
  const signature = createHmac('sha256', 'secret')
    .update(`${timestamp}POST${path}${body}`)
    .digest('base64');
  const headers = {
    accept: 'application/json',
    'content-type': 'application/json',
    'SERVICE-API-KEY': 'key',
    'SERVICE-TIMESTAMP': timestamp,
    'SERVICE-PASSPHRASE': 'phrase',
    'SERVICE-SIGNATURE': signature,
  };
  return pool.request({ method: 'POST', path: `${base.pathname}${path}`, headers, body });
}
