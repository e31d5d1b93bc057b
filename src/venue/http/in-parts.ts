// Reads a connection in small parts. Of a header that is too long the library makes an error for each line that is left
// in what it has read, and for each one an account of where: an answer of nothing but short lines held the loop for seconds.

import type { Socket } from 'node:net';
import { buildConnector } from 'undici';

/** A header is given up within the part that makes it too long; an answer in full order is as quick in many as in one. */
const PART_BYTES = 4_096;

/** Connects as the library does, within so long. */
export function connectInParts(timeoutMs: number): buildConnector.connector {
  const connect = buildConnector({ timeout: timeoutMs });
  return (options, done) => {
    connect(options, (...outcome) => {
      const [error, socket] = outcome;
      if (error === null) readInParts(socket);
      done(...outcome);
    });
  };
}

/** What was given up is not read on. */
export function readInParts(socket: Pick<Socket, 'read' | 'readableLength' | 'destroyed'>): void {
  const read = socket.read.bind(socket);
  socket.read = (size) => {
    if (socket.destroyed) return null;
    const isMuch = size === undefined && socket.readableLength > PART_BYTES;
    return read(isMuch ? PART_BYTES : size);
  };
}
