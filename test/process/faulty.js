// The ladder, but for one market: the file BOOKEND_FAULT_FILE says which (its id, or `*`) and what happens there.

import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { strategy as ladder } from '../../dist/strategies/ladder.js';

const FILE = process.env.BOOKEND_FAULT_FILE ?? '';

const FAULTS = {
  hang: () => {
    for (;;);
  },
  sleep: () => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0),
  exit: () => process.exit(7),
  kill: () => process.kill(process.pid, 'SIGKILL'),
  abort: () => process.abort(),
  memory: () => {
    const all = [];
    for (;;) all.push(new Array(100_000).fill(all.length));
  },
  fetch: () => void half(),
  // Nobody listens there, and nobody hears of it.
  socket: () => void connect(1, '127.0.0.1'),
};

/** An answer that ends amid its text: what is thrown then has been in none of these lines. */
async function half() {
  const server = createServer((_, answer) => {
    answer.writeHead(200, { 'content-length': 9 }).write('half');
    setTimeout(() => answer.destroy(), 50);
  });
  await new Promise((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const answer = await fetch(`http://127.0.0.1:${server.address().port}`);
  server.close();
  await answer.text();
}

export const strategy = {
  ...ladder,
  name: 'faulty',
  summary: 'Quotes like the ladder, and breaks its process where it is told to.',
  quote(context) {
    const [market, what] = told();
    if (market === '*' || market === context.marketId) FAULTS[what]?.();
    return ladder.quote(context);
  },
};

function told() {
  try {
    return readFileSync(FILE, 'utf8').trim().split(' ');
  } catch {
    return [];
  }
}
