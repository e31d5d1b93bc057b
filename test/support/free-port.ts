// A port that a configuration has to name before anybody listens there.

import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below the ports that a system gives to whoever takes any: between the look and the use it would give one away. */
const FIRST = 12_000;
const COUNT = 20_000;
const TRIES = 50;

/** @throws {Error} Where every port that was tried is taken. */
export async function freePort(): Promise<number> {
  for (let tried = 0; tried < TRIES; tried += 1) {
    const port = FIRST + Math.floor(Math.random() * COUNT);
    if (await isFree(port)) return port;
  }
  throw new Error(`no free port after ${TRIES} tries`);
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  const isListening = new Promise<boolean>((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => resolve(true));
  });
  if (!(await isListening)) return false;
  server.close();
  await once(server, 'close');
  return true;
}
