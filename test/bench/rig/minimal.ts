// The least program that could answer a frame with orders: socket, JSON.parse, signature, undici POST.
// It is what the daemon is compared with, in a process of its own.

import { createHmac } from 'node:crypto';
import { Pool } from 'undici';
import { WebSocket } from 'ws';

const [, , baseUrl = '', wsUrl = ''] = process.argv;
const base = new URL(baseUrl);
const pool = new Pool(base.origin, { connections: 10, pipelining: 1, keepAliveTimeout: 60_000 });
const socket = new WebSocket(wsUrl, { perMessageDeflate: false });

socket.on('open', () => {
  const markets = (process.argv[4] ?? '').split(',');
  socket.send(JSON.stringify({ type: 'subscribe', markets, depth: 50 }));
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
  const body = JSON.stringify({ orders });
  const timestamp = String(Math.floor(Date.now() / 1_000));
  const signature = createHmac('sha256', 'secret')
    .update(`${timestamp}POST/orders/batch${body}`)
    .digest('base64');
  const headers = {
    accept: 'application/json',
    'content-type': 'application/json',
    'SERVICE-API-KEY': 'key',
    'SERVICE-TIMESTAMP': timestamp,
    'SERVICE-PASSPHRASE': 'phrase',
    'SERVICE-SIGNATURE': signature,
  };
  const path = `${base.pathname}/orders/batch`;
  void pool
    .request({ method: 'POST', path, headers, body })
    .then(async (response) => await response.body.dump());
});
