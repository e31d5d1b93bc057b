// Whether anybody listens at an address of this machine.

import { connect } from 'node:net';

/** A machine answers for its own ports at once; one that does not is no proof of anything. */
const ANSWER_MS_MAX = 1_000;

/** Nobody does, as the machine itself says; `false` where somebody does, or nobody knows. */
export async function isNobodyThere(url: string): Promise<boolean> {
  const { hostname, port, protocol } = new URL(url);
  const known = port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port);
  const socket = connect({ host: hostname.replace(/^\[|\]$/g, ''), port: known });
  socket.setTimeout(ANSWER_MS_MAX);
  try {
    return await new Promise<boolean>((resolve) => {
      socket.once('connect', () => resolve(false));
      socket.once('timeout', () => resolve(false));
      socket.once('error', (error) => resolve(Reflect.get(error, 'code') === 'ECONNREFUSED'));
    });
  } finally {
    socket.destroy();
  }
}
